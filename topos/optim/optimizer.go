package optim

import "github.com/topos-notebook/topos/topos"

// Optimizer turns gradients into the next parameters. It panics with a
// [*topos.Refusal], and remembers nothing of the step, where the tables do not
// pair.
type Optimizer[T any] interface {
	Step(parameters, gradients *topos.Parameters[T], rate T) *topos.Parameters[T]
}

// Sgd is gradient descent: p - g*rate.
type Sgd[T any] struct{}

// String is what it is called.
func (Sgd[T]) String() string { return "sgd" }

// Step answers the next parameters. See [Optimizer].
func (Sgd[T]) Step(parameters, gradients *topos.Parameters[T], rate T) *topos.Parameters[T] {
	return parameters.Step(gradients, descent(rate))
}

// descent is w - d*rate, rounded at the product and at the difference.
func descent[T any](rate T) func(w, d *topos.Tensor[T]) *topos.Tensor[T] {
	return func(w, d *topos.Tensor[T]) *topos.Tensor[T] {
		return w.Sub(times(d, w.Element().Tensor(nil, rate)))
	}
}

// times multiplies by a scalar.
func times[T any](t, scalar *topos.Tensor[T]) *topos.Tensor[T] {
	return t.Mul(scalar.Broadcast(t.Shape()))
}
