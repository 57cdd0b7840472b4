// Package testdata gives tests of every package what the reference prints of the
// walkthrough, which lies here once. It is no part of the module's packages: the go
// command leaves a folder of this name out wherever it lists some.
package testdata

import (
	_ "embed"
	"encoding/json"
	"testing"
)

//go:embed walkthrough.json
var walkthrough []byte

// Walkthrough decodes the texts and numbers that T has fields for.
func Walkthrough[T any](t testing.TB) T {
	t.Helper()
	var plates T
	if err := json.Unmarshal(walkthrough, &plates); err != nil {
		t.Fatal(err)
	}
	return plates
}
