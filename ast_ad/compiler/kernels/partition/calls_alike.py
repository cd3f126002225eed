"""Which other calls are refused, too, where one was? Those of the same function with such arguments.

``calls_alike(op, why, run) -> list[Op]``. Asked by ``partition``, whose every attempt at a kernel reads all
of a run: a chain of 70 exponentials of matrices, none of which has a form, would be read 70 times.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.ops import Op, Statement, Var


def calls_alike(op: Statement | None, why: str, run: Sequence[Statement]) -> list[Op]:
    """The calls behind one of a run, if that was refused as this function of such arguments.

    >>> from ...ir.ops import Lit
    >>> x, y, z = (Var(type=None) for _ in range(3))  # type: ignore[arg-type]
    >>> run = [Op(abs, (x,), (y,)), Op(abs, (Lit(1),), (z,)), Op(abs, (z,), (x,))]
    >>> calls_alike(run[0], "`abs` of arrays", run) == run[2:]
    True
    >>> calls_alike(run[0], "an array that may be undefined", run)
    []
    """
    if not isinstance(op, Op) or not why.startswith(f"`{getattr(op.fn, '__name__', '')}` of"):
        return []
    place = next((i for i, other in enumerate(run) if other is op), len(run))
    return [o for o in run[place + 1 :] if isinstance(o, Op) and _call(o) == _call(op)]


def _call(op: Op) -> tuple[object, ...]:
    """The function that is called, and the types and literals that it is given."""
    args = (*op.args, *op.kwargs.values())
    return op.fn, *op.kwargs, *(str(a.type) if isinstance(a, Var) else repr(a) for a in args)
