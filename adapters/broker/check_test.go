package broker

import "testing"

func TestCheck(t *testing.T) {
	approval := Request{ID: "r", Shape: Approval, Offered: []Offer{{Decision: Cancel}, {Decision: Accept}}}
	one := Question{ID: "q1", Options: []Option{{Value: "a"}, {Value: "b"}}}
	many := Question{ID: "q2", Multiple: true, Custom: true, Options: []Option{{Value: "a"}}}
	question := Request{ID: "r", Shape: Questioned, Questions: []Question{one, many}, Offered: []Offer{{Decision: Cancel}}}
	bare := Request{ID: "r", Shape: Questioned, Offered: []Offer{{Decision: Cancel}}}
	type answers = map[string][]string
	for _, c := range []struct {
		name string
		r    Request
		a    Answer
		fine bool
	}{
		{"offered", approval, Answer{Decision: Accept}, true},
		{"not offered", approval, Answer{Decision: AcceptForSession}, false},
		{"nothing said", approval, Answer{}, false},
		{"answers to an approval", approval, Answer{Answers: answers{"q1": {"a"}}}, false},
		{"both", question, Answer{Decision: Cancel, Answers: answers{"q1": {"a"}, "q2": {"a"}}}, false},
		{"dismissed", question, Answer{Decision: Cancel}, true},
		{"a decision for a question", question, Answer{Decision: Accept}, false},
		{"all answered", question, Answer{Answers: answers{"q1": {"b"}, "q2": {"a", "else"}}}, true},
		{"empty", question, Answer{}, false}, // QU-06
		{"partial", question, Answer{Answers: answers{"q1": {"b"}}}, false},
		{"an empty list", question, Answer{Answers: answers{"q1": {}, "q2": {"a"}}}, false},
		{"blank", question, Answer{Answers: answers{"q1": {" "}, "q2": {"a"}}}, false},
		{"several of one", question, Answer{Answers: answers{"q1": {"a", "b"}, "q2": {"a"}}}, false}, // QU-02
		{"not an option", question, Answer{Answers: answers{"q1": {"c"}, "q2": {"a"}}}, false},
		{"twice", question, Answer{Answers: answers{"q1": {"a"}, "q2": {"a", "a"}}}, false},
		{"unknown question", question, Answer{Answers: answers{"q1": {"a"}, "q2": {"a"}, "q3": {"a"}}}, false},
		{"no questions", bare, Answer{}, false},
	} {
		if err := Check(c.r, c.a); (err == nil) != c.fine {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
