//go:build !linux

package main

// runsPrograms reports whether programs can be built and run in the folder.
func runsPrograms(string) bool { return true }
