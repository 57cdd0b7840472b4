"""jupyter_kernel_test's own suite against the kernel, with Go and tape cells."""

import jupyter_kernel_test
from jupyter_client.manager import KernelManager

from conformance import KERNEL


class Protocol(jupyter_kernel_test.KernelTests):
    """The messages every Jupyter kernel must answer."""

    kernel_name = KERNEL
    language_name = "go"
    file_extension = ".go"
    code_hello_world = '%%\nfmt.Println("hello, world")'
    code_stderr = '%%\nfmt.Fprintln(os.Stderr, "trouble")'
    code_generate_error = '%%\npanic("trouble")'
    code_inspect_sample = "%%\nfmt.Println"
    completion_samples = [{"text": "%%tape\nw = param", "matches": {"parameter"}}, {"text": "%%\nfmt.Printl"}]
    complete_code_samples = ["%%tape\nw = parameter 0.5\n", "func F() int { return 1 }"]
    incomplete_code_samples = ["func F() int {"]
    invalid_code_samples = ["func F( int { ]"]
    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "*Println(1)*"
    code_display_data = [
        {"code": "%%tape\nw = parameter 0.5\n%spec\n", "mime": "text/html"},
        {"code": "%%tape\n%spec\n", "mime": "text/plain"},
        {"code": "%%tape\n%spec\n", "mime": "application/vnd.topos.v1+json"},
    ]

    def test_history(self):
        """The suite asks for the history of cells with an execute_result, of which this kernel has none: any cells will do."""
        self.code_execute_result = [{"code": f"%%\nfmt.Println({n})"} for n in (1, 1, 1)]
        super().test_history()


class Welcome(jupyter_kernel_test.IopubWelcomeTests):
    """C-71: a subscriber is greeted, so that it need not ask until something comes."""

    kernel_name = KERNEL
    support_iopub_welcome = True

    @classmethod
    def setUpClass(cls):
        cls.km = KernelManager(kernel_name=cls.kernel_name)
        cls.km.start_kernel()
        cls.kc = cls.km.client()
