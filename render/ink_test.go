package render

import (
	"encoding/base64"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// luminance is the relative luminance of a colour, as WCAG 2 defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 24)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(channel uint64) float64 {
		c := float64(channel) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8&255) + 0.0722*linear(n&255)
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// grounds are the pages that a card is read on.
var grounds = []string{"#FFFFFF", "#1E1E1E", "#111111"}

// TestC79Contrast: every colour of the cards is legible on light and dark pages
// alike: marks at 3:1, labels on their plates at 4.5:1, and coloured words near
// the 4:1 that is the most one colour reaches on both.
func TestC79Contrast(t *testing.T) {
	marks := map[string]bool{greyInk: true, lightInk: true, blueInk: true, tealInk: true, redInk: true}
	labels := map[string]bool{labelInk: true, softInk: true}
	plates := map[string]bool{plateInk: true, skippedInk: true}
	for ink := range marks {
		for _, ground := range grounds {
			if c := contrast(t, ink, ground); c < 3 {
				t.Errorf("mark %s on %s: %.2f", ink, ground, c)
			}
		}
	}
	for ink := range labels {
		for plate := range plates {
			if c := contrast(t, ink, plate); c < 4.5 {
				t.Errorf("label %s on plate %s: %.2f", ink, plate, c)
			}
		}
	}
	words := map[string]bool{}
	colour := regexp.MustCompile(`#[0-9A-Fa-f]{6}\b`)
	for _, css := range append([]string{string(operationInk)}, inks()...) {
		for _, ink := range colour.FindAllString(css, -1) {
			words[ink] = true
			for _, ground := range grounds {
				if c := contrast(t, ink, ground); c < 3.8 {
					t.Errorf("word %s on %s: %.2f", ink, ground, c)
				}
			}
		}
	}
	image := regexp.MustCompile(`base64,([^"]*)"`)
	paint := regexp.MustCompile(`(?:fill|stroke)="([^"]*)"`)
	for name, r := range readings(t) {
		page := show(t, r, Options{}, HTMLType)
		for _, match := range image.FindAllStringSubmatch(page, -1) {
			data, err := base64.StdEncoding.DecodeString(match[1])
			if err != nil {
				t.Fatal(err)
			}
			for _, used := range paint.FindAllStringSubmatch(string(data), -1) {
				if ink := used[1]; ink != "none" && !marks[ink] && !labels[ink] && !plates[ink] {
					t.Errorf("%s: a picture uses %s, which is not checked", name, ink)
				}
			}
		}
		for _, style := range regexp.MustCompile(`style="[^"]*"`).FindAllString(page, -1) {
			for _, ink := range colour.FindAllString(style, -1) {
				if !marks[ink] && !words[ink] {
					t.Errorf("%s: the card uses %s, which is not checked", name, ink)
				}
			}
			if strings.Contains(style, "background") || strings.Contains(style, "var(") {
				t.Errorf("%s: the card sets a ground of its own: %s", name, style)
			}
		}
	}
}

func inks() []string {
	var list []string
	for _, css := range moduleInk {
		list = append(list, string(css))
	}
	return list
}

// TestC80WithoutStyle: with every style, id and class gone, as some previews
// have it, a card still says each number.
func TestC80WithoutStyle(t *testing.T) {
	attributes := regexp.MustCompile(` (style|id|class)="[^"]*"`)
	for _, r := range readings(t) {
		text, _, _ := lab.clean(t, attributes.ReplaceAllString(show(t, r, Options{}, HTMLType), ""))
		holdsNumbers(t, text, r)
	}
}
