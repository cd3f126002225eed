"""What does a training step of a network cost, beside PyTorch's on the same machine? Time and memory.

    python -m benchmarks.networks                               # all networks, about three minutes
    python -m benchmarks.networks --networks "MLP,LSTM" --threads 2
    python -m benchmarks.networks --write docs/networks.md      # that page's table

Every network has a process of its own, in which the libraries take turns. Losses and gradients are compared
before anything is timed. Memory is measured in further processes, one for each library.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.compare import ROOT, environment
from benchmarks.report import rewritten, seconds, short

# The rows: the title, the network, how it is run, and how many times PyTorch's time is allowed.
ROWS: dict[str, tuple[str, str, float | None]] = {
    "ResNet-18, forward and backward": ("ResNet-18", "gradient", 3.0),
    "ResNet-18": ("ResNet-18", "step", None),
    "MLP": ("MLP", "step", 1.2),
    "MLP, compiled": ("MLP", "compiled", 1.0),
    "small conv net": ("small conv net", "step", None),
    "small conv net, compiled": ("small conv net", "compiled", None),
    "LSTM": ("LSTM", "step", None),
    "transformer block": ("transformer block", "step", None),
}
MEMORY_BOUND = 2.0
RATE, MOMENTUM = 1e-2, 0.9


def trainer(torch: Any, network: str, how: str, dtype: str = "float32") -> tuple[Any, Callable[[], Any]]:
    """The task, and one step of it, which returns the loss."""
    from benchmarks.training import TASKS

    task = TASKS[network](torch, dtype)
    optimizer = torch.optim.SGD(task.model.parameters(), lr=RATE, momentum=MOMENTUM)

    def gradient() -> Any:
        optimizer.zero_grad()
        loss = task.loss()
        loss.backward()
        return loss

    def step() -> Any:
        loss = gradient()
        optimizer.step()
        return loss

    return task, step if how == "step" else gradient


def compiled_trainer(network: str) -> Callable[[], Any]:
    """A step of the same network as a plain function of a dict of arrays, by the compiler."""
    import ast_ad
    from benchmarks import compiled_networks
    from benchmarks.training import TASKS

    task = TASKS[network](ast_ad)
    return compiled_networks.trainer(network, task, RATE, MOMENTUM)


def libraries() -> dict[str, Any]:
    import ast_ad

    found = {"ast_ad": ast_ad}
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    return found | {"torch": torch}


def agree(row: str) -> None:
    """An error if the libraries give different losses or gradients, in double precision."""
    found = []
    for torch in libraries().values():
        task, run = trainer(torch, ROWS[row][0], "gradient", "float64")
        found.append((run().item(), [p.grad.detach().numpy() for p in task.model.parameters()]))
    (a, ours), (b, theirs) = found[0], found[-1]
    errors = [abs(a - b) / abs(b)]
    errors += [float(abs(x - y).max() / max(abs(y).max(), 1e-3)) for x, y in zip(ours, theirs, strict=True)]
    if not max(errors) < 1e-8:
        raise SystemExit(f"{row}: the gradients differ by {max(errors):.1e}")


def time_row(row: str, budget: float) -> dict[str, Any]:
    from benchmarks.measure import take_turns, versions

    network, how, _ = ROWS[row]
    agree(row)
    calls = {}
    for name, torch in libraries().items():
        if how == "compiled" and name == "ast_ad":
            calls[name] = compiled_trainer(network)
        else:
            calls[name] = trainer(torch, network, "step" if how == "compiled" else how)[1]
    for call in calls.values():  # compiles, and settles the allocators
        for _ in range(10 if "ResNet" not in row else 2):
            call()
    return {"row": row, "times": take_turns(calls, budget), "versions": versions()}


def status(field: str) -> int:
    """A field of this process's memory, in bytes: VmRSS, or its highest value, VmHWM."""
    line = next(s for s in pathlib.Path("/proc/self/status").read_text().splitlines() if s.startswith(field))
    return int(line.split()[1]) << 10


