// Package magic reads what of a notebook cell is the kernel's own: tape cells,
// which begin with %%tape, and line magics such as %spec, in tape cells and
// around Go code. It works on text alone; whoever runs the cell does what is
// asked. The command line spells its options the same way.
package magic
