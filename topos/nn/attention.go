package nn

import "github.com/topos-notebook/topos/topos"

var scaledDotProduct = composition{
	op: "scaled_dot_product", operands: []string{"queries", "keys", "values", "scale", "mask"},
	fault: func(x []topos.Shape) string {
		queries, keys, values, scale, mask := x[0], x[1], x[2], x[3], x[4]
		switch {
		case queries.Rank() != 2 || keys.Rank() != 2 || values.Rank() != 2:
			return "queries, keys and values need two axes, [rows, features]"
		case queries[1] != keys[1]:
			return "queries and keys need the same number of features"
		case keys[0] != values[0]:
			return "keys and values need the same number of rows"
		case scale.Volume() != 1:
			return "the scale is one element"
		case !mask.Equal(topos.Shape{queries[0], keys[0]}):
			return "the mask is [rows of the queries, rows of the keys]"
		}
		return ""
	},
	record: func(x []topos.Trace) topos.Trace {
		scores := x[0].MatMul(x[1].Permute(1, 0))
		scaled := scores.Mul(x[3].BroadcastLike(scores))
		return scaled.Add(x[4]).Softmax(1).MatMul(x[2])
	},
}

// ScaledDotProduct is attention of one head (Vaswani and others 2017):
//
//	softmax(queries @ keys^T * scale + mask, 1) @ values
//
// Queries are [n, d], keys [m, d], values [m, e], the scale one element and the
// mask [n, m]; the answer is [n, e]. Heads, projections and caches are the
// caller's. It panics with a [*topos.Refusal] where the shapes do not fit.
func ScaledDotProduct(queries, keys, values, scale, mask topos.Trace) topos.Trace {
	return scaledDotProduct.over(queries, keys, values, scale, mask)
}

// CausalMask is the payload [extent, extent] that keeps each row from what comes
// after it: the fill above the diagonal, 0 elsewhere. A fill of -inf masks
// exactly. It panics with a [*topos.Refusal] for an extent below 1.
func CausalMask[T any](e topos.Element[T], extent int, fill T) *topos.Tensor[T] {
	if extent < 1 || extent > 1<<15 {
		topos.Refuse("causal_mask", []topos.Shape{{extent, extent}}, "causal_mask cannot make %v", topos.Shape{extent, extent})
	}
	data := make([]T, extent*extent)
	zero := e.FromFloat64(0)
	for i := range data {
		data[i] = zero
		if i%extent > i/extent {
			data[i] = fill
		}
	}
	return e.Tensor(topos.Shape{extent, extent}, data...)
}
