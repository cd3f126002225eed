"""What do longer loops cost? Time and peak of memory of one gradient call, as loops grow 10 and 100 times.

    python -m benchmarks.growth

Every number comes from a fresh process on one core. The peak is the resident memory that a warm call needs
beyond what the process holds before it, as Linux counts it.
"""

from __future__ import annotations

import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from benchmarks.compare import ROOT, environment

LOOPS: dict[str, list[dict[str, int]]] = {
    "lotka_volterra": [{"steps": n} for n in (1_000, 10_000, 100_000)],
    "jacobi": [{"sweeps": n, "n": 150} for n in (20, 200, 2_000)],
    "gauss_seidel": [{"sweeps": n, "n": 100} for n in (10, 100, 1_000)],
    "heat_3d": [{"steps": n, "n": 30} for n in (5, 50, 500)],
}
TOOLS = "hand", "ast_ad numba"


def resident(key: str) -> int:
    """A line of Linux's account of this process, in KiB."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(key + ":"))


def peak(call: Any) -> float:
    """MiB that one call needs beyond what is held."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as control:
        control.write("5")  # the peak is that from now on
    before = resident("VmRSS")
    call()
    return (resident("VmHWM") - before) / 1024


def measure(name: str, size: str, tool: str) -> None:
    from benchmarks.tools import prepare
    from benchmarks.workloads import workload

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    one = workload(name)
    call = prepare(tool, one, one.module.arguments(**json.loads(size)))
    call()
    call()
    taken = []
    while len(taken) < 5 or sum(taken) < 0.2:
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    print(json.dumps({"seconds": statistics.median(taken), "peak": peak(call)}))


def measured(name: str, size: dict[str, int], tool: str, caches: str) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.growth", name, json.dumps(size), tool]
    env = environment("stock", caches)
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    print(f"{'workload':16}{'steps':>8}" + "".join(f"{tool + ' us/step':>24}{'MiB':>8}" for tool in TOOLS))
    with tempfile.TemporaryDirectory() as caches:
        for name, sizes in LOOPS.items():
            for size in sizes:
                steps, line = next(iter(size.values())), ""
                for tool in TOOLS:
                    found = measured(name, size, tool, caches)
                    line += f"{1e6 * found['seconds'] / steps:24.3f}{found['peak']:8.2f}"
                print(f"{name:16}{steps:8}{line}", flush=True)


if __name__ == "__main__":
    measure(*sys.argv[1:]) if len(sys.argv) > 1 else main()
