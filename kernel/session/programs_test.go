package session

// programs are Go cells. They run in processes of their own, this test's binary
// started again.
var programs = map[string]func(){
	"nothing": func() {},
}
