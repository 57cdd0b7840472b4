// Package render turns a reading of a tape into a MIME bundle: the data of a
// Jupyter display message.
//
// It is a set of pure functions. Nothing here reads a file, a clock or a random
// source, and nothing is remembered between calls: the same reading with the
// same options gives the same bytes on every machine. Package render is not a
// place to compute anything about a tape; what a card shows is in the reading.
//
// A bundle always carries the reading's text, unchanged, as text/plain. The
// HTML card adds links, pictures and folding to that text and needs neither
// scripts nor a style sheet: it stays whole under JupyterLab's sanitizer, where
// pictures survive as images with a data URI and not as inline SVG.
package render
