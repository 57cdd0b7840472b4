package gonb

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// killLeftovers kills every process whose environment holds the mark: what a
// killed GoNB has left in groups of their own, such as gopls. What is killed may
// be starting others: it is looked again until nothing is found, for a while.
func killLeftovers(mark string) {
	for end := time.Now().Add(time.Second); ; {
		found := 0
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range files {
			environ, err := os.ReadFile(file)
			if err != nil || !marked(environ, mark) {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err == nil && pid != os.Getpid() && syscall.Kill(pid, syscall.SIGKILL) == nil {
				found++
			}
		}
		if found == 0 || time.Now().After(end) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func marked(environ []byte, mark string) bool {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if string(entry) == mark {
			return true
		}
	}
	return false
}
