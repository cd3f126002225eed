"""How are floating point errors handled from here on? ``np.seterr``, as a call and as ``np.errstate``.

What was the case before is a value of the program, with which nothing can be done but to have it back:
``old = np.seterr(invalid="ignore")`` and later ``np.seterr(**old)``. Programs leave as it was how errors are
handled, so that a function which does not for certain is traced. What NumPy raises in between leaves them
handled as before the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....errors import AdError
from ...ir.builtin import raise_, restore
from ...ir.ops import Arg, Block, Lit, Op, Statement, Var, blocks, walk
from ...ir.types import Opaque
from ..constructs.handlers import effect
from ..context import Context
from ..tables import handles
from ..values import Value
from .decorated_errors import ERRORS

BEFORE = Opaque("dict")
CALLED = "errors_before"  # what the values are called that ``np.seterr`` gives
AS_BEFORE = "**errors"  # the keyword by which it is passed, which no user can write


def is_before(value: Value) -> bool:
    """Whether a value is how errors were handled at some time."""
    return isinstance(value, Var) and value.type == BEFORE and value.hint == CALLED


def errors_are(cx: Context, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Var:
    """Errors are handled as told from here on; how they were before is what this gives."""
    options: dict[str, str] = {}
    for error, value in (*zip(ERRORS, args, strict=False), *kwargs.items()):
        option = cx.demand(value, "an option of errors")
        if option is None:
            continue
        if error not in ERRORS or option not in ("ignore", "warn", "raise", "print"):
            raise cx.unsupported(f"this option of {name}", "the compiler does not follow it", "leave it out")
        options[error] = option
    cx.errstate.update(options)
    old = Var(BEFORE, CALLED if name == "np.seterr" else "errors")
    effect(cx, np.seterr, (), (old,), **{error: Lit(option) for error, option in options.items()})
    return old


def errors_as_before(cx: Context, old: Arg) -> None:
    effect(cx, restore, (old,))


@handles(np.seterr)
def b_seterr(cx: Context, *args: Value, **kwargs: Value) -> Any:
    old = kwargs.pop(AS_BEFORE, None)
    found = errors_are(cx, "np.seterr", args, kwargs)
    if old is not None:
        errors_as_before(cx, cx.arg(old))
    return found


def require_restored(cx: Context, block: Block) -> None:
    """Refuse a program whose calls of ``np.seterr`` may leave errors handled otherwise than before."""
    open_: list[Arg] = []
    for op in block.ops:
        for inner in blocks(op):
            require_restored(cx, inner)
        given: Any = op.args[0] if isinstance(op, Op) and op.fn is restore else None
        if isinstance(op, Op) and op.fn is np.seterr and op.kwargs and op.outs[0].hint == CALLED:
            open_.append(op.outs[0])
        elif given in open_:
            del open_[open_.index(given) :]
        elif is_before(given) or open_ and any(isinstance(o, Op) and o.fn is raise_ for o in walk_one(op)):
            raise not_restored(cx)
    if open_:
        raise not_restored(cx)


def walk_one(op: Statement) -> Iterator[Statement]:
    return walk(Block([op]))


def not_restored(cx: Context) -> AdError:
    return cx.unsupported(
        "how np.seterr leaves the handling of errors",
        "it is not what it was before on every path",
        "use `with np.errstate(...)`",
    )
