"""How long do value and gradient of PolyBench's kernels take, beside the function itself?

    python -m benchmarks.polybench
    python -m benchmarks.polybench --only lu,symm
    python -m benchmarks.polybench --no-jax

prints the milliseconds of the function (`polybench_numpy`), the compiled value and gradient as a multiple of
that, JAX's of its own version (`polybench_jax`) where it is installed, and the seconds of the compiled one's
first call. Processor times on one core, the least of many. JAX's value and gradients are compared
with the others first.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import math
import os
import time
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

TOLERANCE = 1e-9
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def fastest(calls: Sequence[Callable[[], Any]], rounds: int = 6, seconds: float = 0.08) -> list[float]:
    """Seconds of processor time of the fastest of some calls of each; they take turns."""
    least = [math.inf] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            stop = time.process_time() + seconds
            begin = -math.inf
            while begin < stop:
                begin = time.process_time()
                call()
                least[i] = min(least[i], time.process_time() - begin)
    return least


def jax_call(versions: ModuleType | None, f: Callable[..., Any], args: Sequence[Any]) -> Any:
    """A compiled value and gradient by JAX of the kernel's version for it, if there is one."""
    function = getattr(versions, f.__name__, None)
    if function is None:
        return None
    import jax

    static = tuple(i for i, value in enumerate(args) if isinstance(value, int))
    wanted = tuple(i for i in range(len(args)) if i not in static)
    derivative = jax.jit(jax.value_and_grad(function, wanted), static_argnums=static)
    there = [value if i in static else jax.numpy.asarray(value) for i, value in enumerate(args)]
    return lambda: jax.block_until_ready(derivative(*there))


def measured(name: str, versions: ModuleType | None) -> str:
    import ast_ad
    from benchmarks.polybench_numpy import KERNELS
    from benchmarks.tools import difference

    f, arguments = KERNELS[name]
    args = arguments()
    argnums = tuple(i for i, value in enumerate(args) if not isinstance(value, int))
    derivative = ast_ad.value_and_grad(f, argnums, backend="numba")
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        derivative(*args)
        _, gradients = derivative(*args)
    first = time.process_time() - begin
    calls = [lambda: f(*args), lambda: derivative(*args)]
    if by_jax := jax_call(versions, f, args):
        error = difference(by_jax(), (f(*args), gradients))
        if not error < TOLERANCE:
            raise ValueError(f"{name}: JAX's value and gradients differ by {error}")
        calls.append(by_jax)
    plain, *found = fastest(calls)
    ratios = [f"{seconds / plain:8.2f}" for seconds in found]
    if versions and not by_jax:
        ratios.append(f"{'-':>8}")
    return f"{name:16} {plain * 1e3:9.3f} ms {' '.join(ratios)} {first:8.1f} s"


def quiet(core: int, malloc: str) -> None:
    """Before a library is imported: on one core each starts one thread."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[core % len(cores)]})
    if malloc == "keep":  # no page faults in each call, as in `compare`
        for option in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD):
            ctypes.CDLL(None).mallopt(option, 1 << 30)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--no-jax", action="store_true")
    parser.add_argument("--core", type=int, default=0, help="the core that everything runs on")
    parser.add_argument("--malloc", choices=("keep", "stock"), default="keep", help="what glibc does")
    options = parser.parse_args()
    quiet(options.core, options.malloc)
    versions = None
    if not options.no_jax:
        try:
            versions = importlib.import_module("benchmarks.polybench_jax")
        except ImportError as error:
            print(f"without JAX: {error.name} is not installed")
    from benchmarks.polybench_numpy import KERNELS

    heads = ["ast_ad"] + ["JAX"] * (versions is not None)
    print(f"{'':16} {'function':>12} {' '.join(f'{head:>8}' for head in heads)} {'first call':>10}")
    for name in [n for n in options.only.split(",") if n] or list(KERNELS):
        print(measured(name, versions), flush=True)


if __name__ == "__main__":
    main()
