"""What is a derivative when it is called with tensors? One node of their graph, or a part of the trace.

A compiled derivative runs on plain arrays; the node that stands for it has its pullback, and in a backward
that is itself recorded, the pullback is a node like this one. What can't be compiled is traced in place, in
the graph that the tensors belong to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compiler.frontend.context import TensorOutside
from ..eager import namespace  # noqa: F401  (the operators of tensors)
from ..eager.dispatch import needs_grad
from ..eager.node import next_number
from ..eager.numpy_protocol import run
from ..eager.state import state
from ..eager.tensor import Tensor
from ..eager.views import edge_of
from ..errors import AdError, InputError, UnsupportedError
from ..tracing import is_tracing
from ..tracing.held_numbers import holders
from ..tracing.history import ends
from ..tracing.patches import replaced
from ..tracing.recorder import TracedPullback, recording
from ..tracing.shared_arguments import Sharing, Twice, of_caller
from ..tracing.sought import differentiated_by
from ..tracing.survivors import OwnDict, OwnList
from ..tracing.traced_array import Traced, like, plain
from ..trees import changed, flatten, noting_changes
from .alike import check_like, structured
from .compiled_pullbacks import CannotCompile, EveryFloat, compiled_vjp
from .derivative import Derivative
from .forward import far_from_zero, require_no_constant, require_same
from .reasons import as_reason, warn
from .request import Request
from .tensor_nodes import Edge, edges_of, has_derivative, recorded
from .traced import loss_seeds, require_nothing_held


def in_the_graph(
    derivative: Derivative, keywords: tuple[str, ...] = (), reason: AdError | None = None
) -> Any:
    """A call of a derivative in which there are tensors, in the place of a compiled program."""
    if derivative.of_tensors is not None:
        return derivative.of_tensors(derivative, keywords, reason)
    if derivative.question.as_it_is:
        return AsItIs(derivative, keywords, reason)
    return TensorCall(derivative, keywords, reason)


class TensorCall:
    """A call of a derivative in which there are tensors, in the place of a compiled program."""

    mode = "compiled"
    checked = "the derivative that it calls is"

    def __init__(
        self, derivative: Derivative, keywords: tuple[str, ...] = (), reason: AdError | None = None
    ) -> None:
        self.owner = self.derivative = derivative
        self.keywords, self.reason = keywords, reason
        self.question = derivative.question

    def answer(self, results: Any, inputs: Sequence[Any]) -> Any:
        """What the user gets: what a run gave."""
        return results

    def take(self, values: Sequence[Any]) -> None:
        """Note the arguments, by position and then by keyword."""
        self.values: Any = values
        split = len(values) - len(self.keywords)
        self.kwargs = dict(zip(self.keywords, values[split:], strict=True))
        self.given = tuple(values[:split]), self.kwargs
        self.leaves, self.tree = flatten(self.given)
        tensors = [leaf for leaf in self.leaves if isinstance(leaf, Tensor)]
        traced = is_tracing() or any(isinstance(t, Traced) for t in tensors)
        self.face = Traced if traced else Tensor
        self.recorded = state.grad and any(needs_grad(t) for t in tensors)
        self.plain_args, self.plain_kwargs = self.tree.unflatten([plain(leaf) for leaf in self.leaves])

    def __call__(self, values: Sequence[Any]) -> Any:
        """What the derivative returns, its floats as tensors of the arguments' graph."""
        self.take(values)
        try:
            return self.noted()
        finally:  # the derivative keeps this call as its last one, but no arguments of the user's
            self.values, self.given, self.leaves = (), ((), {}), []
            self.plain_args, self.plain_kwargs, self.kwargs = (), {}, {}

    def noted(self) -> Any:
        """The answer; what the function changes is noted for a derivative around it."""
        if changed.parts is None:
            return self.answered()
        with noting_changes() as within:
            found = self.answered()
        changed.note(of_caller(within, self.leaves, self.given))
        return found

    def answered(self) -> Any:
        derivative, reason = self.derivative, self.reason
        if reason is None:
            if not self.question.later and not self.recorded:
                parts, tree = flatten(derivative(*self.plain_args, **self.plain_kwargs))
                return tree.unflatten([self.tensor(part) for part in parts])
            try:
                if self.kwargs:
                    raise CannotCompile() from UnsupportedError("tensors that are passed by keyword only")
                return self.question.recorded(self)
            except CannotCompile as problem:
                reason = as_reason(problem.__cause__)  # type: ignore[arg-type]
        return self.traced_for(reason)

    def traced_for(self, reason: AdError) -> Any:
        """The answer of a trace. It may show that a result is real, where the compiled one may be complex."""
        function, found = self.derivative.function, None
        if self.derivative.options.fallback == "error":
            raise reason
        if isinstance(reason, InputError):
            try:
                found = self.in_place()
            except InputError:
                raise reason from None
        if not isinstance(reason, TensorOutside):
            warn(function, reason)
        return found if isinstance(reason, InputError) else self.in_place()

    def tensor(self, part: Any) -> Any:
        """A number that is computed from plain ones; a tensor, where the function has read another tensor."""
        if isinstance(part, Tensor):
            return as_face(part, self.face)
        return self.face._of(part) if has_derivative(part) else part

    def in_place(self) -> Any:
        """The answer of a trace."""
        self.mode = "fallback"
        return TracedInPlace(self).answer()

    def node(self) -> Any:
        """The gradient, as the outputs of one node."""
        value, pullback = compiled_vjp(self.derivative, self.plain_args)
        parts, tree = flatten(value)
        return tree.unflatten(recorded(parts, pullback, self.edges(), self.face))

    def edges(self) -> list[Edge]:
        """Of the leaves that are varied."""
        return edges_of(leaf for leaf in self.leaves if has_derivative(plain(leaf)))

    def pulled(self) -> Any:
        """The value, and a pullback that takes tensors."""
        every = vars(self.derivative).get("_every_value")
        if every is None:
            every = EveryFloat(self.derivative.function, self.derivative.options.check)
            self.derivative._every_value = every  # type: ignore[attr-defined]
        value, pullback = compiled_vjp(every.function, self.plain_args, every)
        require_nothing_held(self.question.parts(value)[0], getattr(pullback, "holders", ()))
        parts, tree = flatten(value)
        edges, request = self.edges(), self.request()
        outputs = recorded(parts, pullback, edges, self.face)
        floats = [i for i, leaf in enumerate(self.leaves) if has_derivative(plain(leaf))]
        within = is_tracing()

        def pull_back(cotangent: Any) -> Any:
            given = _cotangents(cotangent, value, self.derivative)
            found, second = pullback.linearize([None if g is None else plain(g) for g in given])
            if within and not is_tracing():  # the trace is over
                bars = found
            else:
                of_given = edges_of(g for g in given if g is not None)
                bars = recorded(found, second, [*edges, *of_given], self.face)
            return gradients(request, [bars[floats.index(i)] for i in request.wrt])

        return self.question.answer(*self.question.parts(tree.unflatten(outputs)), pull_back)

    def request(self) -> Request:
        return Request(self.derivative, *self.derivative._described(self.plain_args, self.plain_kwargs))


