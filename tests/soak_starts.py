"""Eight kernels that start at once: all are ready within five seconds. (Restarts with a cell right after each are in test_complaints_kernels.py.)

    python tests/soak_starts.py
"""

import concurrent.futures
import subprocess
import sys
import time

from jupyter_client.manager import KernelManager

AT_ONCE = 8
READY_WITHIN = 5.0  # seconds
ROUNDS = 3


def ready(_):
    """Starts a kernel; returns it and how long it took to answer kernel_info."""
    begun = time.monotonic()
    manager = KernelManager(kernel_name="topos")
    manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    asking = manager.client()
    asking.start_channels()
    asking.wait_for_ready(timeout=60)
    took = time.monotonic() - begun
    asking.stop_channels()
    return manager, took


def at_once():
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        started = list(pool.map(ready, range(AT_ONCE)))
    for manager, _ in started:
        manager.shutdown_kernel(now=False)
    slowest = max(took for _, took in started)
    print(f"{AT_ONCE} kernels started at once: the last was ready after {slowest:.2f} s; at most {READY_WITHIN} s are allowed")
    return slowest <= READY_WITHIN


if __name__ == "__main__":
    sys.exit(0 if all([at_once() for _ in range(ROUNDS)]) else 1)
