package language

import "testing"

// The published test vectors of FNV-1a, 64 bits.
func TestSeedOf(t *testing.T) {
	for name, want := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c, "foobar": 0x85944171f73967e8} {
		if got := seedOf(name); got != want {
			t.Errorf("seed of %q is %x, want %x", name, got, want)
		}
	}
}
