package language

import "strings"

// nearest is the candidate with the fewest edits from a word, if those are few
// for its length; the first of equals, or "".
func nearest(word string, candidates []string) string {
	const longest = 64 // a longer word is no slip of the finger
	if len(word) > longest {
		return ""
	}
	best, fewest := "", 3
	for _, c := range candidates {
		if len(c) > longest {
			continue
		}
		if strings.EqualFold(c, word) && c != word {
			return c
		}
		if d := distance([]rune(word), []rune(c)); d > 0 && d < fewest && 2*d <= max(len(word), 2) {
			best, fewest = c, d
		}
	}
	return best
}

// distance counts the insertions, deletions, substitutions and exchanges of
// neighbours that make b of a (optimal string alignment; Damerau 1964).
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// meant is the end of a message about an unknown word.
func meant(near string) string {
	if near == "" {
		return ""
	}
	return ": did you mean " + near + "?"
}
