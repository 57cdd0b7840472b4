package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// Channel names one of the five sockets of a kernel.
type Channel string

// The channels of the protocol.
const (
	Shell     Channel = "shell"
	Control   Channel = "control"
	Stdin     Channel = "stdin"
	IOPub     Channel = "iopub"
	Heartbeat Channel = "heartbeat"
)

// Channels lists all channels.
var Channels = []Channel{Shell, Control, Stdin, IOPub, Heartbeat}

// Connection is what a connection file holds: where the five sockets are, and
// the key that signs messages.
type Connection struct {
	SignatureScheme string `json:"signature_scheme"`
	Transport       string `json:"transport"`
	IP              string `json:"ip"`
	ShellPort       int    `json:"shell_port"`
	ControlPort     int    `json:"control_port"`
	StdinPort       int    `json:"stdin_port"`
	IOPubPort       int    `json:"iopub_port"`
	HBPort          int    `json:"hb_port"`
	Key             string `json:"key"`
	KernelName      string `json:"kernel_name,omitempty"`
}

// ReadConnection reads and checks a connection file.
func ReadConnection(path string) (Connection, error) {
	var c Connection
	b, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("connection file: %w", err)
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("connection file %s: %w", path, err)
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("connection file %s: %w", path, err)
	}
	return c, nil
}

func (c Connection) check() error {
	if c.Key != "" && c.SignatureScheme != "hmac-sha256" {
		return fmt.Errorf("signature_scheme %q: only hmac-sha256 is known", c.SignatureScheme)
	}
	switch c.Transport {
	case "ipc":
		if c.IP == "" {
			return errors.New("ip: missing (the path of the sockets)")
		}
	case "tcp":
		for _, ch := range Channels {
			if p := c.port(ch); p < 1 || p > 65535 {
				return fmt.Errorf("%s port %d: out of range", ch, p)
			}
		}
		if net.ParseIP(c.IP) == nil && c.IP != "localhost" {
			return fmt.Errorf("ip %q: not an address", c.IP)
		}
	default:
		return fmt.Errorf("transport %q: only tcp and ipc are known", c.Transport)
	}
	return nil
}

// Write writes the connection file, readable by its owner alone.
func (c Connection) Write(path string) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o600)
}

func (c Connection) port(ch Channel) int {
	switch ch {
	case Shell:
		return c.ShellPort
	case Control:
		return c.ControlPort
	case Stdin:
		return c.StdinPort
	case IOPub:
		return c.IOPubPort
	default:
		return c.HBPort
	}
}

// Endpoint returns the address of a channel as ZeroMQ writes it.
func (c Connection) Endpoint(ch Channel) string {
	return c.endpoint(ch, c.Transport)
}

func (c Connection) endpoint(ch Channel, transport string) string {
	if c.Transport == "ipc" {
		return fmt.Sprintf("%s://%s-%d", transport, c.IP, c.port(ch))
	}
	return transport + "://" + net.JoinHostPort(c.IP, fmt.Sprint(c.port(ch)))
}

// LocalConnection returns a connection over unix sockets in the folder, with a
// fresh key. It is an error when the folder's path is too long for a socket.
func LocalConnection(folder string) (Connection, error) {
	c := Connection{SignatureScheme: "hmac-sha256", Transport: "ipc", IP: filepath.Join(folder, "g"),
		ShellPort: 1, ControlPort: 2, StdinPort: 3, IOPubPort: 4, HBPort: 5, Key: NewID() + NewID()}
	if len(c.IP)+2 > maxSocketPath {
		return c, fmt.Errorf("folder %s: path too long for a unix socket", folder)
	}
	return c, nil
}

// maxSocketPath is the shortest limit of the systems we run on (macOS: 104 with
// the closing zero byte).
const maxSocketPath = 103
