package server

import (
	"strings"

	"github.com/topos-notebook/topos/kernel/gonb"
)

// A word of more than longestWord code points is cut to shortWord of them and an
// ellipsis where a failure is told: a name may have as many as a message holds, and
// would hide the place that stands beside it.
const (
	longestWord = 200
	shortWord   = 60
	ellipsis    = "..."
)

// shortened returns lines with their long words cut. A line that is a caret alone
// points into the one above, and goes on to point at the same.
func shortened(lines []string) []string {
	short := make([]string, len(lines))
	for i, line := range lines {
		if i > 0 && len(short[i-1]) != len(lines[i-1]) && strings.TrimSpace(line) == "^" {
			short[i] = pointing(line, lines[i-1])
			continue
		}
		short[i] = shortenedLine(line)
	}
	return short
}

// shortenedLine cuts the long words of a line.
func shortenedLine(line string) string {
	if len(line) <= longestWord {
		return line
	}
	var out strings.Builder
	var word []rune
	end := func() {
		if len(word) > longestWord {
			word = append(word[:shortWord], []rune(ellipsis)...)
		}
		out.WriteString(string(word))
		word = word[:0]
	}
	for _, c := range line {
		if gonb.InName(c) {
			word = append(word, c)
			continue
		}
		end()
		out.WriteRune(c)
	}
	end()
	return out.String()
}

// pointing moves a caret, which stands at a code point of a line, to the same one of
// the shortened line: to the beginning of its word, if that was cut.
func pointing(caret, line string) string {
	column := len([]rune(caret[:strings.IndexByte(caret, '^')]))
	points := []rune(line)
	column = min(column, len(points))

	start := column
	for start > 0 && gonb.InName(points[start-1]) {
		start--
	}
	if column-start > shortWord {
		column = start
	}
	// Tabs in front stay tabs, so that both lines are indented alike.
	before := strings.Map(func(c rune) rune {
		if c == '\t' {
			return c
		}
		return ' '
	}, shortenedLine(string(points[:column])))
	return before + "^"
}
