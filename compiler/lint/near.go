package lint

import "strings"

// Near is the name that was most likely meant by one that isn't known: the nearest
// of the known names, "" when none is near. Capitals, - for _ and the like make no
// difference; beside that one letter may be wrong in a name of five letters, two in
// one of eight, and a short name may have an s too many or too few.
func Near(name string, known ...string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(folded(name), folded(k)); d < least && d <= allowed(folded(name), folded(k)) {
			best, least = k, d
		}
	}
	return best
}

var separators = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

func folded(name string) string { return strings.ToLower(separators.Replace(name)) }

func allowed(name, known string) int {
	switch n := len(known); {
	case n >= 8:
		return 2
	case n >= 5 || name+"s" == known || name == known+"s":
		return 1
	}
	return 0
}

// distance counts the letters to add, to leave out, to replace, or to exchange with
// the next one.
func distance(a, b string) int {
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return len(a) + len(b) // far enough
	}
	at := make([][]int, len(a)+1)
	for i := range at {
		at[i] = make([]int, len(b)+1)
		for j := range at[i] {
			if i == 0 || j == 0 {
				at[i][j] = i + j
				continue
			}
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			at[i][j] = min(at[i-1][j]+1, at[i][j-1]+1, at[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				at[i][j] = min(at[i][j], at[i-2][j-2]+1)
			}
		}
	}
	return at[len(a)][len(b)]
}
