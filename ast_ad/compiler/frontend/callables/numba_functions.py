"""How is a call read of what Numba has made of a Python function?

Of a function that it compiles (``njit``) the body is read, as of any other. A ufunc (``vectorize``,
``guvectorize``) is a loop over elements, or over parts of arrays, with that body in it. NumPy says to which
types the arguments are converted: it is asked with arrays that have no element, so that nothing runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ....interrupts import let_through
from ....rules.element_loops import on_elements, on_parts
from ....rules.of_numba import axes_of, changed_since, loop_types, made_of, outdated, taken_as_arrays
from ...ir.ops import Lit, Var
from ...ir.types import CLASSES, Array, Scalar, dtype_of
from .. import doors
from ..builder import type_of_arg
from ..constructs.subscripts import store_item
from ..context import Context
from ..conversion import from_python
from ..types.type_questions import exact, known_rank
from ..values import Arr, Callee, Lst, Tup, Value
from .call_sites import call_followed


@contextlib.contextmanager
def reading(cx: Context, fn: Callee) -> Iterator[None]:
    """In the block the body of a function is read that Numba compiles."""
    changed = changed_since(fn)
    if changed is not None:
        raise cx.unsupported(*outdated(fn, changed))
    cx.rounds = True
    cx.jitted += 1
    try:
        yield
    finally:
        cx.jitted -= 1


def call_ufunc(cx: Context, fn: Any, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """A call of a ufunc that Numba has made."""
    options = set(kwargs) - {"out"}
    if options:
        raise cx.unsupported(f"`{options.pop()}` of a ufunc of Numba's", "it is not followed", "leave it out")
    args, out = args[: fn.nin], args[fn.nin :]
    named = kwargs.get("out", Lit(None))
    if not (isinstance(named, Lit) and named.value is None):
        out = list(named.items) if isinstance(named, Tup) else [named]
    args = [
        a if isinstance(a, Arr) else cx.emit(np.array, a) if isinstance(a, (Lst, Tup)) else a for a in args
    ]
    if len(args) != fn.nin or len(out) not in (0, fn.nout) or not all(isinstance(o, Arr) for o in out):
        raise cx.unsupported(
            f"this call of `{fn.__name__}`", f"it takes {fn.nin} arguments and arrays for results", "check it"
        )
    with reading(cx, fn):
        return (of_parts if fn.signature else of_elements)(cx, fn, args, out)


def of_elements(cx: Context, fn: Any, args: list[Value], out: list[Value]) -> Any:
    """``vectorize``: the function of numbers, element by element."""
    dtypes = resolved(cx, fn, args)
    given = [converted(cx, a, d) for a, d in zip(args, dtypes, strict=False)]
    found = follow(cx, on_elements, [Lit(made_of(fn)), Lit(dtypes[-1]), *given])
    if out:
        store_item(cx, out[0], Lit(Ellipsis), found)
        return out[0]
    return found if any(known_rank(cx, cx.arg(a)) for a in args) else doors.load_item(cx, found, Tup(()))


def of_parts(cx: Context, fn: Any, args: list[Value], out: list[Value]) -> Any:
    """``guvectorize``: the function of small arrays, for the last axes of larger ones."""
    axes = axes_of(fn)
    dtypes = resolved(cx, fn, args, out)
    if out and [dtype_of(cx.variable(o).type) for o in out] != dtypes[fn.nin :]:
        raise cx.unsupported("an array of another dtype for the result", "it is converted", "leave it out")
    if fn.gufunc_builder.writable_args:
        raise cx.unsupported(
            f"`{fn.__name__}`", "it may write to its arguments", "let it write to results only"
        )
    given = [converted(cx, a, d) for a, d in zip(args, dtypes, strict=False)]
    if out:  # which NumPy may write to before it has read the arguments, but doesn't
        given = [doors.call(cx, Lit(np.array), [a], {}) for a in given]
    arrays = tuple(taken_as_arrays(fn, dtypes, axes[0]))
    options = [from_python(cx, part) for part in (axes, tuple(dtypes[fn.nin :]), arrays)]
    return follow(cx, on_parts, [Lit(made_of(fn)), *options, Tup(tuple(given)), Tup(tuple(out))])


def follow(cx: Context, program: Any, args: list[Value]) -> Any:
    """The loop over elements, with the function in it."""
    return call_followed(cx, program, args, {})


def resolved(cx: Context, fn: Any, args: Sequence[Value], out: Sequence[Value] = ()) -> list[Any]:
    """To which dtypes a ufunc converts its arguments, and those of its results."""
    given: list[Any] = []
    for arg in map(cx.arg, (*args, *out)):
        found = exact(cx, arg, arg.type, "the dtype") if isinstance(arg, Var) else type_of_arg(arg)
        if not isinstance(found, (Scalar, Array)):
            raise cx.unsupported(f"an argument of `{fn.__name__}`", "it is no number", "pass numbers")
        plain = isinstance(found, Scalar) and found.dtype is None
        given.append(CLASSES[found.kind] if plain else dtype_of(found))
    try:
        return loop_types(fn, given)
    except Exception as problem:
        let_through(problem, causes=True)
        told = str(problem).strip().partition("\n")[0]
        raise cx.unsupported(
            f"this call of `{fn.__name__}`",
            f"{type(problem).__name__}: {told}",
            "call it with such arguments",
        ) from None


def converted(cx: Context, value: Value, dtype: Any) -> Any:
    """An argument as an array of this dtype."""
    return doors.call(cx, Lit(np.asarray), [value], {"dtype": Lit(dtype)})
