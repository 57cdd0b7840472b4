//go:build !race

package topos_test

// chainLength is the depth that TestC21LongChain records.
const chainLength = 1_000_000
