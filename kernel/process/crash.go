package process

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Crash is the panic or fatal error that ended a program.
type Crash struct {
	// Message is what was panicked with, without "panic: " in front and
	// without the mark of a repeated panic, or the line of the fatal error.
	// A value that only an address would tell from others is told by its type.
	// When a deferred call panicked as well, the later messages follow.
	Message string
	Frames  []Frame // calls in cells, innermost first, of the goroutine that crashed; none for a signal
	Text    string  // the whole dump, as the runtime wrote it: with addresses and folder names

	// Where the crash came from a package-level initialiser: the call of it, and
	// what it was to initialise.
	Initialiser Frame
	Declared    []string
}

// Frame is a place in a cell.
type Frame struct {
	Func   string // without the package: "main", "(*T).Step", "main.func1"
	Starts bool   // the goroutine that crashed was started here
	Cell   int    // execution count of the cell; 0 when no cell is known to have the line
	Line   int    // 1 is the cell's first line; 0 when no cell is known to have the line
	Source string // the line, without the space around it
	Times  int    // how often in a row: more than 1 in a recursion

	file string // as the dump names it
	at   int    // line in that file
}

var (
	goroutineLine = regexp.MustCompile(`(?m)^goroutine \d+ .*:$`)
	placeLine     = regexp.MustCompile(`^\t(.+\.go):(\d+)(?: \+0x[0-9a-f]+)?(?: fp=0x[0-9a-f]+ sp=0x[0-9a-f]+ pc=0x[0-9a-f]+)?$`)
	repeatedMark  = regexp.MustCompile(` \[recovered(?:, repanicked)?\]$`)
	valueAddress  = regexp.MustCompile(`^\((.*)\) (?:0x[0-9a-f]+|\(0x[0-9a-f]+,\s*0x[0-9a-f]+\))$`)
	prefaceLines  = regexp.MustCompile(`^(?:(?:runtime: |unexpected fault address ).*\n)+$`)
	ownPackage    = regexp.MustCompile(`\bmain\.`)
	startedIn     = regexp.MustCompile(` in goroutine \d+$`)
)

