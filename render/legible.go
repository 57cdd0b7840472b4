package render

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// replacement stands for what no output may hold.
const replacement = string(utf8.RuneError)

// permitted says whether an output may hold a character. It may hold no control
// characters, which drive a terminal, and no marks that turn the direction of all
// text after them.
func permitted(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return true
	case unicode.IsControl(r), '\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069':
		return false
	}
	return true
}

// legible replaces what no output may hold, bytes that are not UTF-8 among it.
// Nearly every text holds nothing of the kind.
func legible(text string) string {
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c <= '~' || c == '\n' {
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		if !permitted(r) || r == utf8.RuneError {
			return text[:i] + replaced(text[i:])
		}
		i += width
	}
	return text
}

func replaced(text string) string {
	return strings.Map(func(r rune) rune {
		if permitted(r) {
			return r
		}
		return utf8.RuneError
	}, text)
}
