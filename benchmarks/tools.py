"""How does each tool compute a value and gradients? ``prepare`` makes a call without arguments."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workloads import Workload

Call = Callable[[], Any]


class Missing(Exception):
    """A tool is not installed, or a workload has no version for it; the text is the reason."""


def _ast_ad(backend: str) -> Callable[[Workload, tuple[Any, ...]], Call]:
    def prepare(workload: Workload, args: tuple[Any, ...]) -> Call:
        derivative = importlib.import_module("ast_ad").value_and_grad(
            workload.primal, argnums=workload.wrt, backend=backend
        )

        def call() -> Any:
            return derivative(*args)

        call.backend = lambda: derivative.backend  # type: ignore[attr-defined]
        return call

    return prepare


def settle(call: Call, seconds: float = 20.0) -> None:
    """Call it a few times; one that is to choose its backend, until it runs kernels or the time is over."""
    stop = time.perf_counter() + seconds
    for _ in range(2):
        call()
    while time.perf_counter() < stop and getattr(call, "backend", lambda: "numba")() != "numba":
        call()


def _hand(workload: Workload, args: tuple[Any, ...]) -> Call:
    function = workload.hand
    if function is None:
        raise Missing("not written")

    def call() -> tuple[Any, tuple[Any, ...]]:
        value, *gradients = function(*args)
        return value, tuple(gradients)

    return call


def _jax(workload: Workload, args: tuple[Any, ...]) -> Call:
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    function = workload.version("jax", "jax.numpy")
    static = tuple(i for i, arg in enumerate(args) if isinstance(arg, int))
    derivative = jax.jit(jax.value_and_grad(function, argnums=workload.wrt), static_argnums=static)
    there = [arg if i in static else jax.numpy.asarray(arg) for i, arg in enumerate(args)]
    return lambda: jax.block_until_ready(derivative(*there))


def _torch(workload: Workload, args: tuple[Any, ...]) -> Call:
    torch = importlib.import_module("torch")
    function = workload.version("torch", "torch")

    def tensor(i: int) -> Any:
        if i in workload.wrt:
            return torch.tensor(args[i], dtype=torch.float64, requires_grad=True)
        return torch.tensor(args[i]) if isinstance(args[i], np.ndarray) else args[i]

    there = [tensor(i) for i in range(len(args))]
    wanted = [there[i] for i in workload.wrt]

    def call() -> Any:
        value = function(*there)
        return value.detach(), torch.autograd.grad(value, wanted)

    return call


def _autograd(workload: Workload, args: tuple[Any, ...]) -> Call:
    autograd = importlib.import_module("autograd")
    function = workload.version("autograd", "autograd.numpy")
    derivative = autograd.value_and_grad(function, argnum=workload.wrt)
    return lambda: derivative(*args)


TOOLS: dict[str, Callable[[Workload, tuple[Any, ...]], Call]] = {
    "hand": _hand,
    "ast_ad numba": _ast_ad("numba"),
    "ast_ad auto": _ast_ad("auto"),
    "ast_ad numpy": _ast_ad("numpy"),
    "jax": _jax,
    "torch": _torch,
    "autograd": _autograd,
}


def prepare(tool: str, workload: Workload, args: tuple[Any, ...]) -> Call:
    """A call that returns the value and the gradients.

    Raises:
        Missing: The tool is not installed, or the workload has no version for it.
    """
    try:
        if "numba" in tool or tool == "hand":
            importlib.import_module("numba")
        return TOOLS[tool](workload, args)
    except ImportError as error:
        raise Missing(f"{error.name} is not installed") from None
    except NotImplementedError as error:
        raise Missing(str(error)) from None


def difference(got: Any, expected: Any) -> float:
    """The largest difference of values and gradients, each relative to its largest number."""
    worst = 0.0
    for one, other in zip((got[0], *got[1]), (expected[0], *expected[1]), strict=True):
        a, b = np.asarray(one, float), np.asarray(other, float)
        if a.shape != b.shape:
            return float("inf")
        worst = max(worst, float(np.max(np.abs(a - b)) / max(np.max(np.abs(b)), 1e-300)))
    return worst
