"""What is a call of a function with a derivative rule of the user's own, where its arguments are traced?

One node of the graph. The function runs on plain arrays; in the reverse sweep its rule does, too, and where
the sweep is itself recorded, the rule runs again on traced arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..eager import namespace  # noqa: F401  (the operators of tensors)
from ..eager.node import NO_EDGE, Node, next_number
from ..eager.numpy_protocol import run
from ..eager.recording import needs_grad, twin
from ..eager.saved import FREED
from ..eager.state import state
from ..eager.tensor import Tensor
from ..eager.views import edge_of
from ..rules.rule_results import changed, check_leaf, no_tangent, writes, wrong_structure
from ..trees import TreeDef, flatten
from .askers import asker, depth, within
from .patches import replaced
from .recorder import TracedPullback, recording
from .rule_results import leaves_like
from .sought import differentiated_by
from .traced_array import Traced, like, plain, point


class Ruled(Protocol):
    """A function with a rule; its arguments and results may be traced."""

    name: str

    @property
    def rule(self) -> str:
        """What errors call the rule."""

    @property
    def saves(self) -> bool:
        """Whether the rule needs more than arguments and value."""

    @property
    def roots(self) -> tuple[Any, ...]:
        """The functions that a derivative runs."""

    def run(self, args: Any, kwargs: Any, outermost: bool) -> tuple[Any, Any]:
        """The value, and what the rule needs beside it, unless that is found out later."""

    def is_differentiated(self, position: int) -> bool:
        """Whether there is a derivative by a positional argument."""

    def label(self, position: int) -> str:
        """What errors call a positional argument."""

    def refusal(self) -> Exception:
        """The error for a derivative by something that the rule has no cotangent for."""

    @property
    def has_value(self) -> bool:
        """Whether a rule computes the value, so that its code is what is differentiated after the rule."""

    @property
    def has_tangent(self) -> bool:
        """Whether there is a rule for tangents."""

    @property
    def transposable(self) -> bool:
        """Whether tangents may be found by the transpose of the rule for cotangents."""

    def pulled(self, args: Any, kwargs: Any, ans: Any, saved: Any, g: Any, by_tangent: bool) -> list[Any]:
        """A cotangent for each positional argument, in its structure, or None.

        ``by_tangent``: by the transpose of the rule for tangents, though there is one for cotangents.
        """


LATER: Any = type("Later", (), {"__repr__": lambda self: "LATER"})()  # in place of what a rule needs


class RecordedCall:
    """A call on traced arrays or tensors.

    Attributes: ``leaves``, plain copies of the leaves of the arguments; ``tree``, the structure of these, a
    pair of a tuple and a dict; ``wrt``, which of the leaves have a derivative.
    """

    value: Any = None  # the code of the value, once it was traced

    def __init__(self, own: Ruled, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.own, self.outermost = own, depth.get() == 0
        self.given, self.tree = flatten((args, kwargs))
        self.leaves = [_copied(plain(leaf)) for leaf in self.given]
        self.face: Any = Traced if any(isinstance(leaf, Traced) for leaf in self.given) else Tensor
        self.owners = _owners(self.tree)
        chosen = [i >= 0 and own.is_differentiated(i) for i in self.owners]
        self.wrt = [i for i, leaf in enumerate(self.leaves) if chosen[i] and is_float(leaf)]
        live = {i for i, t in enumerate(self.given) if isinstance(t, Tensor) and needs_grad(t)}
        if not live.issubset(self.wrt) and state.grad:
            raise own.refusal()
        self.edges = [edge_of(self.given[i]) if i in live else NO_EDGE for i in self.wrt]

    def result(self) -> Any:
        """What the function returns, its floats as the outputs of one node."""
        before = [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in self.leaves]
        args, kwargs = self.tree.unflatten(self.leaves)
        with within():
            out, self.saved = self.own.run(args, kwargs, self.outermost)
        now, tree = flatten((args, kwargs))
        kept = tree == self.tree and all(a is b for a, b in zip(now, self.leaves, strict=True))
        if not kept or not all(map(_same, before, now)):
            raise writes(self.own.name)
        found, self.out_tree = flatten(out)
        if state.grad and any(isinstance(t, Tensor) and needs_grad(t) for t in found):
            raise self.own.refusal()
        self.results = [_copied(plain(leaf)) for leaf in found]
        made = [self.face._of(_copied(leaf)) if is_float(leaf) else leaf for leaf in self.results]
        self.floats = [i for i, t in enumerate(made) if isinstance(t, Tensor)]
        self.aliases = self.shared([plain(leaf) for leaf in found], made)
        live = tuple(edge for edge in self.edges if edge[0] is not None)
        if state.grad and live and self.floats:
            node, state.ruled = RuledBackward(self, live), True
            for nr, i in enumerate(self.floats):
                made[i]._node, made[i]._nr, made[i]._requires_grad = node, nr, True
        return self.out_tree.unflatten(made)

    def shared(self, found: Sequence[Any], made: Sequence[Any]) -> list[tuple[list[int], int]]:
        """The counters of writes, as they are now, of results and arguments that are one array."""
        arrays = [*zip(found, made, strict=True), *zip(self.leaves, self.given, strict=True)]
        arrays = [(a, t) for a, t in arrays if isinstance(a, np.ndarray) and isinstance(t, Tensor)]
        pairs = [(n, m) for n in range(len(arrays)) for m in range(n)]
        same = {k for n, m in pairs if np.may_share_memory(arrays[n][0], arrays[m][0]) for k in (n, m)}
        counters = [arrays[k][1]._version_counter for k in same]
        return [(counter, counter[0]) for counter in counters]

    # ----- the reverse sweep
    def refuse_changes(self) -> None:
        """A result that is the argument, or a view of it, is an array of its own in the graph."""
        if any(counter[0] != then for counter, then in self.aliases):
            raise changed(self.own.name)

    def cotangents(self, seeds: Sequence[Any]) -> list[Any]:
        """Those of the leaves in ``wrt``, by the rule on plain arrays."""
        args, kwargs = self.tree.unflatten([_copied(leaf) for leaf in self.leaves])
        ans = self.out_tree.unflatten([_copied(leaf) for leaf in self.results])
        with within():
            if self.saved is LATER:
                self.saved = self.own.run(args, kwargs, True)[1]
            saved, form = flatten(self.saved)
            kept = form.unflatten([_copied(plain(leaf)) for leaf in saved])
            found = self.own.pulled(args, kwargs, ans, kept, self.seeded(seeds), False)
        return self.checked(found)

    def recorded_cotangents(self, seeds: Sequence[Any], node: Any, linear: bool) -> list[Any]:
        """The same, recorded: the function runs again, for what its rule needs."""
        own = self.own
        if linear and self.outermost and not (own.has_tangent or own.transposable):
            raise no_tangent(own.name)
        args, kwargs = self.points()
        ans = [_copied(leaf) for leaf in self.results]
        for nr, i in enumerate(self.floats):
            ans[i] = point(self.results[i], node, nr)
        given = flatten((args, kwargs, ans, seeds))[0]
        with within(), replaced(own.roots[0], own.roots), differentiated_by(given):
            by_tangent = linear and own.has_tangent
            saved = own.run(args, kwargs, True)[1] if own.saves and not by_tangent else None
            answer = self.out_tree.unflatten(ans)
            found = own.pulled(args, kwargs, answer, saved, self.seeded(seeds), by_tangent)
        return self.checked(found)

    def points(self) -> Any:
        """The arguments as traced ones, which stand at the places of the graph where they came from."""
        points = [_copied(leaf) for leaf in self.leaves]
        for i, edge in zip(self.wrt, self.edges, strict=True):
            points[i] = point(self.leaves[i], *edge)
        return self.tree.unflatten(points)

    def cotangents_of_value(self, seeds: Sequence[Any], graph: bool, linear: bool) -> list[Any]:
        """Those of the leaves in ``wrt``, by the code of the value: of derivatives after the first."""
        if self.value is None:  # once, so that functions with rules in it know who asked them
            self.value = self.traced_value()
        starts, outputs = self.value
        given: list[Any] = [None] * len(outputs)
        for i, seed in zip(self.floats, seeds, strict=True):
            given[i] = _tensor(seed)
        now = asker.get()
        assert now is not None
        with recording():
            return TracedPullback(outputs, starts, asker=now.who)._sweep(given, graph, linear)

    def traced_value(self) -> tuple[list[Any], list[Any]]:
        """Where the leaves in ``wrt`` enter the code of the value, and the leaves of that."""
        leaves, tree = flatten(self.points())
        with recording():
            for i in self.wrt:
                leaves[i] = run(np.copy, (leaves[i],), {})
            args, kwargs = tree.unflatten(leaves)
            roots = self.own.roots
            with within(), replaced(roots[0], roots), differentiated_by(leaves):
                value = self.own.run(args, kwargs, True)[0]
        outputs, form = flatten(value)
        if form != self.out_tree:
            raise wrong_structure(self.own.name, "fwd", "the value")
        starts = [leaves[i] for i in self.wrt]
        # Twins outlive the trace around this call.
        return [twin(t, t._array) for t in starts], [
            twin(t, t._array) if isinstance(t, Tensor) else t for t in outputs
        ]

    def seeded(self, seeds: Sequence[Any]) -> Any:
        """The cotangents of the value in its structure; of what is no float: 0."""
        given: list[Any] = [0] * len(self.results)
        for i, seed in zip(self.floats, seeds, strict=True):
            given[i] = _seed(seed, self.results[i])
        return self.out_tree.unflatten(given)

    def checked(self, found: Sequence[Any]) -> list[Any]:
        """The cotangents of the leaves in ``wrt``."""
        name, rule, kept = self.own.name, self.own.rule, list[Any]()
        for i, (tree, bar) in enumerate(zip(self.tree.children[0].children, found, strict=True)):
            kept += leaves_like(tree, bar, wrong_structure(name, rule, self.own.label(i)))
        kept += [None] * (len(self.leaves) - len(kept))
        for i in self.wrt:
            if kept[i] is not None:
                check_leaf(name, rule, self.own.label(self.owners[i]), kept[i], self.leaves[i])
        return [kept[i] for i in self.wrt]


class RuledBackward(Node):
    """The node of a call; ``_asker``: the derivative that has used the rule."""

    _call: Any = None
    _asker: Any = None

    def __init__(self, call: RecordedCall, live: tuple[Any, ...]) -> None:
        self._call = call
        self._number = next_number()
        self._edges, self._live = tuple(call.edges), live
        metas = [(np.shape(call.results[i]), np.result_type(call.results[i])) for i in call.floats]
        self._outputs, self._meta = len(metas), metas[0] if len(metas) == 1 else metas

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        if self._call is None:
            raise RuntimeError(FREED)
        self._call.refuse_changes()
        seeds = [g] if self._outputs == 1 else list(g)
        now = asker.get()
        linear = now is not None and now.linear
        if now is not None and self._asker not in (None, now.who) and self._call.own.has_value:
            found = self._call.cotangents_of_value(seeds, graph, linear)
        else:
            self._asker = now and now.who
            if graph:
                found = self._call.recorded_cotangents(seeds, self, linear)
            else:
                found = self._call.cotangents(seeds)
        if graph:
            found = [_faced(_tensor(bar), self._call.face) for bar in found]
        else:
            found = [None if bar is None else np.array(plain(bar)) for bar in found]
        return [bar for bar, edge in zip(found, self._edges, strict=True) if edge[0] is not None]

    def _release(self) -> None:
        self._call = None


def detached(tree: Any) -> Any:
    """The value with no history: tensors in it are others, all else is what it was."""
    leaves, structure = flatten(tree)
    if not any(isinstance(leaf, Tensor) for leaf in leaves):
        return tree
    return structure.unflatten([_detached(leaf) for leaf in leaves])


def _detached(leaf: Any) -> Any:
    if not isinstance(leaf, Tensor):
        return leaf
    return Traced._of(_copied(plain(leaf))) if isinstance(leaf, Traced) else leaf.detach()


def is_float(leaf: Any) -> bool:
    """Whether a number or array has a derivative."""
    return np.result_type(leaf).kind in "fc"


def _owners(tree: TreeDef) -> list[int]:
    """For each leaf of a call's arguments, which of the positional ones it belongs to; -1: of none."""
    args, kwargs = tree.children
    found = [i for i, child in enumerate(args.children) for _ in range(child.num_leaves)]
    return found + [-1] * kwargs.num_leaves


