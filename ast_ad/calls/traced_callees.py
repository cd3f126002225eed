"""What is a call that the compiler can't follow, in a program that it can? One operation, traced as it runs.

The forward pass runs the callee once, on traced arrays, and keeps the pullback that the trace gives; the
reverse sweep calls it. To the compiler the operation is like any other: it has a rule, and that rule calls
``pull``, which has a rule. That is all that higher derivatives need.
"""

from __future__ import annotations

import copy
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..compiler.adjoint.contributions import cotangent_type
from ..compiler.analysis.activity import Varied
from ..compiler.frontend.builder import type_of_arg
from ..compiler.frontend.callables.call_sites import CallSites
from ..compiler.frontend.context import Context
from ..compiler.frontend.lower import Primal
from ..compiler.frontend.values import Tup
from ..compiler.ir.builtin import assign, tuple_get, unpack
from ..compiler.ir.ops import Function, Lit, Op, Seq, Var, walk
from ..compiler.ir.types import Array, Opaque, Scalar, Type, carries_derivative, type_of
from ..compiler.simplify.dead_code import eliminate_dead_code
from ..compiler.simplify.renaming import reads_of
from ..errors import UnsupportedError
from ..rules.registry import vjp
from ..tracing.pullbacks import Later, spread
from ..tracing.purity import Search
from ..trees import LEAF, STATIC, TreeDef, flatten
from . import doors

NAMING = assign, tuple_get, unpack
MOST_STEPS = 200_000  # lines of Python that the trial runs of one callee may execute


class NotOnTrial(BaseException):
    """A callee can't be run on trial; no program should catch this."""