def memory_row(row: str, name: str) -> dict[str, Any]:
    """How much higher memory is at its peak, over five steps, than with the model and its data alone."""
    network, how, _ = ROWS[row]

    def prepare() -> Callable[[], Any]:
        if how == "compiled" and name == "ast_ad":
            return compiled_trainer(network)
        return trainer(libraries()[name], network, "step" if how == "compiled" else how)[1]

    run = prepare()
    for _ in range(5):  # loads and compiles what steps need; then everything is made anew
        run()
    del run
    gc.collect()
    run = prepare()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = status("VmRSS")
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # forgets the highest value
    for _ in range(5):
        run()
    return {"row": row, "library": name, "bytes": status("VmHWM") - before}


def in_process(options: argparse.Namespace, malloc: str, caches: str, *arguments: str) -> dict[str, Any]:
    """What this module prints as JSON when it is run with these arguments in a process of its own."""
    env = environment(malloc, caches)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        env[variable] = str(options.threads)
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.networks", *arguments]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def measured(row: str, options: argparse.Namespace, caches: str) -> dict[str, Any]:
    record = in_process(options, options.malloc, caches, "--row", row, "--seconds", str(options.seconds))
    record["memory"] = {}
    for name in record["times"]:
        found = in_process(options, "stock", caches, "--row", row, "--memory-of", name)
        record["memory"][name] = found["bytes"]
    return record


def table(records: list[dict[str, Any]], clock: str, threads: int) -> str:
    lines = [
        "| a step of | PyTorch | ast_ad | ratio | allowed | memory: PyTorch | ast_ad | ratio | allowed |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for record in records:
        times = {name: taken[clock] for name, taken in record["times"].items()}
        memory = record["memory"]
        bound = ROWS[record["row"]][2]
        cells = [seconds(times["torch"]) if "torch" in times else "-", seconds(times["ast_ad"])]
        cells += [short(times["ast_ad"] / times["torch"]) if "torch" in times else "-"]
        cells += [short(bound) if bound else ""]
        cells += [megabytes(memory.get("torch")), megabytes(memory["ast_ad"])]
        cells += [short(memory["ast_ad"] / memory["torch"]) if memory.get("torch") else "-"]
        lines.append(f"| {record['row']} | " + " | ".join([*cells, short(MEMORY_BOUND)]) + " |")
    version = records[0]["versions"]
    names = {"python": "Python", "numpy": "NumPy", "numba": "Numba", "torch": "PyTorch"}
    said = ", ".join(f"{names[name]} {version[name]}" for name in names if name in version)
    return "\n".join([*lines, "", f"{said}; {threads} thread{'s' if threads > 1 else ''}."])


def megabytes(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:.0f} MB" if size >= 1e7 else f"{size / 1e6:.1f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--networks", help="parts of the rows' titles, separated by commas")
    parser.add_argument("--threads", type=int, default=1, help="of every library")
    parser.add_argument("--seconds", type=float, default=2.0, help="of timing, for each library and row")
    parser.add_argument("--clock", choices=("cpu", "wall"), help="which time to tell (cpu for one thread)")
    parser.add_argument("--malloc", choices=("keep", "stock"), default="keep", help="what glibc does")
    parser.add_argument("--write", type=pathlib.Path, help="replace the table in this page")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        print(json.dumps(memory_row(options.row, options.memory_of)))
        return
    if options.row:
        print(json.dumps(time_row(options.row, options.seconds)))
        return
    wanted = options.networks.split(",") if options.networks else [""]
    records = []
    with tempfile.TemporaryDirectory() as caches:
        for row in ROWS:
            if any(part.strip() in row for part in wanted):
                records.append(measured(row, options, caches))
                print(f"{row} done", file=sys.stderr, flush=True)
    text = table(records, options.clock or ("cpu" if options.threads == 1 else "wall"), options.threads)
    print(text)
    if options.write:
        options.write.write_text(rewritten(options.write.read_text(), text, "benchmarks.networks"))


if __name__ == "__main__":
    main()
