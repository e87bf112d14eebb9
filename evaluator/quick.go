package evaluator

// Quick is a Meaning with a short way to the answer to a native request that is
// an action and a list of texts. It says nothing that Judge doesn't say.
type Quick interface {
	Meaning
	// QuickFields names the action's field and the texts' field of such a request.
	// The first pair is the one that Verdicts write; the others are read as well.
	QuickFields() [][2]string
	// Quick decides a request of one text or more. It returns the effect, the first
	// text that comes to it, and the position of that text's rule among all rules,
	// -1 when the provider's default decides. When ok is false, only Judge can
	// answer. The Verdicts of two requests with the same rule differ in nothing but
	// the request, and in the reason's beginning: the action, a space and the text,
	// quoted and cut after [QuickShown] characters.
	Quick(action string, texts []string) (effect Effect, text, rule int, ok bool)
}

// QuickShown is how many characters of a text a reason shows.
const QuickShown = 80
