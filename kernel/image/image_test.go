package image

import (
	"strings"
	"testing"
)

func TestC38MissingBackendsAreDeclined(t *testing.T) {
	tests := []struct {
		wanted string
		want   map[string]string // the beginning of each status
	}{
		{"interpreter", map[string]string{"interpreter": "ready", "Xla": "off in this image", "Blas": "off in this image"}},
		{"", map[string]string{"interpreter": "ready", "Cuda": "off in this image"}},
		{"interpreter,xla, blas", map[string]string{"interpreter": "ready", "Xla": "declined: this build", "Blas": "declined: this build", "Simd": "off in this image"}},
		{"tpu", map[string]string{"interpreter": "ready", "tpu": "declined: there is no backend"}},
	}
	for _, test := range tests {
		t.Run(test.wanted, func(t *testing.T) {
			t.Setenv(Variable, test.wanted)
			seen := map[string]string{}
			for line := range strings.Lines(Report()) {
				name, status, _ := strings.Cut(strings.TrimSpace(line), " ")
				seen[name] = strings.TrimSpace(status)
			}
			for name, want := range test.want {
				if !strings.HasPrefix(seen[name], want) {
					t.Errorf("%s is %q, want %q", name, seen[name], want)
				}
			}
			for _, name := range backends {
				if seen[name] == "" {
					t.Errorf("%s is not listed", name)
				}
			}
		})
	}
}
