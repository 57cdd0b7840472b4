// Package notebook reads Jupyter notebooks as they lie on disk (nbformat 4,
// https://nbformat.readthedocs.io): the cells, and what they have put out.
package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// largest is how many bytes a notebook may have.
const largest = 512 << 20

// Notebook is a notebook's cells.
type Notebook struct {
	Kernel string // the name of its kernelspec, "" without one
	Cells  []Cell // its code cells, in order
}

// Cell is a code cell.
type Cell struct {
	ID       string // "" in notebooks from before nbformat 4.5
	Source   string
	Executed bool // it has an execution count
	Count    int  // that, 0 without one
	Outputs  []Output
}

// Output is one output of a cell. Which fields it has depends on its type.
type Output struct {
	Type  string                     // stream, display_data, execute_result or error
	Data  map[string]json.RawMessage // of a display or a result, by MIME type
	Name  string                     // of a stream: stdout or stderr; of an error: its name
	Value string                     // of a stream: its text; of an error: what it says
}

// Text returns a text that the output shows under a MIME type.
func (o Output) Text(mime string) string {
	var text lines
	if json.Unmarshal(o.Data[mime], &text) != nil {
		return ""
	}
	return string(text)
}

// lines is a text that nbformat may write as a list of lines.
type lines string

// UnmarshalJSON takes a string or a list of strings.
func (l *lines) UnmarshalJSON(b []byte) error {
	var whole string
	if json.Unmarshal(b, &whole) == nil {
		*l = lines(whole)
		return nil
	}
	var parts []string
	if err := json.Unmarshal(b, &parts); err != nil {
		return errors.New("text is neither a string nor a list of strings")
	}
	*l = lines(strings.Join(parts, ""))
	return nil
}

// The parts of the format that are read.
type file struct {
	Major    int `json:"nbformat"`
	Metadata struct {
		Kernelspec struct {
			Name string `json:"name"`
		} `json:"kernelspec"`
	} `json:"metadata"`
	Cells []struct {
		Type    string       `json:"cell_type"`
		ID      string       `json:"id"`
		Source  lines        `json:"source"`
		Count   *int         `json:"execution_count"`
		Outputs []fileOutput `json:"outputs"`
	} `json:"cells"`
}

type fileOutput struct {
	Type       string                     `json:"output_type"`
	Data       map[string]json.RawMessage `json:"data"`
	Stream     string                     `json:"name"`
	Text       lines                      `json:"text"`
	ErrorName  string                     `json:"ename"`
	ErrorValue string                     `json:"evalue"`
}

// Read reads the notebook at a path. Its errors name the file.
func Read(path string) (*Notebook, error) {
	n, err := read(path)
	var file *os.PathError
	if errors.As(err, &file) { // which says what the system was asked besides
		err = fmt.Errorf("%s: %w", path, file.Err)
	}
	return n, err
}

func read(path string) (*Notebook, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > largest {
		return nil, fmt.Errorf("%s has %d bytes; a notebook of at most %d is read", path, info.Size(), largest)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s is no notebook that can be read: %w", path, err)
	}
	return n, nil
}

// worded says in the format's words, not in ours, what is of the wrong kind.
func worded(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	if wrong.Field == "" {
		return fmt.Errorf("it is JSON of another kind (%s), not an object", wrong.Value)
	}
	return fmt.Errorf("its %s at byte %d is of another kind (%s)", wrong.Field, wrong.Offset, wrong.Value)
}

// marks are what some editors put in front of a text, which Jupyter does not read
// either.
var marks = map[string]string{
	"\xef\xbb\xbf": "it begins with a byte order mark, which Jupyter does not read either: save it as UTF-8 without one",
	"\xff\xfe":     "it is UTF-16: save it as UTF-8",
	"\xfe\xff":     "it is UTF-16: save it as UTF-8",
}

// Parse reads the text of a notebook.
func Parse(b []byte) (*Notebook, error) {
	if len(b) == 0 {
		return nil, errors.New("it is empty")
	}
	for mark, what := range marks {
		if bytes.HasPrefix(b, []byte(mark)) {
			return nil, errors.New(what)
		}
	}
	var f file
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, worded(err)
	}
	if f.Major == 0 {
		return nil, errors.New("it is JSON of another kind: it says no nbformat")
	}
	if f.Major != 4 {
		return nil, fmt.Errorf("nbformat is %d, not 4", f.Major)
	}
	n := &Notebook{Kernel: f.Metadata.Kernelspec.Name}
	for _, c := range f.Cells {
		if c.Type != "code" {
			continue
		}
		cell := Cell{ID: c.ID, Source: string(c.Source), Executed: c.Count != nil}
		if c.Count != nil {
			cell.Count = *c.Count
		}
		for _, o := range c.Outputs {
			out := Output{Type: o.Type, Data: o.Data, Name: o.Stream, Value: string(o.Text)}
			if o.Type == "error" {
				out.Name, out.Value = o.ErrorName, o.ErrorValue
			}
			cell.Outputs = append(cell.Outputs, out)
		}
		n.Cells = append(n.Cells, cell)
	}
	return n, nil
}

// Shows reports whether any cell of the notebook has an output.
func (n *Notebook) Shows() bool {
	for _, c := range n.Cells {
		if len(c.Outputs) > 0 {
			return true
		}
	}
	return false
}
