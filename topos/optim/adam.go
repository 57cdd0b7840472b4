package optim

import (
	"fmt"

	"github.com/topos-notebook/topos/topos"
)

// Adam follows averages of gradients and of their squares (Kingma and Ba 2015).
// Step t, counted from 1, is
//
//	m = m*beta1 + g*(1 - beta1)
//	v = v*beta2 + (g*g)*(1 - beta2)
//	direction = (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//	p - direction*rate
//
// with m and v zeros before the first step, and the powers of beta kept by
// multiplying once a step. A parameter that a table gained since the last step,
// as after a reopen, starts from zeros.
type Adam[T any] struct {
	beta1, beta2, epsilon *topos.Tensor[T]
	memory[T]
}

// memory is what a step leaves behind.
type memory[T any] struct {
	first, second  *topos.Parameters[T] // nil before the first step
	power1, power2 *topos.Tensor[T]
	steps          int
}

// NewAdam makes an optimizer of scalars, each of rank 0. It panics with a
// [*topos.Refusal] for any other shape.
func NewAdam[T any](beta1, beta2, epsilon *topos.Tensor[T]) *Adam[T] {
	scalar("adam", "beta1", beta1.Shape())
	scalar("adam", "beta2", beta2.Shape())
	scalar("adam", "epsilon", epsilon.Shape())
	return &Adam[T]{beta1, beta2, epsilon, memory[T]{power1: beta1.Filled(1), power2: beta2.Filled(1)}}
}

// DefaultAdam has beta1 0.9, beta2 0.999 and epsilon 1e-8, each rounded to the
// element. In bf16 0.999 rounds to 1, which no average of squares survives: give
// [NewAdam] a beta2 of 0.9921875 or less there.
func DefaultAdam[T any](e topos.Element[T]) *Adam[T] {
	return NewAdam(number(e, 0.9), number(e, 0.999), number(e, 1e-8))
}

// String is its numbers and how many steps it took, in one line.
func (a *Adam[T]) String() string { return "adam: " + a.said() }

func (a *Adam[T]) said() string {
	return fmt.Sprintf("beta1 %v, beta2 %v, epsilon %v, steps %d", a.beta1, a.beta2, a.epsilon, a.steps)
}

func number[T any](e topos.Element[T], x float64) *topos.Tensor[T] {
	return e.Tensor(nil, e.FromFloat64(x))
}

func scalar(op, name string, shape topos.Shape) {
	if shape.Rank() != 0 {
		topos.Refuse(op, []topos.Shape{shape}, "%s cannot be made with %s %v: it must be of rank 0", op, name, shape)
	}
}

// Step answers the next parameters. See [Optimizer].
func (a *Adam[T]) Step(parameters, gradients *topos.Parameters[T], rate T) *topos.Parameters[T] {
	next, after := a.step(parameters, gradients, rate)
	a.memory = after
	return next
}

// step leaves what the optimizer remembers as it was.
func (a *Adam[T]) step(parameters, gradients *topos.Parameters[T], rate T) (*topos.Parameters[T], memory[T]) {
	type tensor = *topos.Tensor[T]
	one := a.beta1.Filled(1)
	after := memory[T]{power1: a.power1.Mul(a.beta1), power2: a.power2.Mul(a.beta2), steps: a.steps + 1}
	after.first = following(a.first, parameters).Step(gradients, func(m, g tensor) tensor {
		return times(m, a.beta1).Add(times(g, one.Sub(a.beta1)))
	})
	after.second = following(a.second, parameters).Step(gradients, func(v, g tensor) tensor {
		return times(v, a.beta2).Add(times(g.Mul(g), one.Sub(a.beta2)))
	})
	direction := after.first.Zip(after.second, func(m, v tensor) tensor {
		mean := m.Div(one.Sub(after.power1).Broadcast(m.Shape()))
		spread := v.Div(one.Sub(after.power2).Broadcast(v.Shape())).Sqrt()
		return mean.Div(spread.Add(a.epsilon.Broadcast(v.Shape())))
	})
	return parameters.Step(direction, descent(rate)), after
}

