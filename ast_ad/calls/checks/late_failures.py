"""What if the backward half of a program raises, long after its first call?

The call may be over for long, and its arguments may have changed since. So the forward half is run once more:
where it leaves what it left then, the trace of the call gives the same pullback. Else there is no answer, but
an error of ours that says so.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import InternalError, UnsupportedError
from ...tracing.argument_copies import copied
from ...trees import STATIC, TreeDef, flatten
from .failures import NUMERIC, defect, prints, quiet

OBJECT = TreeDef(STATIC, (), ())  # of what is not kept


class Instead:
    """Gives the cotangents that a backward half does not.

    Args:
        program: the forward half and the backward one.
        inputs: those of the call; arrays are not kept alive.
        results: what the forward half gave.
        retire: lets the calls that the program is for be answered by a trace.

    ``alone``: of a program that another function has lent, which nothing can be traced for; it is called
    instead.
    """

    alone: Callable[[], None] | None = None

    def __init__(
        self, program: Any, inputs: Sequence[Any], results: Sequence[Any], retire: Callable[[Any], None]
    ) -> None:
        self.program, self.results, self.retire = program, results, retire
        self.inputs = [weakref.ref(v) if type(v) is np.ndarray else v for v in inputs]

    def __call__(self, seeds: Sequence[Any], error: Exception) -> Sequence[Any]:
        """The cotangents for some of the value, where the program raised an error.

        Raises:
            InternalError: they can't be had.
            Exception: the error itself, where it is none of ours.
        """
        declined = isinstance(error, UnsupportedError)  # by this path of the program, as it may in a call
        owner = self.program.owner
        by_rule = self.program.primal.own_rules and not owner.may_trace()
        if (isinstance(error, NUMERIC) or by_rule) and not declined:
            raise error
        name = getattr(owner.function, "__name__", "function")
        told = f"{type(error).__name__}: {error}"
        problem: Any = error
        if not declined:
            problem = defect(f"the pullback of `{name}` raised {told}", "its program is wrong", error)
        if self.alone is not None:
            self.alone()
            raise problem
        args = self.arguments() if owner.may_trace() else None
        if args is None:
            raise problem
        return self.traced(problem, args, seeds)

    def arguments(self) -> list[Any] | None:
        """Copies of the arguments of the call; None where they are others by now, or it can't be told."""
        program = self.program
        inputs = [v() if isinstance(v, weakref.ref) else v for v in self.inputs]
        gone = any(v is None for v in inputs) or OBJECT in program.trees
        if gone or prints(program) or program.stores or program.draws:
            return None
        inputs = copied(inputs)
        with quiet():
            if not _equal(program.results(inputs), self.results):
                return None
        return [
            tree.unflatten(inputs[slice(*at)]) for tree, at in zip(program.trees, program.ranges, strict=True)
        ]

    def traced(self, problem: Exception, args: list[Any], seeds: Sequence[Any]) -> Sequence[Any]:
        """What the trace of the call gives; a program that is wrong is not used again."""
        program = self.program
        split = len(args) - len(program.keywords)
        named = dict(zip(program.keywords, args[split:], strict=True))
        trace = program.owner._traced(problem, tuple(args[:split]), named)
        results = trace(args)
        if isinstance(problem, InternalError):
            self.retire(trace)
        found: Sequence[Any] = trace.pullback(results).leaves(*seeds)
        return found


def _equal(found: Any, before: Any) -> bool:
    """Whether two runs gave the same to the bit."""
    (one, tree), (two, other) = flatten(list(found)), flatten(list(before))
    if tree != other:
        return False
    return all(
        np.shape(a) == np.shape(b) and np.asarray(a).tobytes() == np.asarray(b).tobytes()
        for a, b in zip(one, two, strict=True)
    )
