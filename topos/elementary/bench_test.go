package elementary

import (
	"math"
	"math/rand/v2"
	"testing"
)

func benchmarkInputs() ([]float32, []float64) {
	r := rand.New(rand.NewPCG(3, 3))
	narrow, wide := make([]float32, 1024), make([]float64, 1024)
	for i := range wide {
		wide[i] = math.Abs(r.NormFloat64() * 2)
		narrow[i] = float32(wide[i])
	}
	return narrow, wide
}

var sink32 float32
var sink64 float64

func BenchmarkMaps(b *testing.B) {
	narrow, wide := benchmarkInputs()
	for _, f := range functions {
		b.Run(f.name+"/32", func(b *testing.B) {
			for i := range b.N {
				sink32 = f.narrow(narrow[i&1023])
			}
		})
		b.Run(f.name+"/32math", func(b *testing.B) {
			g := f.peer
			for i := range b.N {
				sink32 = float32(g(float64(narrow[i&1023])))
			}
		})
		b.Run(f.name+"/64", func(b *testing.B) {
			for i := range b.N {
				sink64 = f.wide(wide[i&1023])
			}
		})
		b.Run(f.name+"/64math", func(b *testing.B) {
			g := f.peer
			for i := range b.N {
				sink64 = g(wide[i&1023])
			}
		})
	}
}

func BenchmarkPow(b *testing.B) {
	narrow, wide := benchmarkInputs()
	b.Run("32", func(b *testing.B) {
		for i := range b.N {
			sink32 = Pow32(narrow[i&1023], narrow[(i+7)&1023])
		}
	})
	b.Run("32math", func(b *testing.B) {
		for i := range b.N {
			sink32 = float32(math.Pow(float64(narrow[i&1023]), float64(narrow[(i+7)&1023])))
		}
	})
	b.Run("64", func(b *testing.B) {
		for i := range b.N {
			sink64 = Pow(wide[i&1023], wide[(i+7)&1023])
		}
	})
	b.Run("64math", func(b *testing.B) {
		for i := range b.N {
			sink64 = math.Pow(wide[i&1023], wide[(i+7)&1023])
		}
	})
}
