"""What is a call of a solver in a compiled program? SciPy's own call, and then a pullback of its equation.

The solver gets the user's functions as they are, on plain numbers. Its equation is recorded by the same rules
as where a function is traced (``tracing.solvers``), but nothing of the user's is traced for that: a function
that the equation reads is one node of the graph, with a pullback that is compiled (``compiled_pullbacks``) as
that of a function of its arguments and of all that it finds around it. Where that can't be compiled, the call
alone is traced, as any other that can't be followed (``traced_callees``).
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..compiler.frontend.callables.calls import call as abstract_call
from ..compiler.frontend.callables.lifted_functions import Enclosed, Partial, lowered, plainly
from ..compiler.frontend.callables.solver_calls import Form
from ..compiler.frontend.context import Context
from ..compiler.frontend.values import Tup
from ..compiler.ir.ops import Span
from ..compiler.ir.types import Scalar, Type, carries_derivative
from ..eager.collector import collected_rarely
from ..eager.dispatch import needs_grad
from ..eager.state import state
from ..eager.views import edge_of
from ..errors import InputError, InternalError, NoDerivativeError, OtherTypeError, UnsupportedError
from ..tracing.births import births
from ..tracing.pullbacks import Rearranged, spread
from ..tracing.recorder import TracedPullback, _start, recording
from ..tracing.replacements import replaced_by
from ..tracing.solvers.functions import Call, bare, place_of_call, untraced
from ..tracing.solvers.table import HANDLERS
from ..tracing.sought import differentiated_by
from ..tracing.traced_array import Traced, plain
from ..trees import LEAF, STATIC, TreeDef, flatten
from .compiled_pullbacks import CannotCompile, EveryFloat, compiled_vjp, numbers_of, told_of
from .tensor_nodes import edges_of, has_derivative, recorded
from .traced_callees import TracedCall
from .writes_outside import writes_outside

_leaf = TreeDef(LEAF, (), ())
# Of which type a number is that a solver returns: by the place of the call, and of the number in the result.
_seen: dict[tuple[Any, int], Type] = {}


class SolverCall(TracedCall):
    """One call of a solver.

    Args:
        form: what it returns.
        span: where it stands.
        traces: whether it may be traced.
    """

    def __init__(
        self,
        function: Any,
        tree: TreeDef,
        order: Sequence[int],
        form: Form,
        span: Span,
        traces: bool,
    ) -> None:
        super().__init__(function, tree, order)
        self.form, self.traces = form, traces
        self.place = span.filename, span.line, span.function or "<module>"
        self.functions: list[Lifted | None] = []
        self.skeleton = self._without_functions(tree)
        self.site = function, span.filename, span.line, span.column
        self.result = form.tree
        self.settle([_seen.get((self.site, i), copy.copy(t)) for i, t in enumerate(form.types)])
        given = [f.sample() for f in self.functions if f is not None]
        self.pure = self.pure and all(self.search.pure(f) and not writes_outside(f) for f in given)
        self.refused: set[Any] = set()  # the kinds of arguments for which an equation can't be compiled

    def _without_functions(self, tree: TreeDef) -> TreeDef:
        """The structure of the arguments with a leaf for each function."""
        if tree.type is LEAF:
            self.functions.append(None)
            return tree
        if tree.type in (Enclosed, Partial) or tree.type is STATIC and _is_function(tree.static):
            self.functions.append(Lifted(tree))
            return _leaf
        return TreeDef(tree.type, tree.keys, tuple(map(self._without_functions, tree.children)), tree.static)

    def __call__(self, leaves: tuple[Any, ...], constants: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        kind = tuple((type(v), getattr(v, "dtype", None), np.ndim(v)) for v in (*leaves, *constants))
        problem: BaseException | None = None
        if kind not in self.refused:
            try:
                return self._recorded(leaves, constants)
            except (CannotCompile, InputError, NoDerivativeError) as failed:
                problem = failed.__cause__ if isinstance(failed, CannotCompile) else None
                self.refused.add(kind)
        if not self.traces:
            raise self.differs("the equation that it solves can't be compiled")
        call = super().__call__
        return told_of(self.function, problem, lambda: call(leaves, constants))

    def run(self, inputs: Sequence[Any], callee: Any) -> tuple[list[Any], TreeDef]:
        """Call the solver, within a trace."""
        return super().run(inputs, functools.partial(self._selected_of, replaced_by(callee) or callee))

    def _selected_of(self, solver: Any, *args: Any, **kwargs: Any) -> Any:
        return self._selected(solver(*plainly(args), **plainly(kwargs)))

    def _selected(self, found: Any) -> Any:
        """The parts of a result that are known to the program."""
        names = self.form.names
        if names is None:
            return found
        parts = [_part(found, name) for name in names]
        return tuple(np.array(part) if isinstance(part, (bool, np.bool, int)) else part for part in parts)

    def _recorded(
        self, leaves: tuple[Any, ...], constants: tuple[Any, ...], to_first_order: bool = True
    ) -> tuple[tuple[Any, ...], Any]:
        """The values and the pullback; ``to_first_order``: whether its own may need another call."""
        inputs, count = (*leaves, *constants), len(leaves)
        static = [(array, array.copy()) for array in map(plain, self.search.arrays)]
        with collected_rarely(), recording(), _alone(self.place):
            state.grad = count > 0
            starts = [_start(leaf) for leaf in leaves]
            ends = [edge_of(start) for start in starts]  # older than all that leads there
            copies = [_copy(value) for value in constants]
            entries = (*starts, *copies)
            given = iter([entries[i] for i in self.order])
            args, kwargs = self.skeleton.unflatten([self._given(given, f) for f in self.functions])
            call = CompiledCall(self.function, args, kwargs)
            call.to_first_order = to_first_order
            with differentiated_by(starts, alone=True):  # what the solver tells beside may depend on all
                found = flatten(self._selected(HANDLERS[self.__name__](call)))[0]
        now = (*(plain(start) for start in starts), *copies)
        self._require_unwritten([*zip(now, inputs, strict=True), *static])
        del ends
        values = tuple(self.converted(plain(v), t) for v, t in zip(found, self.types, strict=True))
        floats = [i for i, t in enumerate(self.types) if carries_derivative(t)]
        pullback: Any = TracedPullback(found, starts)
        if call.is_of_first_order:
            pullback = Again(pullback, lambda: self._again(now, count, static))
        return values, spread(pullback, floats, len(values), count)

    def _again(self, inputs: Sequence[Any], count: int, static: Sequence[tuple[Any, Any]]) -> Any:
        """The pullback of the same call, to any order."""
        self._require_unwritten(static)
        _, pullback = self._recorded(tuple(inputs[:count]), tuple(inputs[count:]), to_first_order=False)
        floats = [i for i, t in enumerate(self.types) if carries_derivative(t)]
        return Rearranged(pullback, floats, range(count))

    def converted(self, value: Any, type: Type) -> Any:
        """A copy of the value, of this very type.

        Raises:
            OtherTypeError: it is a number of Python's where one of NumPy's was expected, or the other way
                round. That depends on the user's functions; the next program knows.
        """
        expected = isinstance(type, Scalar) and type.kind == "float" and (np.float64 if type.dtype else float)
        found = np.float64 if isinstance(value, np.float64) else float
        if expected and found is not expected:
            place = self.site, next(i for i, t in enumerate(self.types) if t is type)
            known = _seen.setdefault(place, Scalar("float", np.dtype(float) if expected is float else None))
            kind = OtherTypeError if known != type else UnsupportedError  # it is now this one, now that one
            raise kind(f"the call of `{self.__name__}`", None, f"it returned a {found.__name__}", "trace it")
        return super().converted(value, type)

    def _given(self, leaves: Iterator[Any], function: Lifted | None) -> Any:
        if function is None:
            return next(leaves)
        return CompiledFunction(function, [next(leaves) for _ in range(function.tree.num_leaves)])

    def _require_unwritten(self, arrays: Sequence[tuple[Any, Any]]) -> None:
        """Raise where a function has written to what it finds around it."""
        for now, before in arrays:
            if isinstance(now, np.ndarray) and now.tobytes() != np.asarray(before).tobytes():
                if now.flags.writeable:
                    now[...] = before
                raise self.differs("one of its functions writes to an array from outside")


def _part(found: Any, name: str) -> Any:
    """What stands in a result under a name: attributes, and places in tuples."""
    for step in name.split("."):
        found = found[int(step)] if step.isdigit() else getattr(found, step)
    return found


class Again:
    """A pullback to first order; for its own the call is made again."""

    def __init__(self, pullback: Any, again: Callable[[], Any]) -> None:
        self.pullback, self.again = pullback, again

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(self.pullback(cotangents))

    def linearize(self, cotangents: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        return self.again().linearize(cotangents)  # type: ignore[no-any-return]


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)


def _copy(value: Any) -> Any:
    return value.copy("K") if isinstance(value, np.ndarray) else value


@contextmanager
def _alone(place: tuple[str, int, str]) -> Iterator[None]:
    """Rules run as within a trace, of which no code of the user's is a part."""
    before, births.made = (state.tracing, births.made), None
    state.tracing += 1
    token = place_of_call.set(place)
    try:
        yield
    finally:
        place_of_call.reset(token)
        state.tracing, births.made = before


