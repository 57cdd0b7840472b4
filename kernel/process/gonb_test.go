package process_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/topos-notebook/topos/kernel/internal/built"
)

// patience bounds every wait of these tests: a bound for liveness, no more.
const patience = 60 * time.Second

// gonb is a GoNB process and just enough of a Jupyter client to run cells.
type gonb struct {
	t       testing.TB
	cmd     *exec.Cmd
	key     []byte
	shell   zmq4.Socket
	control zmq4.Socket
	iopub   zmq4.Socket
	log     bytes.Buffer
	count   int
	heard   chan heard
}

// heard is a message of the iopub channel.
type heard struct {
	kind, parent string
	content      map[string]any
}

// startGonb starts the pinned GoNB under an environment, or skips the test.
func startGonb(t testing.TB, environ []string) *gonb {
	t.Helper()
	bin := built.Tools(t, "gonb", "goimports")
	g := &gonb{t: t, key: []byte("key of a test"), heard: make(chan heard, 10000)}
	ports := freePorts(t, 5)
	connection := map[string]any{
		"transport": "tcp", "ip": "127.0.0.1", "key": string(g.key), "signature_scheme": "hmac-sha256",
		"shell_port": ports[0], "control_port": ports[1], "stdin_port": ports[2], "iopub_port": ports[3], "hb_port": ports[4],
	}
	text, err := json.Marshal(connection)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kernel-test.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	g.cmd = exec.Command(filepath.Join(bin, "gonb"), "--kernel", file, "--logtostderr", "--raw_error")
	g.cmd.Env = withTools(environ, bin)
	g.cmd.Dir = t.TempDir()
	g.cmd.Stderr = &g.log
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.stop)
	g.connect(ports)
	return g
}

var toolsFolder = filepath.Join(os.TempDir(), fmt.Sprintf("topos-tools-%d", os.Getpid()))

// withTools puts the folder of goimports behind the first entry of PATH, which
// is the shim's where there is one, and leaves gopls out: no test needs it.
func withTools(environ []string, bin string) []string {
	os.MkdirAll(toolsFolder, 0o700)
	os.Symlink(filepath.Join(bin, "goimports"), filepath.Join(toolsFolder, "goimports"))
	var out []string
	for _, entry := range environ {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			first, rest, _ := strings.Cut(path, ":")
			entry = "PATH=" + first + ":" + toolsFolder + ":" + rest
		}
		out = append(out, entry)
	}
	return out
}

func freePorts(t testing.TB, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

func (g *gonb) connect(ports []int) {
	g.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	g.t.Cleanup(cancel)
	retry := []zmq4.Option{zmq4.WithDialerRetry(20 * time.Millisecond), zmq4.WithDialerMaxRetries(1000)}
	dealer := append([]zmq4.Option{zmq4.WithID(zmq4.SocketIdentity("tester"))}, retry...)
	g.shell, g.control = zmq4.NewDealer(ctx, dealer...), zmq4.NewDealer(ctx, dealer...)
	g.iopub = zmq4.NewSub(ctx, retry...)
	for socket, port := range map[zmq4.Socket]int{g.shell: ports[0], g.control: ports[1], g.iopub: ports[3]} {
		if err := socket.Dial(fmt.Sprintf("tcp://127.0.0.1:%d", port)); err != nil {
			g.t.Fatalf("gonb does not answer: %v\n%s", err, g.log.String())
		}
	}
	if err := g.iopub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		g.t.Fatal(err)
	}
	go g.listen()
	// The subscription takes hold some time after; until a message arrives,
	// ask again.
	limit := time.After(patience)
	for {
		g.send(g.shell, "kernel_info_request", map[string]any{})
		select {
		case <-g.heard:
			return
		case <-time.After(50 * time.Millisecond):
		case <-limit:
			g.t.Fatalf("gonb publishes nothing\n%s", g.log.String())
		}
	}
}

func (g *gonb) listen() {
	for {
		m, err := g.iopub.Recv()
		if err != nil {
			return
		}
		for i, f := range m.Frames {
			if string(f) != "<IDS|MSG>" || len(m.Frames) < i+6 {
				continue
			}
			var header, parent struct {
				ID   string `json:"msg_id"`
				Type string `json:"msg_type"`
			}
			h := heard{}
			json.Unmarshal(m.Frames[i+2], &header)
			json.Unmarshal(m.Frames[i+3], &parent)
			json.Unmarshal(m.Frames[i+5], &h.content)
			h.kind, h.parent = header.Type, parent.ID
			g.heard <- h
		}
	}
}

func (g *gonb) send(socket zmq4.Socket, kind string, content map[string]any) string {
	g.t.Helper()
	g.count++
	id := fmt.Sprintf("test-%d", g.count)
	header, _ := json.Marshal(map[string]any{
		"msg_id": id, "session": "test", "username": "test", "msg_type": kind, "version": "5.4",
		"date": "2024-01-01T00:00:00Z",
	})
	body, _ := json.Marshal(content)
	parts := [][]byte{header, []byte("{}"), []byte("{}"), body}
	sum := hmac.New(sha256.New, g.key)
	for _, p := range parts {
		sum.Write(p)
	}
	frames := append([][]byte{[]byte("<IDS|MSG>"), []byte(hex.EncodeToString(sum.Sum(nil)))}, parts...)
	if err := socket.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		g.t.Fatal(err)
	}
	return id
}

// request sends a cell.
func (g *gonb) request(code string) string {
	return g.send(g.shell, "execute_request", map[string]any{
		"code": code, "silent": false, "store_history": true, "allow_stdin": false,
		"stop_on_error": true, "user_expressions": map[string]any{},
	})
}

// await returns what GoNB published for a cell until it was idle.
func (g *gonb) await(id string) []heard {
	g.t.Helper()
	limit := time.After(patience)
	var all []heard
	for {
		select {
		case h := <-g.heard:
			if h.parent != id {
				continue
			}
			if h.kind == "status" && h.content["execution_state"] == "idle" {
				return all
			}
			all = append(all, h)
		case <-limit:
			g.t.Fatalf("gonb does not become idle; it published %v\n%s", all, g.log.String())
		}
	}
}

func (g *gonb) stop() {
	syscall.Kill(g.cmd.Process.Pid, syscall.SIGTERM)
	done := make(chan struct{})
	go func() { g.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
		<-done
	}
}
