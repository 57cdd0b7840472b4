// Package image knows what the kernel image holds: which ways to run a plan this
// build has, and which of them the image asks for.
package image

import (
	"os"
	"slices"
	"strings"
)

// Variable names what the kernelspec sets: the backends the image has, with
// commas between them.
const Variable = "TOPOS_BACKENDS"

// Interpreter is what every image has: it defines what a plan answers.
const Interpreter = "interpreter"

// backends are all there may be, in the order in which they are listed.
var backends = []string{"Accelerate", "Metal", "Cuda", "Simd", "Blas", "Fused", "Xla", "StableHlo"}

// Backend is one way to run a plan, and whether this kernel can.
type Backend struct {
	Name   string
	Status string // "ready", "off in this image", or "declined: " and why
}

// Backends lists the interpreter, then every backend, then what the image asks
// for that is none. What is wanted and missing is declined: plans run on the
// interpreter then, so that nothing fails for want of a backend.
func Backends(wanted string) []Backend {
	asked := strings.FieldsFunc(wanted, func(r rune) bool { return r == ',' || r == ' ' })
	has := func(name string) bool {
		return slices.ContainsFunc(asked, func(a string) bool { return strings.EqualFold(a, name) })
	}
	list := []Backend{{Interpreter, "ready"}}
	for _, name := range backends {
		status := "off in this image"
		if has(name) {
			status = "declined: this build of the kernel has none; plans run on the interpreter"
		}
		list = append(list, Backend{name, status})
	}
	for _, a := range asked {
		known := strings.EqualFold(a, Interpreter) || slices.ContainsFunc(backends, func(b string) bool { return strings.EqualFold(a, b) })
		if !known {
			list = append(list, Backend{a, "declined: there is no backend of this name"})
		}
	}
	return list
}

// Report is the list as text, for the image this process runs in.
func Report() string {
	var b strings.Builder
	for _, x := range Backends(os.Getenv(Variable)) {
		b.WriteString(x.Name + strings.Repeat(" ", max(1, 13-len(x.Name))) + x.Status + "\n")
	}
	return b.String()
}
