package gonb

import "strings"

// GoNB's scripts for widgets look for the Jupyter server at the root of the
// page's host, without encryption. Behind a hub it has a base of its own, which
// the page names, and often https.
const (
	rootAddress = `"ws://" + document.location.host + "/api/kernels/`
	pageAddress = `(document.location.protocol === "https:" ? "wss://" : "ws://") + document.location.host + ` +
		`(JSON.parse(document.getElementById("jupyter-config-data")?.textContent || "{}").baseUrl || "/").replace(/\/*$/, "/") + "api/kernels/`
)

// MendPage corrects, in a MIME bundle, the address at which GoNB's scripts look
// for the kernel.
func MendPage(data map[string]any) {
	for kind, value := range data {
		if text, ok := value.(string); ok && strings.Contains(text, rootAddress) {
			data[kind] = strings.ReplaceAll(text, rootAddress, pageAddress)
		}
	}
}
