// Package godoc says what stands under a cursor in a Go cell from the sources
// alone: documentation of the standard library, of our own module and of what the
// session's cells have declared. Nothing is run and nobody is asked, so that an
// answer takes tens of milliseconds at most, also before gopls has read what it
// reads first and while a cell runs.
//
// It knows no types. The answer is about a name that needs none: a package, what
// a package exports, a method or field behind the name of its type, a declaration
// of a cell, a predeclared identifier, a keyword. Of anything else it says nothing
// rather than something that may be wrong.
package godoc
