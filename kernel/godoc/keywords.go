package godoc

// specification is the page that defines the language.
const specification = "https://go.dev/ref/spec"

// keyword is what a keyword is for, with its section of the specification.
type keyword struct{ form, says, section string }

var keywords = map[string]keyword{
	"break":       {"break [Label]", "Ends the innermost for, switch or select, or the one with the label.", "Break_statements"},
	"case":        {"case x, y:", "A branch of a switch or a select.", "Switch_statements"},
	"chan":        {"chan T, chan<- T, <-chan T", "The type of a channel of T: both ways, for sending, for receiving.", "Channel_types"},
	"const":       {"const Name = value", "Declares constants; within a group, iota counts the lines.", "Constant_declarations"},
	"continue":    {"continue [Label]", "Begins the next round of the innermost for, or of the one with the label.", "Continue_statements"},
	"default":     {"default:", "The branch of a switch or a select that is taken when no other is.", "Switch_statements"},
	"defer":       {"defer f(x)", "Calls a function when the surrounding one returns or panics; its arguments are evaluated at once.", "Defer_statements"},
	"else":        {"if condition { } else { }", "What runs when the condition of an if is false.", "If_statements"},
	"fallthrough": {"fallthrough", "At the end of a case of a switch: goes on with the next one.", "Fallthrough_statements"},
	"for":         {"for condition { }, for i := 0; i < n; i++ { }, for i, x := range xs { }", "Repeats a block: while a condition holds, with a counter, or over what a range yields.", "For_statements"},
	"func":        {"func name(x T) R { }", "Declares a function or a method, or is a function without a name.", "Function_declarations"},
	"go":          {"go f(x)", "Runs a call in a goroutine of its own.", "Go_statements"},
	"goto":        {"goto Label", "Goes on at the label within the same function.", "Goto_statements"},
	"if":          {"if x := f(); condition { } else { }", "Runs a block when a condition is true; a short statement may come first.", "If_statements"},
	"import":      {"import \"path\", import name \"path\", import . \"path\"", "Makes what a package exports usable, behind its name, another name, or none.", "Import_declarations"},
	"interface":   {"interface { Method() }", "The type of every value that has these methods; as a constraint, a set of types.", "Interface_types"},
	"map":         {"map[K]V", "The type of a table from keys to values.", "Map_types"},
	"package":     {"package name", "Names the package of a file; a cell has none.", "Package_clause"},
	"range":       {"for i, x := range xs { }", "Yields what is in a slice, array, map, string or channel, the numbers below an integer, or what a function yields.", "For_range"},
	"return":      {"return x, y", "Ends a function, with its results.", "Return_statements"},
	"select":      {"select { case x := <-c: default: }", "Waits for one of several sends and receives.", "Select_statements"},
	"struct":      {"struct { Name T }", "The type of a record of named fields.", "Struct_types"},
	"switch":      {"switch x { case 1: default: }, switch v := x.(type) { }", "Takes the first case that is equal or true; with .(type), that has the type.", "Switch_statements"},
	"type":        {"type Name T, type Name = T", "Declares a type of its own, or another name for one.", "Type_declarations"},
	"var":         {"var x T = value", "Declares variables.", "Variable_declarations"},
}

func (k keyword) answer() Answer {
	address := specification + "#" + k.section
	return joined(k.form, k.says+"\n\n["+address+"]("+address+")", k.says+"\n"+address)
}
