package elements

import "testing"

func TestEveryNameHasItsOwn(t *testing.T) {
	per := Per[string]{F32: "f32", F64: "f64", BF16: "bf16", F16: "f16"}
	for _, name := range names {
		if got, ok := per.Of(name); !ok || got != name || !Known(name) {
			t.Errorf("%s gives %q", name, got)
		}
	}
	for _, name := range []string{"", "F32", "f8", "rational"} {
		if got, ok := per.Of(name); ok || Known(name) {
			t.Errorf("%q gives %q", name, got)
		}
	}
	if !Known(Default) || names[0] != Default {
		t.Errorf("the default %s is not the first of %v", Default, names)
	}
	if got, want := Usage()+"; "+Listed(), "f32|f64|bf16|f16; f32, f64, bf16 or f16"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