class AsItIs:
    """A function that is called with tensors as it is: the derivatives that it calls are asked for theirs."""

    mode = "compiled"
    checked = "the derivatives that it calls are"

    def __init__(
        self, derivative: Derivative, keywords: tuple[str, ...] = (), reason: AdError | None = None
    ) -> None:
        self.owner, self.keywords, self.reason = derivative, keywords, reason

    def __call__(self, values: Sequence[Any]) -> Any:
        leaves, tree = flatten(list(values))
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        face = Traced if is_tracing() or any(isinstance(t, Traced) for t in tensors) else Tensor
        # All of them, so that derivatives at plain arguments along tensors are of the graph, too.
        entries = tree.unflatten([_entered(leaf) for leaf in leaves])
        split = len(entries) - len(self.keywords)
        kwargs = dict(zip(self.keywords, entries[split:], strict=True))
        found, structure = flatten(self.owner.function(*entries[:split], **kwargs))
        return structure.unflatten([as_face(t, face) if isinstance(t, Tensor) else t for t in found])

    def answer(self, results: Any, inputs: Sequence[Any]) -> Any:
        return results


class TracedInPlace:
    """A function traced within the graph of the tensors that it is called with."""

    def __init__(self, call: TensorCall) -> None:
        self.call, self.request = call, call.request()
        self.points: dict[int, Any] = OwnDict()
        self.own: list[Any] = []  # what requires grad for the sake of this call alone
        self.asker = object()  # all its sweeps are of one derivative
        derivative = call.derivative
        with recording():
            entries = [self.entry(i, leaf) for i, leaf in enumerate(call.leaves)]
            sharing = Sharing(call.leaves, self.request.wrt)
            sharing.enter(entries)
            args, kwargs = call.tree.unflatten(entries)
            twice = Twice(call.given, (args, kwargs))
            points = self.points.values()
            with replaced(derivative.function), differentiated_by(points), noting_changes() as within:
                self.result = derivative.function(*args, **kwargs)
            for check in (sharing.check, twice.check):
                check(derivative.function, list(call.tree.statics()), within)
        outputs, self.structure = flatten(self.result)
        if call.question.later:
            require_nothing_held(call.question.parts(self.result)[0], holders(self.structure))
        self.outputs = OwnList(outputs)

    def entry(self, position: int, leaf: Any) -> Any:
        """What the function gets: a copy, which it may write to, of a point of the graph."""
        if not has_derivative(plain(leaf)):
            return plain(leaf).copy() if isinstance(plain(leaf), np.ndarray) else leaf
        if isinstance(leaf, Tensor):  # asked first: a traced array passes for an ndarray
            given = as_face(leaf, Traced)
        else:
            given = Traced._of(leaf)
        if position in self.request.wrt:
            given = _copied_point(given)
            given._requires_grad = True
            if not isinstance(leaf, Tensor) or not needs_grad(leaf):
                given._made_at = next_number()
                self.own.append(given)
            self.points[position] = given
        return given if given._scalar else run(np.copy, (given,), {})

    def pulled(self) -> Any:
        """The gradient of the number that the function returned."""
        seeds = loss_seeds(self.plain_result(), self.call.question.has_aux)
        return self.swept([None if g is None else Tensor._of(np.asarray(g)) for g in seeds])

    def pulled_later(self) -> Any:
        """The pullback."""
        value, derivative = self.plain_result(), self.call.derivative

        def pull_back(cotangent: Any) -> Any:
            given = _cotangents(cotangent, value, derivative)
            return self.swept([g if g is None or isinstance(g, Tensor) else Tensor._of(g) for g in given])

        return pull_back

    def pushed_later(self) -> Any:
        """The pushforward: the pullback of the pullback, which is linear in its seeds."""
        count = len(flatten(self.call.question.parts(self.plain_result())[0])[0])
        varied = [i for i in range(count) if has_derivative(plain(self.outputs[i]))]
        name = getattr(self.call.derivative.function, "__name__", "function")
        zeros, transposed = self.transposed(varied, np.zeros_like)
        require_no_constant(zeros, name)
        _, elsewhere = self.transposed(varied, far_from_zero)

        def push(*tangents: Any) -> Any:
            self.require_history()
            asked = zip(self.request.wrt, self.request.varied(tangents), strict=True)
            given = [t if t is None else self.given(t, self.points[i]) for i, t in asked]
            with recording():
                found, other = (dict(zip(varied, at(given), strict=True)) for at in (transposed, elsewhere))
                parts = [self.tangent(found.get(i), i) for i in range(count)]
            for i in varied:
                one, two = (_plain_or_zero(at[i], self.outputs[i]) for at in (found, other))
                require_same(one, two, name)
            question = self.call.question
            whole = question.parts(self.structure.unflatten(self.outputs))[0]
            return flatten(whole)[1].unflatten(parts)

        return push

    def require_history(self) -> None:
        """
        Raises:
            UnsupportedError: the trace that it was asked for in is over, and has kept nothing.
        """
        if not all(needs_grad(point) for point in self.points.values()):
            name = getattr(self.call.derivative.function, "__name__", "function")
            raise UnsupportedError(
                f"what {self.call.question.name} of `{name}` gave within a derivative, called behind it",
                why="the function was traced there, and a trace keeps nothing when it is over",
                fix="call it within the function that is differentiated, or ask for it outside",
            )

    def given(self, tangent: Any, point: Any) -> Any:
        """A tangent as a tensor of the shape and the dtype of its point."""
        like = point._array
        check_like(plain(tangent), like.shape, like.dtype, "tangent", "argument")
        if isinstance(tangent, Tensor):
            return tangent if tangent._array.dtype == like.dtype else tangent.to(point.dtype)
        return Tensor._of(np.asarray(tangent, like.dtype))

    def transposed(self, varied: Sequence[int], seed: Any) -> tuple[list[Any], Any]:
        """The cotangents of the points at cotangents of some outputs, ``seed(output)``, and their transpose.

        That maps tangents of the points to those of the outputs, None for zero.
        """
        points = [self.points[i] for i in self.request.wrt]
        seeds: list[Any] = [None] * len(self.outputs)
        with recording():
            for i in varied:
                seeds[i] = Tensor._of(np.asarray(seed(plain(self.outputs[i]))))
                seeds[i]._requires_grad, seeds[i]._made_at = True, next_number()
                self.own.append(seeds[i])
            bars = TracedPullback(self.outputs, points, asker=self.asker)._sweep(seeds, True, linear=True)
        reached = [n for n, bar in enumerate(bars) if bar is not None]
        found = [bars[n] for n in reached]
        pullback = TracedPullback(found, [seeds[i] for i in varied])
        return [plain(bar) for bar in found], lambda given: pullback._sweep([given[n] for n in reached], True)

    def tangent(self, found: Any, i: int) -> Any:
        """The tangent of an output: zero where nothing leads there, and 0 for an integer."""
        if not has_derivative(plain(self.outputs[i])):
            return 0
        zero = Tensor._of(np.zeros_like(plain(self.outputs[i])))
        return self.part(zero if found is None else found, self.outputs[i])

    def part(self, t: Any, kind: Any) -> Any:
        """A tensor of the answer: with its graph, if that leads to one that was not made for this call."""
        kept = needs_grad(t) and (self.call.recorded or any(True for _ in ends([t], self.own)))
        return as_face(t if kept else Tensor._of(t._array), self.call.face, kind)

    def plain_result(self) -> Any:
        """What the function returned, as plain arrays."""
        return self.structure.unflatten([plain(t) for t in self.outputs])

    def swept(self, seeds: Sequence[Any]) -> Any:
        """The cotangents in the structure of the arguments that are asked for."""
        self.require_history()
        points = [self.points[i] for i in self.request.wrt]
        with recording():
            found = TracedPullback(self.outputs, points, asker=self.asker)._sweep(seeds, True)
            bars = [
                self.part(_zeros(point) if bar is None else bar, point)
                for bar, point in zip(found, points, strict=True)
            ]
        return gradients(self.request, bars)

    def answer(self) -> Any:
        """What the derivative returns."""
        question = self.call.question
        value = self.structure.unflatten(
            [self.part(t, t) if isinstance(t, Tensor) else t for t in self.outputs]
        )
        return question.answer(*question.parts(value), question.traced(self))


