// Package cells is what a Go cell of a notebook imports to take part in the
// session: the tape that all cells share, names across cells, the session's
// parameters, and Show.
//
//	s := cells.Open(topos.F32)
//	h := s.Get("x").MatMul(s.Get("w")).Tanh()
//	s.Name("h", h)
//	cells.Show(s, h)
//
// What a cell records becomes part of the session when the cell has ended well,
// and is dropped otherwise. Parameters are kept by [Session.Keep], at once.
//
// The package works without a notebook too: where there is no kernel, each Open
// gives a private session, and Show prints.
//
// It imports the standard library's small packages only. A cell is compiled and
// linked each time it runs, and every package it links is part of that wait.
package cells