def _copied(leaf: Any) -> Any:
    return leaf.copy("K") if type(leaf) is np.ndarray else leaf


def _same(a: Any, b: Any) -> bool:
    return not isinstance(a, np.ndarray) or a.tobytes() == b.tobytes()


def _seed(seed: Any, result: Any) -> Any:
    """A cotangent of the kind of its value, which the rule may write to."""
    if seed is None:
        return np.zeros_like(result) if isinstance(result, np.ndarray) else type(result)(0)
    if isinstance(seed, Tensor):
        kind = Traced._of(result)
        found = like(kind, seed._array.astype(kind._array.dtype))
        if needs_grad(seed):
            (found._node, found._nr), found._requires_grad = edge_of(seed), True
        return found
    array = np.array(seed, np.result_type(result)).reshape(np.shape(result))
    return array if isinstance(result, np.ndarray) else type(result)(array.item())


def _faced(t: Any, face: Any) -> Any:
    """The same point of the graph as a tensor, where the graph is not that of a trace."""
    if not isinstance(t, Traced) or face is Traced:
        return t
    found = Tensor._of(t._array)
    if needs_grad(t):
        (found._node, found._nr), found._requires_grad = edge_of(t), True
    return found


def _tensor(bar: Any) -> Any:
    return bar if bar is None or isinstance(bar, Tensor) else Tensor._of(np.asarray(bar))
