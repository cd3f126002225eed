"""What does one workload take? Run by ``compare`` in a process of its own; prints one line of JSON."""

from __future__ import annotations

import gc
import importlib
import json
import math
import os
import statistics
import sys
import time
import types
from typing import Any

SAMPLES = 9
SHORTEST = 0.02  # seconds of a sample


def first_calls(names: list[str], workload: Any, args: tuple[Any, ...]) -> tuple[dict, dict, dict]:
    """Calls that are ready to be timed, how long the first one took, and why some are missing."""
    from benchmarks.tools import Missing, difference, prepare, settle

    calls: dict[str, Any] = {}
    first, missing, expected = {}, {}, None
    cache = os.environ["AST_AD_CACHE_DIR"]
    for name in names:
        os.environ["AST_AD_CACHE_DIR"] = f"{cache}-{name.replace(' ', '-')}"  # none starts from another's
        start = time.process_time()
        try:
            call = prepare(name, workload, args)
            got = call()
        except Missing as reason:
            missing[name] = str(reason)
            continue
        first[name] = time.process_time() - start
        expected = expected or as_numpy(got)
        if (error := difference(as_numpy(got), expected)) > workload.tolerance:
            raise ValueError(f"{name} differs by {error}")
        calls[name] = call
        if name == "ast_ad auto":
            settle(call)
    return calls, first, missing


def as_numpy(result: Any) -> Any:
    value, gradients = result
    return float(value), tuple(gradients)


def take_turns(calls: dict[str, Any], seconds: float) -> dict[str, dict[str, float]]:
    """The medians of samples, by the processor's and by the wall's clock; one sample of each tool a round."""
    repeats, samples = {}, {}
    for name, call in calls.items():
        start = time.perf_counter()
        call()
        once = max(time.perf_counter() - start, 1e-7)
        repeats[name] = max(1, math.ceil(max(SHORTEST, seconds / SAMPLES / 2) / once))
        rounds = max(1, min(SAMPLES, round(4 * seconds / (once * repeats[name]))))
        samples[name] = (rounds, [])
    gc.collect()
    gc.disable()
    order = list(calls)
    for turn in range(SAMPLES):
        for name in order[turn % len(order) :] + order[: turn % len(order)]:
            rounds, taken = samples[name]
            if len(taken) == rounds:
                continue
            call, times = calls[name], repeats[name]
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(times):
                call()
            taken.append(((time.perf_counter() - wall) / times, (time.process_time() - cpu) / times))
        gc.collect()
    return {
        name: {
            "wall": statistics.median(wall for wall, _ in taken),
            "cpu": statistics.median(cpu for _, cpu in taken),
        }
        for name, (_, taken) in samples.items()
    }


def versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in ("numpy", "numba", "jax", "torch", "autograd"):
        try:
            found[name] = version(name).partition("+")[0]
        except PackageNotFoundError:
            continue
    return found


def small(x):
    return x * x + 1.0


def start_compilers(tools: list[str]) -> None:
    """Starts what every first gradient of a process needs, so that no workload's time has it."""
    from benchmarks.tools import Missing, prepare
    from benchmarks.workloads import workload

    one = workload("rosenbrock")
    one.primal, one.hand, one.wrt = small, None, (0,)
    one.module = types.SimpleNamespace(generic=lambda np: small)
    for tool in tools:
        try:
            prepare(tool, one, (1.0,))()
        except Missing:
            continue
    try:
        importlib.import_module("numba").njit(small)(1.0)
    except ImportError:
        pass


def main(name: str, tools: str, core: str, seconds: str) -> None:
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(core) % len(cores)]})
    chosen = json.loads(tools)
    start_compilers(chosen)
    from benchmarks.workloads import workload

    one = workload(name)
    args = one.arguments()
    calls, first, missing = first_calls(chosen, one, args)
    calls["function"] = lambda: one.primal(*args)
    times = take_turns(calls, float(seconds))
    record = {"workload": name, "title": one.title, "times": times, "first": first, "missing": missing}
    print(json.dumps(record | {"versions": versions()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
