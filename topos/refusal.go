package topos

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// The reasons a name or a phase is refused; test with errors.Is.
var (
	// ErrSealed: a tape was used after Seal consumed it.
	ErrSealed = errors.New("sealed")
	// ErrConsumed: a network was used after Reopen consumed it.
	ErrConsumed = errors.New("consumed")
	// ErrStale: a symbol names a node that was cut from its tape.
	ErrStale = errors.New("stale")
	// ErrForeign: a symbol belongs to another tape.
	ErrForeign = errors.New("foreign")
	// ErrUndeclared: a run was asked for a value its entry does not declare, or a
	// table, a feed or a derivative for a node that is none of its.
	ErrUndeclared = errors.New("undeclared")
	// ErrShape: shapes or attributes do not fit the operation.
	ErrShape = errors.New("shape")
	// ErrElement: the element lacks what was asked of it.
	ErrElement = errors.New("element")
)

// Refusal is the panic of recording misuse, and of reading what was not
// declared. A refused call changes nothing: the tape stays usable.
type Refusal struct {
	Op     string  // the operation, as it is spelled in the tape language: "matmul"
	Shapes []Shape // the operands' shapes, in order
	Attr   string  // the attributes asked for, or ""
	Reason string  // the whole sentence
	At     string  // file:line of the first frame outside this module, or ""
	Err    error   // one of the Err values of this package
}

// failed is the same misuse where a call answers an error.
func failed(reason error, op, format string, args ...any) error {
	return &Refusal{Op: op, Reason: fmt.Sprintf(format, args...), Err: reason}
}

// Error is one sentence with the operation and the shapes.
func (r *Refusal) Error() string { return r.Reason }

// Unwrap gives the sentinel error.
func (r *Refusal) Unwrap() error { return r.Err }

// refuse panics with a refusal of an operation over shapes.
func refuse(op string, shapes []Shape, attr, format string, args ...any) {
	panic(&Refusal{Op: op, Shapes: shapes, Attr: attr, Reason: fmt.Sprintf(format, args...), At: caller(), Err: ErrShape})
}

// refuseName panics with a refusal of a name or a phase.
func refuseName(err error, op, format string, args ...any) {
	panic(&Refusal{Op: op, Reason: fmt.Sprintf(format, args...), At: caller(), Err: err})
}

// Refuse panics with a [*Refusal] of a composition over the shapes of its
// operands: how a layer, or an operation made of others, answers misuse. The
// reason is one line that names the operation and the shapes.
func Refuse(op string, shapes []Shape, format string, args ...any) {
	refuse(op, shapes, "", format, args...)
}

const module = "github.com/topos-notebook/topos/"

// caller looks the place up only when refusing: a call of runtime.Callers for
// each node would cost as much as recording it.
func caller() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		inside := strings.HasPrefix(f.Function, module) && !strings.HasSuffix(f.File, "_test.go")
		if f.Function != "" && !inside && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// Refused runs f and gives the refusal it panicked with, or nil. Any other
// panic goes on.
func Refused(f func()) (refusal *Refusal) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Refusal:
			refusal = p
		default:
			panic(p)
		}
	}()
	f()
	return nil
}
