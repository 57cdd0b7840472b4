package process

import "os"

// mostAnswers bounds the lines that wait for a program which reads none.
const mostAnswers = 64

// answers is the write end of a program's stdin. What the user types does not
// go through GoNB: GoNB asks first and only then notes whom it asked for, so that
// an answer that comes at once is lost, or goes to the cell before.
type answers struct {
	file  *os.File
	lines chan string
}

func newAnswers(file *os.File) *answers {
	a := &answers{file: file, lines: make(chan string, mostAnswers)}
	go func() {
		for line := range a.lines {
			a.file.WriteString(line) // fails once the program has ended
		}
	}()
	return a
}

// give passes a line on without waiting for the program to read it; beyond
// mostAnswers unread ones it is dropped.
func (a *answers) give(line string) {
	select {
	case a.lines <- line + "\n":
	default:
	}
}

func (a *answers) close() {
	if a != nil {
		a.file.Close()
		close(a.lines)
	}
}
