package session

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/topos-notebook/topos/cells"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/f16"
	"github.com/topos-notebook/topos/topos/optim"
)

// programs are Go cells. They run in processes of their own, this test's binary
// started again.
var programs = map[string]func(){
	"nothing": func() {},
	"record": func() {
		s := cells.Open(topos.F32)
		w := s.Parameter(topos.Shape{2, 2}, 0.5, -0.25, 0.25, 0.4)
		x := s.Input(topos.Shape{1, 2}, 1, 2)
		h := x.MatMul(w).Tanh()
		s.Name("weights", w)
		s.Name("input", x)
		s.Name("hidden", h)
		cells.Show(s)
	},
	"square": func() {
		s := cells.Open(topos.F32)
		h := s.Get("hidden")
		s.Name("loss", h.Mul(h).Sum())
	},
	"double h": func() {
		s := cells.Open(topos.F32)
		h := s.Get("h")
		s.Name("doubled", h.Add(h))
	},
	"square and show": func() {
		s := cells.Open(topos.F32)
		h := s.Get("hidden")
		s.Name("loss", h.Mul(h).Sum())
		cells.Show(s)
	},
	"derive": func() {
		s := cells.Open(topos.F32)
		a := s.Differentiate(s.Get("loss"), s.Get("weights"))
		plan := topos.Must(s.View().Entry(a.Roots()...).Lower())
		cells.Show(s.Gradient(a), topos.Must(plan.Forward(s.Parameters())))
	},
	"optimize by sgd":   func() { optimize(optim.Sgd[float32]{}) },
	"optimize by adam":  func() { optimize(optim.DefaultAdam(topos.F32)) },
	"optimize by adamw": func() { optimize(optim.DefaultAdamW(topos.F32)) },
	"train": func() {
		s := cells.Open(topos.F32)
		p := s.Parameters()
		p = p.Map(func(t *topos.Tensor[float32]) *topos.Tensor[float32] { return t.Filled(7) })
		if err := s.Keep(p); err != nil {
			panic(err)
		}
		cells.Show(s.Parameters())
	},
	"train and fail": func() {
		s := cells.Open(topos.F32)
		own := s.Parameter(nil, 1)
		s.Name("own", own)
		if err := s.Keep(s.Parameters().Map(func(t *topos.Tensor[float32]) *topos.Tensor[float32] { return t.Filled(8) })); err != nil {
			panic(err)
		}
		os.Exit(3)
	},
	"train its own": func() {
		s := cells.Open(topos.F32)
		own := s.Parameter(nil, 1)
		s.Name("own", own)
		if s.Parameters().Of(own).Scalar() != 1 {
			fmt.Println("resumed with", s.Parameters().Of(own))
			return
		}
		if err := s.Keep(s.Parameters().With(own, topos.F32.Tensor(nil, 9))); err != nil {
			panic(err)
		}
	},
	"two of a name": func() { twoOfAName(); os.Exit(0) },
	"two of a name and fail": func() {
		s := twoOfAName()
		keep(s, s.Parameters().Map(func(t *topos.Tensor[float32]) *topos.Tensor[float32] { return t.Filled(35) }))
		os.Exit(3)
	},
	"train its own and fail": func() {
		s := cells.Open(topos.F32)
		own, other := s.Parameter(nil, 1), s.Parameter(nil, 1)
		s.Name("own", own)
		s.Name("other", other)
		kept := s.Parameters().With(own, topos.F32.Tensor(nil, 11)).With(other, topos.F32.Tensor(nil, 12))
		if err := s.Keep(kept); err != nil {
			panic(err)
		}
		os.Exit(3)
	},
	"seal": func() {
		s := cells.Open(topos.F32)
		net := s.Seal()
		fmt.Println(net.Len(), s.Keep(net.Parameters().Scale(2)))
	},
	"panic halfway": func() {
		s := cells.Open(topos.F32)
		x := s.Leaf(nil, 1)
		for range 20_000 {
			x = x.Neg()
		}
		panic("halfway")
	},
	"a million": func() {
		s := cells.Open(topos.F32)
		x := s.Leaf(nil, 1)
		for range 1_000_000 - 1 {
			x = x.Neg()
		}
		s.Name("deep", x)
	},
	"record for ever": func() {
		s := cells.Open(topos.F32)
		x := s.Leaf(nil, 1)
		for i := 0; ; i++ {
			x = x.Neg()
			if i == 10_000 {
				fmt.Println("recording")
			}
		}
	},
	"another element": func() { cells.Open(topos.F64) },
	"f64": func() {
		s := cells.Open(topos.F64)
		s.Name("x", s.Leaf(nil, 0.1))
		cells.Show(s.Get("x"))
	},
	"its own number": func() { cells.Open(topos.Own[whole]("whole")) },
	"show its own number": func() {
		private := topos.New(topos.Own[whole]("whole"))
		x := private.Parameter(topos.Shape{2}, 3, 4)
		y := x.Mul(x).Sum()
		view := private.View()
		cells.Show(private, topos.Must(topos.Must(view.Entry(y).Lower()).Forward(view.Parameters())))
	},
	"bf16": func() { narrow(topos.BF16) },
	"f16":  func() { narrow(f16.F16) },
	"show only": func() {
		private := topos.New(topos.F64)
		private.Leaf(nil, 1)
		cells.Show(private, "text")
	},
	"show much": func() {
		s := cells.Open(topos.F32)
		for i := range 3 {
			cells.Show(s, "line "+strconv.Itoa(i))
		}
	},
	"cut": func() {
		s := cells.Open(topos.F32)
		s.Leaf(nil, 1)
		s.Cut(0)
		s.Leaf(nil, 2)
	},
	"foreign name": func() {
		s := cells.Open(topos.F32)
		s.Name("foreign", topos.New(topos.F32).Leaf(nil, 1))
	},
	"open twice": func() {
		s, again := cells.Open(topos.F32), cells.Open(topos.F32)
		s.Name("x", again.Leaf(nil, 1))
	},
	"two processes": func() {
		cells.Open(topos.F32)
		child("nothing but open")
	},
	"child opens": func() { child("nothing but open") },
	"nothing but open": func() {
		s := cells.Open(topos.F32)
		s.Name("x", s.Leaf(nil, 1))
	},
	// Stays after its cell: tells when it is open, waits for a line, then goes
	// on as its argument says.
	"linger": func() {
		s := cells.Open(topos.F32)
		x := s.Leaf(nil, 1)
		fmt.Println("open")
		fmt.Scanln()
		switch os.Getenv("LINGER") {
		case "record":
			x.Neg()
		case "show":
			cells.Show(s)
		case "keep":
			s.Parameter(nil, 1)
		}
	},
	// Leaves a process behind that outlives it and its cell.
	"leave behind": func() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), programVariable+"=late parent")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
	},
	"late parent": func() {
		fmt.Println("started")
		fmt.Scanln()
		child("nothing but open")
	},
}

