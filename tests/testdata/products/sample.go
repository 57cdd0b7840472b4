// Package sample holds products that a compiler may fuse with a sum, marked
// "bare", and ones that it may not.
package sample

import "math"

type number interface{ float32 | float64 }

type length float64

type count interface{ int | int64 }

func sums(x, y, z float64) (float64, float64, float64) {
	a := x*y + z // bare
	b := z - x*y // bare
	c := z
	c += x * y   // bare
	c -= (x * y) // bare
	return a, b, c
}

func across(x, y, z float64, p []float64) float64 {
	t := x * y          // bare
	p[0] = x * y        // bare
	t *= z              // bare
	return -(x * y) + t // bare
}

func product(x, y float64) float64 { return x * y } // bare

func generic[T number](x, y, z T) T { return x*y + z } // bare

func derived[T ~float64 | ~int](x, y, z T) T { return x*y + z } // bare

func named(x, y, z length) length { return x*y + z } // bare

func argument(x, y, z float64) float64 { return math.Abs(x*y) + z } // bare

func wrapped(x, y, z float64) float64 { return any(x*y).(float64) + z } // bare

func inside(x, y, z float64, c complex128) (s struct{ a float64 }, d complex128) {
	s.a = x * y           // bare
	p := []float64{x * y} // bare
	f := func() float64 { // a closure is inlined as well
		return (x * (y)) // bare
	}
	for i, k := 0, x*y; i < 3; i++ { // bare
		z += k
	}
	p[0], s.a = p[0]+z, f()+z
	return s, c*c + 1 // bare
}

func alias(x, y, z float64) float64 {
	type wide = float64
	var g func(float64) float64 = math.Exp                               // math
	return wide(x*y) + z + g(math.Log(x)) + math.FMA(x, y, math.Sqrt(z)) // math
}

func twice(x, y, z float64) float64 { return x*y*z + z } // bare

func converted[T number](x, y, z T, v length) (T, length, bool) {
	t := T(x*y) + z
	t -= T((x * y))
	t += T(x*y*z) / T(x*y)
	return t, length(v*v) - v, x*y < z
}

func others[T count](i, j int, n T, x float64) (int, T, float64) {
	const c = 2.0 * 3.0
	i *= j
	return i*j + 1, n*n + n, x + c*2 + x/2
}
