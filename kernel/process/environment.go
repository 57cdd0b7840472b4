package process

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// settings are what the real go command says of itself.
type settings struct {
	GOROOT, GOPROXY string
}

func goSettings(realGo string) (settings, error) {
	var s settings
	text, err := exec.Command(realGo, "env", "-json", "GOROOT", "GOPROXY").Output()
	if err != nil {
		return s, fmt.Errorf("process: %s env: %w", realGo, err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("process: %s env: %w", realGo, err)
	}
	return s, nil
}

// Env returns what must be added to GoNB's environment, as NAME=value entries
// that replace those of the same name:
//
//   - PATH, with the shim's folder in front;
//   - TOPOS_LAUNCH, TOPOS_LAUNCH_STATE, TOPOS_GO, TOPOS_GOIMPORTS,
//     TOPOS_GOROOT: for the launcher and the shims;
//   - GOPROXY=off, so that no cell asks the network, and TOPOS_GOPROXY, the
//     user's own setting, under which the shim runs an explicit go get, go
//     install or run of a version, go mod download or tidy.
//
// What a build needs beyond that (GOGC, GOMEMLIMIT, -trimpath, -buildvcs,
// -ldflags) the shim sets for the build alone. TOPOS_SOURCE, the root of a
// local topos module that cells shall import, is the caller's to add.
func (s *Supervisor) Env() []string { return slices.Clone(s.environ) }

func environment(folder, realGo, realImports, socket string, from settings, base []string) []string {
	path := filepath.Join(folder, "bin")
	for _, entry := range base {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = filepath.Join(folder, "bin") + string(filepath.ListSeparator) + value
		}
	}
	return []string{
		"PATH=" + path,
		protocol.SocketVariable + "=" + socket,
		protocol.FolderVariable + "=" + folder,
		protocol.GoVariable + "=" + realGo,
		protocol.ImportsVariable + "=" + realImports,
		protocol.RootVariable + "=" + from.GOROOT,
		"GOPROXY=off",
		protocol.ProxyVariable + "=" + from.GOPROXY,
	}
}
