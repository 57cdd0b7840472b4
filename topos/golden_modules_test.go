package topos_test

import (
	"encoding/json"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/nn"
)

// graphSources record parameters, inputs and leaves, whose payloads no dump
// shows.
type graphSources struct{ parameter, input, leaf func(Shape) Trace }

// modules are the graphs of the golden data that facades record.
var modules = map[string]func(s graphSources){
	"mlp_facade": func(s graphSources) {
		mlp := nn.NewMlp(draw(s.parameter), nn.Tanh, 2, 4, 1)
		x, y := s.input(Shape{3, 2}), s.input(Shape{3, 1})
		off := mlp.Express(x).Sub(y)
		off.Mul(off).MeanAlong(0).Sum()
	},
	"mlp_cross_entropy": func(s graphSources) {
		mlp := nn.NewMlp(draw(s.parameter), nn.Relu, 3, 5, 4)
		x, y := s.input(Shape{4, 3}), s.input(Shape{4, 4})
		logits := mlp.Express(x)
		nn.CrossEntropy(logits, y)
		logits.Softmax(1)
	},
	"conv_s1p0": func(s graphSources) { convolutional(s, 0, 8) },
	"conv_s1p1": func(s graphSources) { convolutional(s, 1, 18) },
	"batch_norm_training": func(s graphSources) {
		linear := nn.NewLinear(s.parameter(Shape{2, 3}), s.parameter(Shape{3}))
		norm := nn.NewBatchNorm(s.parameter(Shape{3}), s.parameter(Shape{3}), s.leaf(nil))
		y, _, _ := norm.Training(linear.Express(s.input(Shape{4, 2})))
		h := y.Tanh()
		h.Mul(h).Sum()
	},
	"batch_norm_inference": func(s graphSources) {
		norm := nn.NewBatchNorm(s.parameter(Shape{3}), s.parameter(Shape{3}), s.leaf(nil))
		x, mean, variance := s.input(Shape{4, 3}), s.input(Shape{3}), s.input(Shape{3})
		norm.Inference(x, mean, variance).Sum()
	},
	"layer_norm": func(s graphSources) {
		norm := nn.NewLayerNorm(s.parameter(Shape{4}), s.parameter(Shape{4}), s.leaf(nil))
		y := norm.Express(s.parameter(Shape{3, 4}))
		y.Mul(y).Sum()
	},
	"embedding": func(s graphSources) {
		weights := s.parameter(Shape{5, 3})
		rows := nn.NewEmbedding(weights).Express(s.input(Shape{4, 5}))
		logits := rows.MatMul(weights.Transpose())
		nn.CrossEntropy(logits, s.input(Shape{4, 5}))
	},
	"attention_causal": func(s graphSources) {
		x := s.input(Shape{4, 4})
		wq, wk, wv, wo := s.parameter(Shape{4, 2}), s.parameter(Shape{4, 2}), s.parameter(Shape{4, 2}), s.parameter(Shape{2, 4})
		mask, scale := s.leaf(Shape{4, 4}), s.leaf(nil)
		y := x.Add(nn.ScaledDotProduct(x.MatMul(wq), x.MatMul(wk), x.MatMul(wv), scale, mask).MatMul(wo))
		y.Mul(y).Sum()
	},
	"dropout": func(s graphSources) {
		linear := nn.NewLinear(s.parameter(Shape{2, 3}), s.parameter(Shape{3}))
		x, dropout := s.input(Shape{2, 2}), nn.NewDropout(s.input(Shape{2, 3}))
		y := dropout.Express(linear.Express(x))
		y.Mul(y).Sum()
	},
}

// convolutional is a convolution, a pooling and a linear layer.
func convolutional(s graphSources, padding, features int) {
	conv := nn.NewConv2d(s.parameter(Shape{2, 1, 3, 3}), s.parameter(Shape{2}), 1, padding)
	pool := nn.Stage("pool", func(x Trace) Trace { return nn.MaxPool(x, 2, 2) })
	rows := nn.Sequential{conv, nn.Relu, pool, nn.Stage("flatten", nn.Flatten)}.Express(s.input(Shape{2, 1, 6, 6}))
	linear := nn.NewLinear(s.parameter(Shape{features, 3}), s.parameter(Shape{3}))
	logits := linear.Express(rows)
	nn.CrossEntropy(logits, s.input(Shape{2, 3}))
}

// TestGoldenModules records the graphs of facades by them, and no others; the
// graphs' own suite compares all that follows from the nodes.
func TestGoldenModules(t *testing.T) {
	s := goldenSuite{T: t, name: "modules"}
	for _, raw := range goldenFile[goldenDumps](t, "dumps.json").Graphs {
		var named struct{ Name, Element, About string }
		if err := json.Unmarshal(raw, &named); err != nil {
			t.Fatal(err)
		}
		record, ok := modules[named.Name]
		if !ok && !strings.Contains(named.About, "facade") {
			continue
		}
		s.row(named.Name+"/"+named.Element, func(t *testing.T) {
			if !ok {
				t.Fatalf("the suite does not know the facades of %s: %s", named.Name, named.About)
			}
			c := understood[graphCase](t, raw)
			tape := New(F64)
			record(graphSources{
				func(shape Shape) Trace { return tape.Parameter(shape, 1) },
				func(shape Shape) Trace { return tape.Input(shape, 1) },
				func(shape Shape) Trace { return tape.Leaf(shape, 1) },
			})
			same(t, "spec", tape.Describe(), c.Spec)
		})
	}
	s.ended()
}
