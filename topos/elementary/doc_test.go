package elementary

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryMapCitesItsSource: each file that defines a function of the vocabulary
// says in which paper or book its method is found.
func TestEveryMapCitesItsSource(t *testing.T) {
	defines := regexp.MustCompile(`(?m)^func [A-Z]\w*\(`)
	cites := regexp.MustCompile(`[A-Z][a-z]+( and [A-Z][a-z]+)?(, |\) ?|\s)[^.]*\b(19|20)\d\d\b`)
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "_test.go") || !defines.Match(text) {
			continue
		}
		checked++
		comments := strings.Builder{}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//"); ok {
				comments.WriteString(rest)
			}
		}
		if !cites.MatchString(comments.String()) {
			t.Errorf("%s names no source", path)
		}
	}
	if checked < 9 {
		t.Errorf("only %d files define functions", checked)
	}
}