class TracedCall:
    """One callee, with the structure of its arguments and of its result.

    Args:
        function: the callee.
        tree: the structure of its arguments, as a pair of a tuple and a dict.
        order: where each leaf of that structure is found among ``(*leaves, *constants)``.

    ``entering``: how many of the constants, the last ones, are numbers and arrays like the leaves.
    """

    entering = 0

    def __init__(self, function: Callable[..., Any], tree: TreeDef, order: Sequence[int]) -> None:
        self.function, self.tree, self.order = function, tree, tuple(order)
        self.__name__ = getattr(function, "__name__", "function")
        self.result: TreeDef | None = None
        self.types: tuple[Type, ...] = ()
        self.steps = MOST_STEPS
        self.search = Search()
        self.pure = self.search.pure(function, list(_statics(tree)))

    def with_leaves(self, leaves: Sequence[int], entering: Sequence[int], count: int) -> TracedCall:
        """The same, where of ``count`` leaves only these are differentiated, and those are constants."""
        made, fixed = copy.copy(self), [i for i in range(max(self.order) + 1) if i >= count]
        places = {old: new for new, old in enumerate((*leaves, *fixed, *entering))}
        made.order, made.entering = tuple(places[i] for i in self.order), len(entering)
        return made

    def settle(self, types: Sequence[Type]) -> None:
        """The types of the leaves of the result, as the trial runs gave them."""
        self.types = tuple(types)

    def trial(self, *inputs: Any) -> tuple[Any, ...]:
        """The leaves of the result for made-up arguments.

        Raises:
            NotOnTrial: somebody could tell that it ran, or what it does can't be one operation.
        """
        if not self.pure:
            raise NotOnTrial("it may have effects that outlive the call")
        from ..tracing.traced_array import plain

        arrays = [plain(array) for array in self.search.arrays]  # a trace around it has points among them
        outside = [(array, array.copy()) for array in arrays]
        try:
            with _counted(self):
                leaves, tree = self.run(inputs, self.function)
        finally:
            changed = [(array, before) for array, before in outside if not _same(array, before)]
            for array, before in changed:
                array[...] = before
        if changed:
            raise NotOnTrial("it writes to an array from outside")
        if not _only_tuples(tree):
            raise NotOnTrial("it returns more than numbers, arrays and tuples of them")
        if self.result is not None and tree != self.result:
            raise NotOnTrial("the structure of its result depends on the values")
        self.result = tree
        return tuple(leaves)

    def run(self, inputs: Sequence[Any], callee: Callable[..., Any]) -> tuple[list[Any], TreeDef]:
        """Call the function; the leaves of the result and its structure."""
        given = [inputs[i] for i in self.order]
        before = [(x, getattr(x, "_version", None), _copy(x)) for x in given]
        args, kwargs = self.tree.unflatten(given)
        parts, form = flatten((args, kwargs))
        result = callee(*args, **kwargs)
        after, form_after = flatten((args, kwargs))
        same = form == form_after and all(a is b for a, b in zip(parts, after, strict=True))
        if not same or any(_written(*state) for state in before):
            raise NotOnTrial("it writes to its arguments")
        leaves, structure = flatten(result)
        if any(_share(leaf, x) for leaf in leaves for x in given):
            raise NotOnTrial("its result shares memory with an argument")
        return leaves, structure

    def __call__(self, leaves: tuple[Any, ...], constants: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        """The leaves of the result, and the pullback to ``leaves``."""
        from ..tracing.history import trace_alone

        callee, count = self.function, len(leaves)
        fixed = constants[: len(constants) - self.entering]
        numbers = (*leaves, *constants[len(fixed) :])

        def function(*inputs: Any) -> tuple[Any, ...]:
            try:
                entered = inputs[count : len(numbers)]
                found, tree = self.run((*inputs[:count], *fixed, *entered), callee)
            except NotOnTrial as problem:
                raise self.differs(str(problem)) from None
            if tree != self.result:
                raise self.differs("the structure of its result is another one than on trial")
            return tuple(found)

        given = (
            *_apart(numbers),
            *_statics(self.tree),
        )  # the tracer finds code through what a function is given
        values, pullback = trace_alone(function, given, {}, tuple(range(count)))
        converted = tuple(map(self.converted, values, self.types))
        floats = [i for i, found in enumerate(self.types) if carries_derivative(found)]
        return converted, spread(pullback, floats, len(values), len(leaves))

    def converted(self, value: Any, type: Type) -> Any:
        """A copy of the value, of this very type."""
        dtype = np.result_type(value)
        if isinstance(type, Array) and np.ndim(value) == type.ndim and dtype == type.dtype:
            return np.array(value)
        if isinstance(type, Scalar) and not np.ndim(value) and type_of(dtype.type()).kind == type.kind:  # type: ignore[union-attr]
            if type.dtype is None:
                return value.item() if isinstance(value, (np.ndarray, np.generic)) else value
            if dtype == type.dtype:
                return type.dtype.type(value)
        raise self.differs(f"it returned {type_of(value)} where it gave {type} on trial")

    def differs(self, why: str) -> UnsupportedError:
        return UnsupportedError(f"the call of `{self.__name__}`", why=why, fix="trace the whole function")


def without_constants(function: Function, wrt: Iterable[int]) -> Function:
    """A program whose traced calls record only what depends on these parameters; changed in place.

    What is recorded takes time, and needs a rule. Where the program itself asks for cotangents of a call's
    leaves, it has them all.
    """
    read = reads_of(function.body)
    varied = Varied([function.params[i] for i in wrt])
    varied.block(function.body)
    for op in _calls(function):
        if not read[op.outs[-1]]:
            _record_only(op, [i for i, leaf in enumerate(op.args[1].items) if varied.has(leaf)])
    return function


def without_unread(function: Function) -> Function:
    """A program whose traced calls record only what it reads a cotangent of; changed in place.

    A derivative within it may be of some arguments, and what else a call reads has no part in it.
    """
    if not _calls(function):
        return function
    eliminate_dead_code(function)
    read, pulls = reads_of(function.body), defaultdict[Any, list[Any]](list)
    for op in walk(function.body):
        if isinstance(op, Op) and op.fn is pull:
            pulls[op.args[0]].append(op)
    for op in _calls(function):
        if len(pulls[op.outs[-1]]) != read[op.outs[-1]]:
            continue
        asked = pulls[op.outs[-1]]
        if not asked or any(read[p.outs[-1]] for p in asked):
            continue
        moving = [i for i, _ in enumerate(op.args[1].items) if any(read[p.outs[i]] for p in asked)]
        if _record_only(op, moving):
            for p in asked:
                p.outs = (*(p.outs[i] for i in moving), p.outs[-1])
                p.args = (p.args[0], Seq(tuple(p.args[1].items[i] for i in moving)), p.args[2])
    return function


def _calls(function: Function) -> list[Any]:
    return [op for op in walk(function.body) if isinstance(op, Op) and op.fn is traced_call]


def _record_only(op: Any, moving: Sequence[int]) -> bool:
    """Let a call record these leaves alone; whether that is less than it did."""
    call, leaves, constants = op.args
    assert isinstance(call, Lit) and isinstance(leaves, Seq) and isinstance(constants, Seq)
    still = [i for i in range(len(leaves.items)) if i not in moving]
    if not still or call.value.entering:
        return False
    op.args = (
        Lit(call.value.with_leaves(moving, still, len(leaves.items))),
        Seq(tuple(leaves.items[i] for i in moving)),
        Seq((*constants.items, *(leaves.items[i] for i in still))),
    )
    return True


def call_sites(derivative: Any) -> CallSites:
    """Calls of what can't be compiled are traced when the program runs, if the derivative may trace.

    A solver is called as it is, and its equation compiled.
    """
    traces = derivative.may_trace()

    def solver(*args: Any) -> Any:
        return doors.solver_call()(*args, traces)

    return CallSites(TracedCall, traced_call, NotOnTrial, solver, traces)


def require_more_than_a_call(primal: Primal) -> Primal:
    """The program itself; refused if it is one call that can't be followed: the whole is traced, then.

    Raises:
        AdError: why the call can't be followed.
    """
    operations = [op for op in walk(primal.function.body) if not (isinstance(op, Op) and op.fn in NAMING)]
    if primal.calls and len(operations) <= len(primal.calls):
        raise next(iter(primal.calls.values()))
    return primal


# ----- the operations --------------------------------------------------------------------------------
def traced_call(call: TracedCall, leaves: tuple[Any, ...], constants: tuple[Any, ...]) -> tuple[Any, ...]:
    """The leaves of the callee's result and, last, the pullback. ``leaves``: what has a derivative."""
    values, pullback = call(leaves, constants)
    return (*values, pullback)


def pull(pullback: Any, leaves: tuple[Any, ...], cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
    """Cotangents of ``leaves`` from those of the values and, last, the pullback of this very operation."""
    found = pullback(cotangents)
    fitted = [_fitted(bar, leaf) for bar, leaf in zip(found, leaves, strict=True)]
    return (*fitted, Later(pullback, cotangents))


def _fitted(bar: Any, leaf: Any) -> Any:
    """A copy of a cotangent, in the form of its leaf."""
    if isinstance(leaf, np.ndarray):
        return np.array(bar, leaf.dtype)
    return np.asarray(bar)[()] if isinstance(leaf, np.generic) else np.asarray(bar).item()


def _lower_pull(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``pull`` as the rules call it: its results have the types of the leaves.

    Of the values only those have a cotangent that carry a derivative; that is None where nothing depends on
    such a value. The last cotangent is that of the pullback.
    """
    pullback, leaves, values, cotangents = args
    wanted = [cx.arg(leaf) for leaf in leaves.items]
    given = [
        cx.arg(bar)
        for value, bar in zip(values.items, cotangents.items[:-1], strict=True)
        if carries_derivative(type_of_arg(cx.arg(value)))
    ]
    outs = [Var(cotangent_type(type_of_arg(leaf))) for leaf in wanted]
    again = Var(Opaque("pullback"), "pullback")
    builder = cx.builder
    operands = pullback, Seq(tuple(wanted)), Seq(tuple(given))
    builder.append(Op(pull, operands, (*outs, again), {}, builder.span, adjoint=builder.adjoint))
    return Tup((*map(cx.wrap_var, outs), again))


pull.__ast_ad_lower__ = _lower_pull  # type: ignore[attr-defined]


@vjp(traced_call, absent=True)
def _traced_call_rule(g, ans, call, leaves, constants):  # type: ignore[no-untyped-def]
    return None, pull(ans[-1], leaves, ans[:-1], g)[:-1], None  # type: ignore[call-arg]


@vjp(pull, absent=True)
def _pull_rule(g, ans, pullback, leaves, cotangents):  # type: ignore[no-untyped-def]
    given = tuple(bar for bar in cotangents if bar is not None)
    bars = pull(ans[-1], (*leaves, *given), ans[:-1], g)  # type: ignore[call-arg]
    of_given = list(bars[len(leaves) : -1])
    of_cotangents = tuple(None if bar is None else of_given.pop(0) for bar in cotangents)
    return None, bars[: len(leaves)], of_cotangents


_OWN = os.path.join(os.path.dirname(os.path.dirname(__file__)), ""), "<slice of ", "<frozen importlib"


# ----- what a callee does to its surroundings ----------------------------------------------------------
@contextmanager
def _counted(call: TracedCall) -> Iterator[None]:
    """Made-up arguments may make a loop run for ever: stop after a number of steps.

    Only in code of the user's or of a library: this package's is not made to be stopped anywhere.
    """

    def count(frame: Any, event: str, arg: Any) -> Any:
        call.steps -= 1
        if call.steps < 0 and not frame.f_code.co_filename.startswith(_OWN):
            raise NotOnTrial("it runs for long on made-up arguments")
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)


def _statics(tree: TreeDef) -> Iterator[Any]:
    if not tree.children and tree.static is not None:
        yield tree.static
    for child in tree.children:
        yield from _statics(child)


def _only_tuples(tree: TreeDef) -> bool:
    if tree.type is STATIC:
        return tree.static is None or isinstance(tree.static, (bool, str))
    plain = issubclass(tree.type, tuple) and tree.static is None  # of no registered class
    return tree.type is LEAF or plain and all(map(_only_tuples, tree.children))


def _copy(value: Any) -> Any:
    return value.copy() if type(value) is np.ndarray else None


def _written(value: Any, version: Any, before: Any) -> bool:
    if before is not None:
        return not _same(value, before)
    return version is not None and version != value._version


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _apart(leaves: Sequence[Any]) -> list[Any]:
    """The leaves, each with memory of its own: what is an argument twice has two cotangents."""
    found: list[Any] = []
    for leaf in leaves:
        found.append(leaf.copy() if any(_share(leaf, other) for other in found) else leaf)
    return found


def _share(a: Any, b: Any) -> bool:
    a, b = getattr(a, "_array", a), getattr(b, "_array", b)
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.may_share_memory(a, b)