// parseCrash finds the dump at the end of what a program wrote to stderr. It
// returns what stands before the dump, and false when there is none.
func parseCrash(text string) (before string, crash *Crash, ok bool) {
	goroutines := goroutineLine.FindAllStringIndex(text, -1)
	if goroutines == nil {
		return parseTraceless(text)
	}
	start, last := -1, goroutines[len(goroutines)-1][0]
	for at := 0; at < last; {
		line := text[at:]
		if mark([]byte(line[:min(len(line), 64)])) == isMark {
			// A preface and the error it belongs to are one dump.
			if start < 0 || !prefaceLines.MatchString(text[start:at]) {
				start = at
			}
		}
		end := strings.IndexByte(line, '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	if start < 0 {
		return text, nil, false
	}
	dump := text[start:]
	first := goroutineLine.FindStringIndex(dump)
	crash = &Crash{
		Message: crashMessage(dump[:first[0]]),
		Frames:  crashFrames(dump[first[1]:]),
		Text:    dump,
	}
	if signalled([]byte(dump)) {
		crash.Frames = nil // the program was anywhere when it came
	}
	return text[:start], crash, true
}

// traceless is what the runtime says, as the last line, of a program that ended
// without a goroutine left to trace: its main has called runtime.Goexit.
const traceless = "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"

func parseTraceless(text string) (before string, crash *Crash, ok bool) {
	before, ok = strings.CutSuffix(text, traceless+"\n")
	if !ok || before != "" && !strings.HasSuffix(before, "\n") {
		return text, nil, false
	}
	return before, &Crash{Message: traceless, Text: text[len(before):]}, true
}

// crashMessage reads the part of a dump in front of the first goroutine.
func crashMessage(head string) string {
	if at := strings.Index("\n"+head, "\nfatal error: "); at >= 0 {
		line, _, _ := strings.Cut(head[at:], "\n")
		return line
	}
	if signalled([]byte(head)) {
		line, _, _ := strings.Cut(head, "\n")
		return line
	}
	if at := strings.Index(head, "\n[signal "); at >= 0 {
		head = head[:at]
	}
	// The runtime indents by one tab both the lines of a message after its
	// first and a panic that came on top of an earlier one.
	var panics []string
	recovered := false
	for line := range strings.SplitSeq(strings.TrimRight(head, "\n"), "\n") {
		text, begins := strings.CutPrefix(strings.TrimPrefix(line, "\t"), "panic: ")
		if begins || len(panics) == 0 {
			// What was recovered did not end the program; what came after did.
			if recovered {
				panics = panics[:len(panics)-1]
			}
			recovered = repeatedMark.MatchString(text)
			panics = append(panics, byType(repeatedMark.ReplaceAllString(text, "")))
			continue
		}
		last := &panics[len(panics)-1]
		if recovered = repeatedMark.MatchString(line); recovered {
			line = repeatedMark.ReplaceAllString(line, "")
		}
		*last += "\n" + strings.TrimPrefix(line, "\t")
	}
	for i, p := range panics {
		panics[i] = strings.TrimRight(p, "\n\t ")
	}
	return strings.Join(panics, "\nthen panic: ")
}

// byType words what the runtime shows of a value that it cannot print, which is its
// type and where it lies.
func byType(shown string) string {
	parts := valueAddress.FindStringSubmatch(shown)
	if parts == nil {
		return shown
	}
	return "a value of type " + ownPackage.ReplaceAllString(parts[1], "")
}

// crashFrames reads the calls of the first goroutine of a dump.
func crashFrames(stack string) []Frame {
	if at := strings.Index(stack, "\n\n"); at >= 0 {
		stack = stack[:at]
	}
	var frames []Frame
	var call string
	for line := range strings.SplitSeq(stack, "\n") {
		place := placeLine.FindStringSubmatch(line)
		if place == nil {
			call = line
			continue
		}
		at, err := strconv.Atoi(place[2])
		if err != nil || call == "" {
			continue
		}
		f := Frame{Times: 1, file: place[1], at: at}
		f.Func, f.Starts = functionName(call)
		call = ""
		if n := len(frames); n > 0 && frames[n-1].Func == f.Func && frames[n-1].file == f.file && frames[n-1].at == f.at {
			frames[n-1].Times++
			continue
		}
		frames = append(frames, f)
	}
	return frames
}

// functionName reads a call as a dump shows it, main.f(0x1, {...}), or the call that
// started a goroutine.
func functionName(call string) (name string, starts bool) {
	if rest, ok := strings.CutPrefix(call, "created by "); ok {
		return startedIn.ReplaceAllString(rest, ""), true
	}
	if at := strings.LastIndexByte(call, '('); at > 0 && strings.HasSuffix(call, ")") {
		call = call[:at]
	}
	return call, false
}

// locateFrames keeps the frames that lie in generated code and says where in
// which cell they are.
func (s *Supervisor) locateFrames(crash *Crash) {
	work := s.workFolder()
	name := filepath.Base(work)
	generated := s.generated()
	var frames []Frame
	for _, f := range crash.Frames {
		if work == "" || filepath.Base(filepath.Dir(f.file)) != name {
			continue
		}
		found, _ := s.locate(generated, f.at)
		call := f.Func
		for _, pkg := range []string{"main.", name + "."} {
			call = strings.TrimPrefix(call, pkg)
		}
		found.Func, found.Starts, found.Times = call, f.Starts, f.Times
		frames = append(frames, found)
	}
	crash.Frames = frames
	crash.Message = scrub(crash.Message, work)
	s.blame(crash)
}

// scrub takes GoNB's folder of generated code out of a text.
func scrub(text, work string) string {
	if work == "" || work == "/" {
		return text
	}
	name := filepath.Base(work)
	for _, part := range []string{work + "/", work, name + "/", name} {
		with := ""
		if !strings.HasSuffix(part, "/") {
			with = "the cell's module"
		}
		text = strings.ReplaceAll(text, part, with)
	}
	return text
}
