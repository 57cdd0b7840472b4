package cells

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/topos-notebook/topos/cells/wire"
)

// SessionVariable names the environment variable with the address of the
// kernel's socket. Where it is unset there is no kernel.
const SessionVariable = "TOPOS_SESSION"

// conversation is the connection to the kernel, one question at a time.
type conversation struct {
	sync.Mutex
	socket *os.File
	folder string
	lease  uint64
	files  int
}

// dial gives the process's conversation, or nil where there is no kernel.
// The caller holds process's lock.
func dial() (*conversation, error) {
	if process.talk != nil {
		return process.talk, nil
	}
	address := os.Getenv(SessionVariable)
	if address == "" {
		return nil, nil
	}
	socket, err := connect(address)
	if err != nil {
		return nil, fmt.Errorf("the notebook's session cannot be reached: %w", err)
	}
	process.talk = &conversation{socket: socket, folder: filepath.Dir(address)}
	return process.talk, nil
}

func (c *conversation) path(name string) string { return filepath.Join(c.folder, name) }

// greet opens the conversation, for an element or, with "", to show only.
func (c *conversation) greet(element string) (*wire.Welcome, error) {
	m, err := c.ask(&wire.Hello{Version: wire.Version, Element: element})
	if err != nil {
		return nil, err
	}
	welcome, ok := m.(*wire.Welcome)
	if !ok {
		return nil, fmt.Errorf("the kernel answered with %T", m)
	}
	c.lease = welcome.Lease
	return welcome, nil
}

// ask sends a message and waits for its answer. A refusal is an error.
func (c *conversation) ask(m wire.Message) (wire.Message, error) {
	c.Lock()
	defer c.Unlock()
	err := wire.Send(c.socket, m)
	if err != nil {
		return nil, fmt.Errorf("the kernel has gone: %w", err)
	}
	answer, err := wire.Receive(c.socket)
	if err != nil {
		return nil, fmt.Errorf("the kernel has gone: %w", err)
	}
	if refused, ok := answer.(*wire.Refused); ok {
		return nil, errors.New(refused.Reason)
	}
	return answer, nil
}

func decimal(x int) string { return strconv.Itoa(x) }
