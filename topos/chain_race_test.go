//go:build race

package topos_test

// chainLength is smaller under the race detector, which is ten times slower.
const chainLength = 100_000