class CompiledCall(Call):
    """A call whose functions are ``CompiledFunction``."""

    def make_bare(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            values[name] = bare(value)

    def value_of(self, function: Any, x: Any, args: tuple[Any, ...]) -> Any:
        if not isinstance(function, CompiledFunction):
            return super().value_of(function, x, args)
        with untraced():
            return np.asarray(bare(function)(x, *bare(args)))

    def unknown_stores(self) -> Any:
        return contextlib.nullcontext()  # its functions store nothing


# ----- the functions that a solver is given
class Lifted:
    """A function of the program's, as one of all that it finds around it, too: ``tree`` is its structure."""

    def __init__(self, tree: TreeDef) -> None:
        self.tree = tree
        self.every = EveryFloat(_called_by(self))
        self._walks: dict[Any, EveryFloat | None] = {}

    def within(self, walk: Callable[..., Any]) -> EveryFloat | None:
        """Code that calls the function, as one that is compiled; None where it was refused before."""
        if walk not in self._walks:
            self._walks[walk] = EveryFloat(_walked(self, walk))
        return self._walks[walk]

    def refuse(self, walk: Callable[..., Any]) -> None:
        self._walks[walk] = None

    def sample(self) -> Any:
        """The function with made-up numbers around it, to be searched."""
        return self.function([np.ones(1)] * self.tree.num_leaves)

    def function(self, leaves: Sequence[Any]) -> Any:
        return plainly(self.tree.unflatten(list(leaves)))

    def __call__(self, leaves: Sequence[Any], args: Sequence[Any]) -> Any:
        return self.function(leaves)(*args)

    def __ast_ad_lower__(self, cx: Context, given: list[Any], kwargs: dict[str, Any]) -> Any:
        leaves, args = given
        assert isinstance(leaves, Tup) and isinstance(args, Tup)
        return abstract_call(cx, lowered(cx, self.tree, iter(leaves.items)), list(args.items), kwargs)


def _called_by(lifted: Lifted) -> Any:
    """The same as code that the compiler reads."""

    def equation(leaves: Any, args: Any) -> Any:
        return lifted(leaves, args)

    return equation


def _walked(lifted: Lifted, walk: Any) -> Any:
    """The same with code around it."""

    def equation(leaves: Any, args: Any) -> Any:
        return walk(lambda *point: lifted(leaves, point), *args)

    return equation


class CompiledFunction:
    """A function with what it finds around it, at a place of the graph perhaps: a call is one node there."""

    def __init__(self, lifted: Lifted, leaves: Sequence[Any]) -> None:
        self.lifted, self.leaves = lifted, tuple(leaves)
        self._plain = lifted.function([plain(leaf) for leaf in leaves])

    def bare(self) -> Any:
        return self._plain

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not state.grad:
            with untraced():
                return self._plain(*bare(args), **kwargs)
        leaves, tree = flatten((self.leaves, args))
        values = [plain(leaf) for leaf in leaves]
        if not any(isinstance(leaf, Traced) and needs_grad(leaf) for leaf in leaves):
            with untraced():
                return self._plain(*tree.unflatten(values)[1], **kwargs)
        if kwargs:
            raise CannotCompile()
        with untraced():
            point = tree.unflatten(numbers_of(leaves))
            value, pullback = compiled_vjp(self.lifted.every.function, point, self.lifted.every)
        parts, structure = flatten(value)
        edges = edges_of(leaf for leaf in leaves if has_derivative(leaf))
        return structure.unflatten(recorded(parts, pullback, edges, Traced))

    def through(self, walk: Callable[..., Any], *args: Any) -> Any:
        """What code that calls the function makes of it, as one node; None if that can't be compiled."""
        found = self._walked(walk, args)
        return None if found is None else self._node(*found, args)

    def pulled(self, walk: Callable[..., Any], *args: Any) -> tuple[Any, Any] | None:
        """The plain value of that code, an array, and its pullback; None if that can't be compiled.

        The pullback gives, for a cotangent, those of what the function finds around it, and of ``args``: in
        their structure, None where there is no derivative.
        """
        found = self._walked(walk, args)
        if found is None:
            return None
        leaves, tree = flatten((self.leaves, args))
        floats = [has_derivative(leaf) for leaf in leaves]

        def pull(bar: Any) -> Any:
            bars = iter(found[1]([bar]))
            return tree.unflatten([next(bars) if is_float else None for is_float in floats])

        return found[0], pull

    def placed(self, value: Any, pull: Callable[[Any], Any], *args: Any) -> Any:
        """A value in the graph, to first order; ``pull`` as that of ``pulled``."""
        return self._node(value, ToFirstOrder(pull), args)

    def _walked(self, walk: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any] | None:
        every = self.lifted.within(walk)
        if every is None:
            return None
        leaves, tree = flatten((self.leaves, args))
        try:
            with untraced():
                return compiled_vjp(every.function, tree.unflatten(numbers_of(leaves)), every)
        except (CannotCompile, InputError, NoDerivativeError) as failed:
            self.lifted.refuse(walk)
            return told_of(self._plain, failed.__cause__, lambda: None)  # a failure of ours is no secret

    def _node(self, value: Any, pullback: Any, args: tuple[Any, ...]) -> Any:
        edges = edges_of(leaf for leaf in flatten((self.leaves, args))[0] if has_derivative(leaf))
        return recorded([value], pullback, edges, Traced)[0]


class ToFirstOrder:
    """A pullback by formula, which has none of its own."""

    def __init__(self, pull: Callable[[Any], Any]) -> None:
        self.pull = pull

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(flatten(self.pull(cotangents[0]))[0])

    def linearize(self, cotangents: Sequence[Any]) -> Any:
        raise InternalError("the pullback of one to first order", why="the call is made again for that")
