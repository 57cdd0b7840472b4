package gonb

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGonbScriptsHaveTheAddressToMend looks into the pinned GoNB, so that a newer
// one that asks otherwise is noticed.
func TestGonbScriptsHaveTheAddressToMend(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/janpfeifer/gonb").Output()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "internal/websocket/websocket.js"))
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]any{"text/html": "<script>" + string(script) + "</script>", "application/json": 1}
	MendPage(data)
	page := data["text/html"].(string)
	if strings.Contains(page, rootAddress) || !strings.Contains(page, pageAddress) {
		t.Error("the address is left as it was")
	}
}

// TestMendedAddress evaluates the address as a page would.
func TestMendedAddress(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to run a script with")
	}
	for _, c := range []struct{ protocol, config, want string }{
		{"http:", "null", "ws://host:1/api/kernels/k/channels"},
		{"https:", "null", "wss://host:1/api/kernels/k/channels"},
		{"https:", `{textContent: '{"baseUrl": "/user/me/"}'}`, "wss://host:1/user/me/api/kernels/k/channels"},
		{"http:", `{textContent: '{"baseUrl": "/"}'}`, "ws://host:1/api/kernels/k/channels"},
		{"http:", `{textContent: '{"baseUrl": "/lab"}'}`, "ws://host:1/lab/api/kernels/k/channels"},
	} {
		data := map[string]any{"text/javascript": rootAddress + `k/channels"`}
		MendPage(data)
		script := "const document = {location: {protocol: '" + c.protocol + "', host: 'host:1'}, getElementById: () => (" + c.config + ")};\n" +
			"process.stdout.write(" + data["text/javascript"].(string) + ")"
		out, err := exec.Command(node, "-e", script).CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%s, %s: %s, %v; want %s", c.protocol, c.config, out, err, c.want)
		}
	}
}
