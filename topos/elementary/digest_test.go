package elementary

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// digests hashes every function's answers on 1,000 inputs a form: what must
// not depend on the platform.
func digests() string {
	var b strings.Builder
	for i, f := range functions {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		var narrow, wide []byte
		for range 1000 {
			x, v := inputs32(r), inputs64(r)
			narrow = binary.LittleEndian.AppendUint64(narrow, answerBits(f.sticky(x)))
			narrow = binary.LittleEndian.AppendUint64(narrow, answerBits(float64(f.narrow(x))))
			wide = binary.LittleEndian.AppendUint64(wide, answerBits(f.wide(v)))
		}
		fmt.Fprintf(&b, "%s f32 %x\n%s f64 %x\n", f.name, sha256.Sum256(narrow), f.name, sha256.Sum256(wide))
	}
	r := rand.New(rand.NewPCG(6, 6))
	var narrow, wide []byte
	for range 1000 {
		// Drawn with nothing of package math, whose bits do depend on the platform.
		base, v := inputs32(r), inputs64(r)
		size := 120 * (r.Float64() - 0.5)
		narrow = binary.LittleEndian.AppendUint64(narrow, answerBits(PowSticky(base, float32(size)/Ln32(base))))
		wide = binary.LittleEndian.AppendUint64(wide, answerBits(Pow(v, size/Ln(v))))
	}
	fmt.Fprintf(&b, "powf f32 %x\npowf f64 %x\n", sha256.Sum256(narrow), sha256.Sum256(wide))
	return b.String()
}

// answerBits is one bit pattern for every NaN.
func answerBits(y float64) uint64 {
	if y != y {
		return math.MaxUint64
	}
	return math.Float64bits(y)
}

// TestC23C24C25MapsAnswerAlike holds the bits to those of every other platform.
// `make platforms` runs it on each.
func TestC23C24C25MapsAnswerAlike(t *testing.T) {
	const name = "testdata/digests.txt"
	got := digests()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("digest: %x", sha256.Sum256([]byte(got)))
	if got != string(want) {
		t.Errorf("the answers differ from those in %s:\n%s", name, got)
	}
}
