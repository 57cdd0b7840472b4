package main

import "golang.org/x/sys/unix"

// roomNeeded is what a folder in memory must have free, in bytes: the build of
// one cell with several copies of its binary.
const roomNeeded = 512 << 20

// runsPrograms reports whether programs can be built and run in the folder:
// runtime folders are often small, or mounted so that nothing in them runs.
func runsPrograms(folder string) bool {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil || unix.Access(folder, unix.W_OK) != nil {
		return false
	}
	return s.Flags&unix.ST_NOEXEC == 0 && s.Bavail*uint64(s.Bsize) >= roomNeeded
}
