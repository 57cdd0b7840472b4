package render

import (
	"strings"
	"unicode"

	"github.com/topos-notebook/topos/topos"
)

// maxMatrix is the largest extent of a matrix that is typeset.
const maxMatrix = 8

// latex is the printed form of a reading, if there is one: the text of rows set
// verbatim, and small matrices.
func (v *view) latex(caption string) (string, bool) {
	if v.limits == scant {
		return "", false
	}
	switch v.Kind {
	case topos.SpecReading, topos.GradientReading, topos.ScheduleReading:
		if v.rowCount() > maxOpenRows {
			return "", false
		}
		return verbatim(caption, v.Text)
	case topos.ValuesReading, topos.TensorReading, topos.ParametersReading:
		return v.matrices()
	}
	return "", false
}

// verbatim sets text as it stands. Text that would end the environment, or that
// holds control characters, has no verbatim form.
func verbatim(caption, text string) (string, bool) {
	if strings.Contains(text, `\end{verbatim}`) || strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n'
	}) >= 0 {
		return "", false
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return "\\noindent\\texttt{" + escapeLaTeX(caption) + "}\n{\\footnotesize\n\\begin{verbatim}\n" + text + "\\end{verbatim}\n}\n", true
}

// matrices typesets payloads of at most two axes of at most maxMatrix.
func (v *view) matrices() (string, bool) {
	var b strings.Builder
	for _, p := range v.Payloads {
		body, ok := matrix(p)
		if !ok {
			return "", false
		}
		b.WriteString("\\[\n\\text{" + escapeLaTeX(payloadName(p)) + "} = " + body + "\n\\]\n")
	}
	return b.String(), b.Len() > 0
}

func matrix(p topos.PayloadReading) (string, bool) {
	if len(p.Shape) > 2 || !fills(p) {
		return "", false
	}
	across := 1
	for _, extent := range p.Shape {
		if extent > maxMatrix {
			return "", false
		}
		across = extent
	}
	if len(p.Shape) == 0 {
		return cellLaTeX(p.Cells[0]), true
	}
	var b strings.Builder
	b.WriteString("\\begin{bmatrix}\n")
	for i, cell := range p.Cells {
		b.WriteString(cellLaTeX(cell))
		switch {
		case i == len(p.Cells)-1:
			b.WriteString("\n")
		case (i+1)%across == 0:
			b.WriteString(" \\\\\n")
		default:
			b.WriteString(" & ")
		}
	}
	b.WriteString("\\end{bmatrix}")
	return b.String(), true
}

// cellLaTeX sets one printed number.
func cellLaTeX(text string) string {
	switch text {
	case "NaN":
		return "\\mathrm{NaN}"
	case "inf":
		return "\\infty"
	case "-inf":
		return "-\\infty"
	}
	return escapeLaTeX(text)
}

// escapeLaTeX makes text safe within a paragraph.
func escapeLaTeX(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '\\':
			b.WriteString("\\textbackslash{}")
		case '^':
			b.WriteString("\\textasciicircum{}")
		case '~':
			b.WriteString("\\textasciitilde{}")
		case '#', '$', '%', '&', '_', '{', '}':
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			if unicode.IsControl(r) {
				r = ' '
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