// following is a table of moments over the slots of the parameters: zeros where
// the moments have none.
func following[T any](moments, parameters *topos.Parameters[T]) *topos.Parameters[T] {
	zeros := parameters.Map(func(t *topos.Tensor[T]) *topos.Tensor[T] { return t.Filled(0) })
	if moments == nil {
		return zeros
	}
	if moments.Len() >= parameters.Len() {
		return moments
	}
	var kept []topos.Feed[T]
	for i, name := range moments.Names() {
		kept = append(kept, topos.With(name, moments.Slot(i)))
	}
	return zeros.WithPayloads(kept...)
}

// Moments gives the averages of the gradients and of their squares, nil before
// the first step.
func (a *Adam[T]) Moments() (first, second *topos.Parameters[T]) { return a.first, a.second }

// Steps is the number of steps taken.
func (a *Adam[T]) Steps() int { return a.steps }

// Resume goes on from moments that were kept after a number of steps. It fails,
// and changes nothing, for a number below 0 and where there are no moments
// after some steps.
func (a *Adam[T]) Resume(first, second *topos.Parameters[T], steps int) error {
	if steps < 0 || steps > 0 && (first == nil || second == nil) {
		return fmt.Errorf("adam cannot resume after %d steps without the moments of that step", steps)
	}
	m := memory[T]{first: first, second: second, power1: a.beta1.Filled(1), power2: a.beta2.Filled(1), steps: steps}
	for range steps {
		power1, power2 := m.power1.Mul(a.beta1), m.power2.Mul(a.beta2)
		if power1.Equal(m.power1) && power2.Equal(m.power2) {
			break // 0 before long, whatever number of steps a file claims
		}
		m.power1, m.power2 = power1, power2
	}
	a.memory = m
	return nil
}

// AdamW is [Adam] with decay apart from the gradient (Loshchilov and Hutter
// 2019): after Adam's step, (p*decay)*rate is taken from each weight that Decays
// says, where p is the weight before the step.
type AdamW[T any] struct {
	*Adam[T]
	decay *topos.Tensor[T]

	// Decays says which parameters decay: as it stands, those of rank 2 or more,
	// which leaves biases and the scales of norms alone.
	Decays func(name topos.Symbol, weight *topos.Tensor[T]) bool
}

// NewAdamW makes an optimizer of scalars, each of rank 0. It panics with a
// [*topos.Refusal] for any other shape.
func NewAdamW[T any](beta1, beta2, epsilon, decay *topos.Tensor[T]) *AdamW[T] {
	scalar("adamw", "decay", decay.Shape())
	return &AdamW[T]{NewAdam(beta1, beta2, epsilon), decay, func(_ topos.Symbol, w *topos.Tensor[T]) bool { return w.Shape().Rank() >= 2 }}
}

// String is its numbers and how many steps it took, in one line.
func (a *AdamW[T]) String() string { return fmt.Sprintf("adamw: decay %v, %s", a.decay, a.said()) }

// DefaultAdamW has the scalars of [DefaultAdam] and a decay of 0.01.
func DefaultAdamW[T any](e topos.Element[T]) *AdamW[T] {
	return NewAdamW(number(e, 0.9), number(e, 0.999), number(e, 1e-8), number(e, 0.01))
}

// Step answers the next parameters. See [Optimizer].
func (a *AdamW[T]) Step(parameters, gradients *topos.Parameters[T], rate T) *topos.Parameters[T] {
	type tensor = *topos.Tensor[T]
	next, after := a.step(parameters, gradients, rate)
	next = next.StepEach(parameters, func(name topos.Symbol, w, before tensor) tensor {
		if !a.Decays(name, before) {
			return w
		}
		return descent(rate)(w, times(before, a.decay))
	})
	a.memory = after
	return next
}
