package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// readTrace reads what go build -x wrote, if it is the build of one package
// from one file, whose dependencies had all been built before.
func readTrace(text string) (*recipe, error) {
	r := &recipe{Files: map[string]string{}}
	work := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if w, ok := strings.CutPrefix(line, "WORK="); ok && work == "" {
			work = w
			continue
		}
		if work != "" {
			line = strings.ReplaceAll(line, work, "$WORK")
		}
		if path, ok := strings.CutPrefix(line, "cat >"); ok {
			path, _, _ = strings.Cut(path, " ")
			end := i + 1
			for end < len(lines) && lines[end] != "EOF" {
				end++
			}
			if name, ok := strings.CutPrefix(path, "$WORK/b001/"); ok {
				r.Files[name] = strings.Join(lines[i+1:min(end, len(lines))], "\n") + "\n"
			}
			i = end
			continue
		}
		if err := r.addCommand(line); err != nil {
			return nil, err
		}
	}
	if len(r.Compile) == 0 || len(r.Link) == 0 || r.Files["importcfg"] == "" || r.Files["importcfg.link"] == "" {
		return nil, errors.New("not one compilation and one link")
	}
	return r, nil
}

// addCommand takes a line that runs a tool.
func (r *recipe) addCommand(line string) error {
	line = strings.TrimPrefix(line, "GOROOT='' ")
	program, _, _ := strings.Cut(line, " ")
	if !filepath.IsAbs(program) {
		return nil // a line of the go command's own doing: cd, mkdir, cp, mv
	}
	words, err := splitWords(line)
	if err != nil {
		return err
	}
	for i, word := range words {
		switch { // a build ID names its inputs, which are others each time
		case i > 0 && words[i-1] == "-buildid":
			words[i] = "$ID/$ID"
		case strings.HasPrefix(word, "-buildid="):
			words[i] = "-buildid=$ID/$ID/$ID/$ID"
		}
	}
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case "compile":
		if len(r.Compile) > 0 || words[len(words)-1] != "./main.go" || !strings.Contains(line, " -o $WORK/b001/_pkg_.a ") {
			return errors.New("another compilation")
		}
		r.Compile = words
	case "link":
		if len(r.Link) > 0 || words[len(words)-1] != "$WORK/b001/_pkg_.a" || !strings.Contains(line, " -o $WORK/b001/exe/a.out ") {
			return errors.New("another link")
		}
		r.Link = words
	default:
		return fmt.Errorf("the tool %s", program)
	}
	return nil
}

// splitWords splits a command as go build -x writes it: words between spaces,
// those with anything special in them quoted as Go strings.
func splitWords(line string) ([]string, error) {
	var words []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			words, line = append(words, word), line[len(quoted):]
			if line != "" && line[0] != ' ' {
				return nil, fmt.Errorf("text behind %s", quoted)
			}
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if strings.ContainsAny(word, "\"'`\\;|&<>()*?~#\t") {
			return nil, fmt.Errorf("word %q", word)
		}
		words, line = append(words, word), rest
	}
	return words, nil
}
