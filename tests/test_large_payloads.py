"""Parameters of some megabytes, which pass between kernel and Go cells through files, under a real client."""

import pathlib

import client

HEAD = client.GO_HEAD + """
func ramp(from float32) *Tensor[float32] {
	data := make([]float32, 1<<19)
	for i := range data {
		data[i] = from + float32(i%1000)
	}
	return F32.Tensor(Shape{512, 1024}, data...)
}
"""
RECORD = '%%\ns.Name("w", s.ParameterOf(ramp(1)))\n'
KEEP = """%%
if err := s.Keep(s.Parameters().Map(func(*Tensor[float32]) *Tensor[float32] { return ramp(2) })); err != nil {
	panic(err)
}
"""
CHECK = "%%\nfmt.Println(s.Parameters().Slot(0).Equal(ramp(2)), s.Payload(s.Get(\"w\")).Equal(ramp(1)))\n"


def mapped(kernel):
    """The payload files that the kernel has mapped."""
    lines = pathlib.Path(f"/proc/{kernel.manager.provisioner.pid}/maps").read_text().splitlines()
    return {line.split("/payload-")[1] for line in lines if "/payload-" in line}


def test_large_payloads_pass_and_outlive_a_killed_kernel(kernel):
    kernel.ok(HEAD)
    kernel.ok(RECORD)
    kernel.ok(KEEP)
    assert mapped(kernel), "nothing is mapped"
    shown = kernel.ok("%%tape\ntotal = sum(w)\n%values total\n").plain
    assert kernel.ok(CHECK).stream() == "true true\n"
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    kernel.ok("%session open previous")
    assert kernel.ok("%%tape\n%values total\n").plain == shown
    kernel.ok(HEAD)
    assert kernel.ok(CHECK).stream() == "true true\n"
