"""How do the tools compare on one machine? Ratios of the times of gradients, as a table and a plot.

    python -m benchmarks.compare                                # all workloads, all tools that are installed
    python -m benchmarks.compare --workloads jacobi,lstm --tools "hand,ast_ad numba,jax"
    python -m benchmarks.compare --unseen                       # those that the compiler is not tuned for
    python -m benchmarks.compare --write docs/performance.md    # the page's table, and the plot beside it

Every workload runs in a fresh process on one core. There the tools take turns, so that the ratios survive a
machine that is sometimes slower; gradients are compared with each other before anything is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.report import plot, rewritten, table
from benchmarks.tools import TOOLS
from benchmarks.workloads import names

ROOT = pathlib.Path(__file__).parent.parent


def environment(malloc: str, caches: str) -> dict[str, str]:
    """One thread for every library; no settings of the machine's own; empty caches of compiled code."""
    env = {
        k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "AST_AD_", "NUMBA_", "XLA_"))
    }
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        env[name] = "1"
    if malloc == "keep":  # glibc keeps freed memory: no page faults in each call, for all tools alike
        env["MALLOC_MMAP_THRESHOLD_"] = env["MALLOC_TRIM_THRESHOLD_"] = str(1 << 30)
    return env | {"NUMBA_CACHE_DIR": f"{caches}/numba", "AST_AD_CACHE_DIR": f"{caches}/ast_ad"}


def measured(workload: str, tools: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """The record of one workload, from a process of its own."""
    with tempfile.TemporaryDirectory() as caches:
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.measure", workload, json.dumps(tools)]
        done = subprocess.run(
            [*command, str(options.core), str(options.seconds)],
            env=environment(options.malloc, caches),
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise SystemExit(f"{workload}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--workloads", help="names, separated by commas; all of them if not given")
    parser.add_argument("--unseen", action="store_true", help="those that the compiler is not tuned for")
    parser.add_argument("--tools", default=",".join(TOOLS), help="names, separated by commas")
    parser.add_argument("--core", type=int, default=0, help="the core that everything runs on")
    parser.add_argument("--seconds", type=float, default=1.0, help="of timing, for each tool and workload")
    parser.add_argument("--malloc", choices=("keep", "stock"), default="keep", help="what glibc does")
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu", help="which time to tell")
    parser.add_argument("--json", type=pathlib.Path, help="write all that was measured to this file")
    parser.add_argument("--read", type=pathlib.Path, help="measure nothing, read such a file")
    parser.add_argument("--plot", type=pathlib.Path, help="draw the ratios into this file")
    parser.add_argument("--write", type=pathlib.Path, help="replace the table in this page, and its plot")
    options = parser.parse_args()
    tools = options.tools.split(",")
    if options.read:
        records = json.loads(options.read.read_text())
    else:
        records = []
        for name in options.workloads.split(",") if options.workloads else names(options.unseen):
            records.append(measured(name, tools, options))
            print(f"{name} done", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps(records, indent=1))
    text = table(records, tools, options.clock)
    print(text)
    drawing = options.plot
    if options.write:
        options.write.write_text(rewritten(options.write.read_text(), text))
        drawing = drawing or options.write.with_suffix(".svg")
    if drawing:
        plot(records, tools, options.clock, drawing)


if __name__ == "__main__":
    main()
