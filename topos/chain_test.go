//go:build !race

package topos_test

// chainLength is the depth that TestLongChain records.
const chainLength = 1_000_000
