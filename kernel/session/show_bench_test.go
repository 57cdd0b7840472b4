package session

import (
	"context"
	"fmt"
	"testing"

	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/kernel/wire"
)

// sender is an Output that makes of each display what goes to the clients.
type sender struct {
	outputs
	bytes int
}

func (s *sender) Display(data, _ map[string]any) {
	m := wire.New("session", "display_data", nil, map[string]any{"data": data, "metadata": map[string]any{}, "transient": map[string]any{}})
	for _, frame := range m.Encode([]byte("0123456789abcdef")) {
		s.bytes += len(frame)
	}
}

// BenchmarkShow is a tape cell that replaces the tail and shows the tape, up to the
// frames of the display.
func BenchmarkShow(b *testing.B) {
	for _, nodes := range []int{10, 200, 480, 2000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			d := newDesk(b)
			d.Journal(newRoom(b).store, "k")
			d.tape("", "x = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}", "y = sum(x)")
			for n := 2; n < nodes-2; n += 2 {
				d.tape("", fmt.Sprintf("w%d = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}", n), fmt.Sprintf("y%d = sum(tanh(w%d))", n, n))
			}
			b.ReportAllocs()
			sent := 0
			for b.Loop() {
				out := &sender{}
				d.count++
				x, err := d.Begin(server.Cell{ID: "show", Count: d.count, Code: "%%tape\nz = x * x\n%spec", StoreHistory: true})
				if err == nil {
					err = x.Before(context.Background(), out)
				}
				if err == nil {
					err = x.Commit(out)
				}
				if err != nil {
					b.Fatal(err)
				}
				sent = out.bytes
			}
			b.ReportMetric(float64(sent), "sent-B")
		})
	}
}
