"""Do all functions that may return their argument say so, for the pass that writes in place?"""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

import numpy as np
import pytest

import ast_ad
import ast_ad.torch.nn.functional  # its programs are registered, too
from ast_ad.compiler.analysis.aliasing import behaviour
from ast_ad.compiler.ir.ops import Lit, Op, Var
from ast_ad.compiler.ir.types import Array
from ast_ad.rules import registry
from ast_ad.rules.itself import ITSELF_FOR

WINDOWS = {
    "reshape", "moveaxis", "swapaxes", "asarray", "expand_dims", "squeeze", "transpose", "broadcast_to",
    "ravel",
}  # fmt: skip


def sources(node: ast.expr) -> set[str]:
    """The names of which a returned expression may be the value, or a window on it."""
    match node:
        case ast.Name():
            return {node.id}
        case ast.IfExp():
            return sources(node.body) | sources(node.orelse)
        case ast.Attribute(attr="T" | "real" | "imag"):
            return sources(node.value)
        case ast.Call(func=ast.Attribute() as method) if method.attr in WINDOWS:
            of_numpy = isinstance(method.value, ast.Name) and method.value.id == "np"
            return sources(node.args[0] if of_numpy else method.value)
    return set()


def returns_an_argument(fn: Any) -> bool:
    try:
        [tree] = ast.parse(textwrap.dedent(inspect.getsource(fn))).body
    except (OSError, TypeError, SyntaxError):
        return False
    if not isinstance(tree, ast.FunctionDef):
        return False
    arguments = {arg.arg for arg in tree.args.args}
    returned = [n.value for n in ast.walk(tree) if isinstance(n, ast.Return) and n.value is not None]
    return any(sources(value) & arguments for value in returned)


@pytest.mark.slow
def test_functions_that_may_return_an_argument_are_not_taken_for_fresh() -> None:
    """Programs (``itself``) are read in place of their calls: no operation of the IR calls them."""
    primitives = [(fn, known) for fn, known in registry.primitives().items() if not known.itself]
    own = [fn for fn, _ in primitives if str(getattr(fn, "__module__", "")).startswith("ast_ad")]
    found = [fn for fn in own if returns_an_argument(fn)]
    arrays = Var(Array(np.dtype(float), None)), Var(Array(np.dtype(float), None))
    assert len(found) > 20
    assert [
        fn.__qualname__ for fn in found if behaviour(Op(fn, arrays, (Var(arrays[0].type),))) == "fresh"
    ] == []


@pytest.mark.parametrize("fn", ITSELF_FOR)
def test_counts_for_which_it_is_the_argument(fn: Any) -> None:
    name, place, count = ITSELF_FOR[fn]
    x = np.eye(3)
    assert place == 1 and fn(x, count) is x and fn(x, **{name: count}) is x
    assert not any(np.shares_memory(fn(x, k), x) for k in (1, 2, 3) if k != count)
    var = Var(Array(np.dtype(float), (3, 3)))
    for k in (0, 1, 2):
        told = behaviour(Op(fn, (var, Lit(k)), (Var(var.type),)))
        assert told == ("itself" if k == count else "fresh")


@pytest.mark.slow
def test_cotangent_of_no_differences_is_not_written_to() -> None:
    def f(s: float, k: Any) -> Any:
        buf = k.copy()
        for i in range(3):
            vw = buf.reshape(-1)
            vw += np.mean(np.diff(buf, n=max(0, i - 2)) * s)
        return np.sum(vw * vw) + np.sum(buf) * s

    x, h = np.array([3.8, -1.8, 5.0, -0.4]), 1e-6
    d = ast_ad.grad(f, fallback="error", check=False)
    assert d(-0.7, x) == pytest.approx((f(-0.7 + h, x) - f(-0.7 - h, x)) / (2 * h), rel=1e-6)
