// Package verify runs a notebook again, in a fresh kernel, and compares what it
// shows with what the notebook says it showed: dumps byte for byte, values bit
// for bit, errors by what they say, cell by cell.
//
// What is compared are readings, which carry digests of their text and of their
// payloads' bits ([render.DocumentType]), and errors. Text that a program
// prints and pictures that it makes are its own: they are not compared.
package verify
