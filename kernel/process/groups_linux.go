package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// killGroups kills what cells have left in the background. A process must be
// in one of their groups and carry mark in its environment: a group's number
// may long have gone to a stranger.
func killGroups(groups map[int]bool, mark string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		folder := filepath.Dir(stat)
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil || !groups[groupOf(stat)] {
			continue
		}
		environ, err := os.ReadFile(filepath.Join(folder, "environ"))
		if err != nil {
			continue
		}
		for entry := range bytes.SplitSeq(environ, []byte{0}) {
			if string(entry) == mark {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// groupOf reads a process's group from its stat file; 0 when it has gone.
func groupOf(stat string) int {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0
	}
	// "pid (name) state parent group ...", where the name may hold anything.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 3 {
		return 0
	}
	group, _ := strconv.Atoi(fields[2])
	return group
}
