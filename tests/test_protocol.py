"""jupyter_kernel_test's own suite against the kernel, with Go and tape cells."""

import jupyter_kernel_test


class Protocol(jupyter_kernel_test.KernelTests):
    """The messages every Jupyter kernel must answer."""

    kernel_name = "topos"
    language_name = "go"
    file_extension = ".go"
    code_hello_world = '%%\nfmt.Println("hello, world")'
    code_stderr = '%%\nfmt.Fprintln(os.Stderr, "trouble")'
    code_generate_error = '%%\npanic("trouble")'
    code_inspect_sample = "%%tape\nw = tanh"
    completion_samples = [{"text": "%%tape\nw = param", "matches": {"parameter"}}]
    complete_code_samples = ["%%tape\nw = parameter 0.5\n", "func F() int { return 1 }"]
    incomplete_code_samples = ["func F() int {"]
    code_display_data = [
        {"code": "%%tape\nw = parameter 0.5\n%spec\n", "mime": "text/html"},
        {"code": "%%tape\n%spec\n", "mime": "text/plain"},
        {"code": "%%tape\n%spec\n", "mime": "application/vnd.topos.v1+json"},
    ]
