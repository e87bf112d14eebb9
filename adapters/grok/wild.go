package grok

// wild matches a pattern of *, **, ? and [...] against a whole text. With crosses
// a star and a question mark match "/" too; without, only ** does, and "**/" may
// be no folder at all. Time is bounded by the product of the lengths.
func wild(pattern, text string, crosses bool) bool {
	p, s := []rune(pattern), []rune(text)
	if len(p)*len(s) > 1<<22 {
		return false
	}
	// row[j] says whether the pattern so far matches the first j runes.
	row := make([]bool, len(s)+1)
	row[0] = true
	for i := 0; i < len(p); {
		next := make([]bool, len(s)+1)
		switch {
		case p[i] == '*':
			deep, n := crosses, 1
			for i+n < len(p) && p[i+n] == '*' {
				deep, n = true, n+1
			}
			slash := !crosses && n > 1 && i+n < len(p) && p[i+n] == '/'
			if slash {
				n++
			}
			star(row, next, s, deep, slash)
			i += n
		case p[i] == '?':
			for j := range s {
				next[j+1] = row[j] && (crosses || s[j] != '/')
			}
			i++
		case p[i] == '[' && class(p[i:]) > 0:
			n := class(p[i:])
			for j := range s {
				next[j+1] = row[j] && inClass(p[i+1:i+n-1], s[j]) && (crosses || s[j] != '/')
			}
			i += n
		default:
			for j := range s {
				next[j+1] = row[j] && s[j] == p[i]
			}
			i++
		}
		row = next
	}
	return row[len(s)]
}

// star fills in what a run of stars reaches. With slash it stands for "**/":
// nothing, or anything that ends in "/".
func star(row, next []bool, s []rune, deep, slash bool) {
	open := false
	for j := range next {
		if j > 0 && !deep && s[j-1] == '/' {
			open = false
		}
		open = open || row[j]
		next[j] = open
		if slash {
			next[j] = row[j] || open && j > 0 && s[j-1] == '/'
		}
	}
}

// class returns the length of a [...] at the start of p, 0 when it doesn't end.
func class(p []rune) int {
	for i := 2; i < len(p); i++ {
		if p[i] == ']' {
			return i + 1
		}
	}
	return 0
}

func inClass(set []rune, r rune) bool {
	negated := len(set) > 1 && (set[0] == '!' || set[0] == '^')
	if negated {
		set = set[1:]
	}
	found := false
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			found = found || set[i] <= r && r <= set[i+2]
			i += 2
			continue
		}
		found = found || set[i] == r
	}
	return found != negated
}
