// Package protocol is what the launcher (package kernel/launch) and the
// supervisor (package kernel/process) say to each other over a unix socket.
// It is not a public format: both ends come from the same build.
//
// A conversation is one connection for one process. The launcher says Hello,
// the supervisor answers with an Order, the launcher reports with Notes while
// the process runs, the supervisor may send further Orders. Every message is
// one line of JSON.
package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// The environment variables through which the launcher is told what it needs.
const (
	SocketVariable  = "TOPOS_LAUNCH"       // path of the supervisor's socket
	GoVariable      = "TOPOS_GO"           // absolute path of the real go command
	ImportsVariable = "TOPOS_GOIMPORTS"    // absolute path of the real goimports, where there is one
	RootVariable    = "TOPOS_GOROOT"       // GOROOT of the real go command
	ProxyVariable   = "TOPOS_GOPROXY"      // GOPROXY for what the user asks to be fetched
	SourceVariable  = "TOPOS_SOURCE"       // root of the module that cells import, a local folder
	FolderVariable  = "TOPOS_LAUNCH_STATE" // private folder in which the launcher may keep notes
)

// WorkVariable names GoNB's folder of generated code, which GoNB sets itself.
const WorkVariable = "GONB_TMP_DIR"

// CellSuffix is appended to the path of a cell's binary to name the program
// itself: the path alone names the launcher.
const CellSuffix = ".cell"

// CommandName is the name under which the launcher stands in for the shell of a
// command or script that GoNB runs itself. Under any other it is a cell's program.
const CommandName = "command"

// ImportsName is the name under which the launcher stands in for goimports.
const ImportsName = "goimports"

// MaxLine bounds one message, in bytes.
const MaxLine = 1 << 20

// MaxText bounds Note.Text, in bytes: compilers stop long before.
const MaxText = 64 << 10

// Step says what a process is for the cell.
type Step string

// The steps of a cell.
const (
	InitStep    Step = "init"    // go mod init, when the session's module is made
	ImportsStep Step = "imports" // goimports of the cell
	GetStep     Step = "get"     // go get without arguments: what the cell imports
	BuildStep   Step = "build"   // go build or go test -c of the cell
	OtherStep   Step = "other"   // another go command in the module's folder
	RunStep     Step = "run"     // the cell's program
)

// Replaces says whether the step's real program takes the launcher's place, in a
// process group of its own: it keeps the connection open until it ends, obeys no
// order and sends no note.
func (s Step) Replaces() bool { return s == ImportsStep }

// Hello is the launcher's first message.
type Hello struct {
	Step    Step   `json:"step"`
	Command bool   `json:"command,omitempty"` // with RunStep: a shell command, not the cell's program
	Pid     int    `json:"pid"`
	Work    string `json:"work,omitempty"` // folder of the generated code
}

// Order is what the supervisor asks for. Exactly one field is set, but for
// those that come with Run: Pipes says that the write ends of two pipes (stdout,
// stderr) are attached to the message, Input that the read end of one for stdin
// follows them, Mute that stdin is to be empty.
type Order struct {
	Run    bool `json:"run,omitempty"`
	Pipes  bool `json:"pipes,omitempty"`
	Input  bool `json:"input,omitempty"`
	Mute   bool `json:"mute,omitempty"`
	Refuse bool `json:"refuse,omitempty"` // do not start: the cell was interrupted
	Signal int  `json:"signal,omitempty"` // send to the process group
}

// Note is what the launcher reports: Started alone, later Ended with the rest.
type Note struct {
	Started int    `json:"started,omitempty"` // pid of the process, also its group
	Ended   bool   `json:"ended,omitempty"`
	Exit    int    `json:"exit,omitempty"`    // exit code; -1 after a signal
	Signal  int    `json:"signal,omitempty"`  // the signal that ended it
	Failure string `json:"failure,omitempty"` // why it could not be started
	Text    string `json:"text,omitempty"`    // of a failed go command: what it wrote to stderr
}

// Encode returns message as one line.
func Encode(message any) ([]byte, error) {
	line, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	return append(line, '\n'), nil
}

// Decode reads one line into a Hello, Order or Note.
func Decode(line []byte, message any) error {
	if len(line) > MaxLine {
		return fmt.Errorf("message of %d bytes is longer than %d", len(line), MaxLine)
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return errors.New("empty message")
	}
	return json.Unmarshal(line, message)
}