def _plain_or_zero(t: Any, like: Any) -> Any:
    return np.zeros_like(plain(like)) if t is None else plain(t)


def _entered(leaf: Any) -> Any:
    """A float as a traced one, which is of a tensor's graph where it is a tensor."""
    if isinstance(leaf, Tensor):
        return as_face(leaf, Traced)
    return Traced._of(leaf) if has_derivative(leaf) else leaf


def gradients(request: Request, bars: Sequence[Any]) -> Any:
    """Tensors in the structure of the arguments that were asked for."""
    given = dict(zip(request.wrt, bars, strict=True))
    out = [
        request.trees[i].unflatten([given.get(p, 0) for p in range(*request.ranges[i])])
        for i in request.chosen
    ]
    return out[0] if request.owner.single else tuple(out)


def _cotangents(cotangent: Any, value: Any, derivative: Derivative) -> list[Any]:
    """A cotangent for each leaf of a value; None for what has none."""
    parts, (asked, tree) = flatten(value)[0], flatten(derivative.question.parts(value)[0])
    if derivative.every_leaf:  # it gets them leaf by leaf
        floats = [i for i in range(len(asked)) if has_derivative(parts[i])]
        leaves = dict(zip(floats, flatten(cotangent)[0], strict=True))
    else:
        leaves = dict(enumerate(structured(tree, cotangent, "cotangent", "value")))
    given: list[Any] = [None] * len(parts)
    for i, bar in leaves.items():
        if has_derivative(parts[i]):
            like = plain(parts[i])
            check_like(plain(bar), np.shape(like), np.result_type(like), "cotangent", "value")
            given[i] = bar
    return given


def as_face(t: Any, face: Any, kind: Any = None) -> Any:
    """The same point of the graph as a tensor of another class; ``kind``: of the kind of this one."""
    found = like(t if kind is None else kind, t._array) if face is Traced else face._of(t._array)
    if needs_grad(t):
        found._node, found._nr = edge_of(t)
        found._requires_grad = True
    return found


def _copied_point(t: Any) -> Any:
    """A new point of the graph with the value of another: gradients that arrive here came this way."""
    return as_face(run(np.copy, (t,), {}), Traced, t)


def _zeros(point: Any) -> Any:
    return Tensor._of(np.zeros_like(point._array))