// child runs another program as a process of this one.
func child(program string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programVariable+"="+program)
	out, err := cmd.CombinedOutput()
	os.Stdout.Write(out)
	if err != nil {
		os.Exit(1)
	}
}

// narrow goes on from a parameter, records another and keeps both.
func narrow[T any](e topos.Element[T]) {
	s := cells.Open(e)
	b := s.Parameter(topos.Shape{2}, e.FromFloat64(0.1))
	s.Name("b", b)
	s.Name("y", s.Get("w").Mul(b).Sin())
	err := s.Keep(s.Parameters().Map(func(t *topos.Tensor[T]) *topos.Tensor[T] { return t.Add(t) }))
	if err != nil {
		panic(err)
	}
	cells.Show(s.Parameters())
}

// whole is a number of a program's own.
type whole int64

func (a whole) Add(b whole) whole   { return a + b }
func (a whole) Sub(b whole) whole   { return a - b }
func (a whole) Mul(b whole) whole   { return whole(a * b) }
func (a whole) Neg() whole          { return -a }
func (whole) FromInt(x int64) whole { return whole(x) }
func (a whole) String() string      { return strconv.FormatInt(int64(a), 10) }

// optimize is the loop that a Go cell writes.
func optimize(by optim.Optimizer[float32]) {
	s := cells.Open(topos.F32)
	loss := s.Get("loss")
	a := s.Differentiate(loss, s.Get("w"), s.Get("b"), s.Get("v"))
	plan := topos.Must(s.View().Entry(a.Roots()...).Lower())
	p := s.Parameters()
	for range 30 {
		run := topos.Must(plan.Forward(p))
		p = by.Step(p, run.RecordedGradients(a), 0.1)
	}
	if err := s.Keep(p); err != nil {
		panic(err)
	}
}

// twoOfAName records two parameters under one name, and trains them the first time.
func twoOfAName() *cells.Session[float32] {
	s := cells.Open(topos.F32)
	initial := s.Parameters().Len()
	var all []topos.Value[float32]
	for i := range 2 {
		p := s.Parameter(topos.Shape{2}, float32(i), 1)
		s.Name("p", p)
		all = append(all, p)
	}
	if initial > 0 && s.Parameters().Of(all[0]).Data()[0] == 0 {
		keep(s, s.Parameters().With(all[0], topos.F32.Tensor(topos.Shape{2}, 7, 8)).With(all[1], topos.F32.Tensor(topos.Shape{2}, 9, 10)))
	}
	return s
}

func keep(s *cells.Session[float32], p *topos.Parameters[float32]) {
	if err := s.Keep(p); err != nil {
		panic(err)
	}
}
