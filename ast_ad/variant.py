"""What is compiled for one kind of arguments, and how do its results become what the user asked for?

``compile_adjoint`` is the whole compiler, a line a stage.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .compiled import Compiled, check_differentiable, scalar_result
from .errors import InputTypeError, InputValueError
from .fast_calls import Fast, FastCall, miss
from .frontend.builder import type_of_arg
from .frontend.call_sites import CallSites
from .frontend.inputs import is_object
from .frontend.lower import Lowered, lower, positions, rebuild
from .frontend.patterns import Known
from .ir.ops import Function
from .ir.types import carries_derivative
from .programs import Program
from .transform.adjoint import adjoint
from .transform.split import split
from .trees import LEAF, STATIC, TreeDef, flatten


def compile_adjoint(
    lowered: Lowered, wrt: tuple[int, ...], of: tuple[int, ...], backend: str = "numpy"
) -> Program:
    """Differentiate a program: one that returns its results and the cotangents of ``wrt``."""
    policy = "min-cut" if backend == "numba" else "cheap"
    joint = adjoint(lowered.function, wrt, of=of, residuals=policy)  # the primal, then its reverse sweep
    named = Function(f"{joint.name}_value_and_grad", joint.params, joint.body, joint.doc)
    cotangents = range(len(lowered.function.body.results), len(joint.body.results))
    return Program(named, lowered.written, cotangents, backend)


def call_sites() -> CallSites:
    """Calls of what can't be compiled are traced when the program runs."""
    from .fallback.calls import NotOnTrial, TracedCall, traced_call

    return CallSites(TracedCall, traced_call, NotOnTrial)


class Request:
    """Which leaves of the arguments are differentiated, and how do their cotangents become the answer?"""

    mode = "compiled"
    backend = "numpy"
    plain = False

    def __init__(
        self,
        owner: Any,
        names: Sequence[str],
        trees: list[TreeDef],
        leaves: list[Any],
        keywords: tuple[str, ...],
    ) -> None:
        self.owner, self.names, self.keywords = owner, list(names), keywords
        self.trees = [
            TreeDef(STATIC, (), ()) if t.type is STATIC and is_object(t.static) else t for t in trees
        ]
        self.ranges = _ranges(trees)
        self.chosen = owner.arguments.positions(self.names)
        self.wrt = self._differentiable(leaves, names)
        self.python = [type(leaves[i]) if type(leaves[i]) in (float, complex) else None for i in self.wrt]
        self.flat = (
            not owner.single and not any(self.python) and all(trees[i].type is LEAF for i in self.chosen)
        )  # the cotangents are the answer

    def _differentiable(self, leaves: list[Any], names: Sequence[str]) -> tuple[int, ...]:
        wrt: list[int] = []
        if self.owner.every_leaf:
            return tuple(i for i, leaf in enumerate(leaves) if np.result_type(leaf).kind in "fc")
        for i in self.chosen:
            labels = self.trees[i].paths(names[i])
            start, stop = self.ranges[i]
            if start == stop:
                static = self.trees[i].static
                if isinstance(static, bool):
                    check_differentiable(static, names[i])
                what = f"dtype {static.dtype}" if isinstance(static, np.ndarray) else type(static).__name__
                raise InputTypeError(
                    f"a gradient with respect to `{names[i]}` ({what})",
                    why="it holds no numbers",
                    fix="pass floats or an array of floats",
                )
            for position, label in zip(range(start, stop), labels, strict=True):
                check_differentiable(leaves[position], label)
                wrt.append(position)
        return tuple(wrt)

    def gradients(self, cotangents: Sequence[Any]) -> Any:
        """Cotangents of leaves in the structure of the arguments that were asked for."""
        if self.flat:
            return tuple(cotangents)
        given = [kind(g) if kind is not None else g for kind, g in zip(self.python, cotangents, strict=True)]
        out, start = [], 0
        for i in self.chosen:
            stop = start + self.trees[i].num_leaves
            out.append(self.trees[i].unflatten(given[start:stop]))
            start = stop
        return out[0] if self.owner.single else tuple(out)


class Variant(Request):
    """What was compiled for one kind of arguments.

    ``backend``: 'numpy', or 'numba' for kernels; ``known``: what of the arrays' lengths is relied on.
    """

    def __init__(
        self,
        owner: Any,
        names: Sequence[str],
        trees: list[TreeDef],
        leaves: list[Any],
        keywords: tuple[str, ...],
        *,
        backend: str = "numpy",
        known: Known = Known.ONES,
    ) -> None:
        sites = call_sites() if owner._may_trace() else None
        self.lowered = lower(owner.function, names, trees, leaves, keywords, sites, known)
        super().__init__(owner, names, trees, leaves, keywords)
        self.count = len(self.lowered.function.body.results)
        self._halves: Any = None
        self.wanted = backend
        self._fast: FastCall | None = None
        self._calls = 0
        self.prepare("numpy" if self.lowered.errstate else backend)

    def prepare(self, backend: str) -> None:
        results = self.lowered.function.body.results
        self.of: tuple[int, ...] = (scalar_result(self.lowered.result, results, self.owner.has_aux),)
        code = compile_adjoint(self.lowered, self.wrt, self.of, backend)
        self.adjoint = code.function
        self.program = Compiled(self.lowered, code)
        self.plain = (
            self.lowered.result == 0
            and len(self.chosen) == 1
            and len(self.wrt) == 1
            and self.trees[self.chosen[0]].num_leaves == 1
            and self.owner.single
        )
        self.plain = self.plain and not any(self.python)
        self.plain = self.plain and self.trees[self.chosen[0]].type is LEAF

    def fast_call(self, args: tuple[Any, ...], tiers: Any) -> Fast:
        """The short way for calls like this one, which the program answered, if it was not the first."""
        self._calls += 1
        if self._calls == 1 or (tiers and self.wanted == "numpy"):  # calls are counted there
            return miss
        if self._fast is None:
            self._fast = FastCall(self, args)
        self._fast.remember(args)
        return self._fast.run

    def forget(self) -> None:
        """The short way is to be made anew."""
        self._fast = None

    @property
    def codes(self) -> tuple[Program, ...]:
        """The programs that run."""
        return (self.program.code,)

    @property
    def backend(self) -> str:  # type: ignore[override]
        """'numba' if any of them is made of kernels."""
        return "numba" if any(code.backend == "numba" for code in self.codes) else "numpy"

    @property
    def text(self) -> str:
        """The source of what runs."""
        return "\n\n".join(code.text for code in self.codes)

    def value(self, results: Sequence[Any]) -> Any:
        """What the function returned, from the results of a program."""
        return rebuild(self.lowered.result, results)

    def explain(self) -> str:
        """What is saved, computed again, inlined and constant."""
        from .explain import explain

        return explain(self)

    def split(self, backend: str = "numpy") -> tuple[Program, Program]:
        """The forward and the backward program."""
        function = self.lowered.function
        joint = adjoint(function, self.wrt, seed=True, of=self.of)
        forward, backward = split(joint, self.count, len(joint.params) - len(function.params))
        forward.name, backward.name = f"{function.name}_forward", f"{function.name}_backward"
        return (
            Program(forward, self.lowered.written, range(self.count), backend),
            Program(backward, (), range(len(backward.body.results)), backend),
        )

    def halves(self) -> tuple[Program, Program]:
        """The program as a forward and a backward function."""
        if self._halves is None:
            self._halves = self.split()
        return self._halves  # type: ignore[no-any-return]


class PullbackVariant(Variant):
    """A program in two halves."""

    def prepare(self, backend: str) -> None:
        value = self.lowered.result[0] if self.owner.has_aux else self.lowered.result
        self.leaves = list(positions(value))
        results = self.lowered.function.body.results
        self.of = tuple(i for i in self.leaves if carries_derivative(type_of_arg(results[i])))
        forward, self.backward = self._halves = self.split(backend)
        self.program = Compiled(self.lowered, forward)
        self.adjoint = adjoint(self.lowered.function, self.wrt, seed=True, of=self.of)

    @property
    def codes(self) -> tuple[Program, ...]:
        return self.halves()

    def pullback(self, results: Sequence[Any], inputs: Sequence[Any]) -> Pullback:
        """The pullback at the point where the program gave ``results``."""
        *values, residuals = results
        backward = self.backward if self.backward.backend == "numba" else self.backward.numpy
        run = functools.partial(backward, self.kept(residuals, inputs))
        several = run if len(self.wrt) > 1 else lambda *seeds: (run(*seeds),)
        return Pullback(self, self.lowered.function.name, several, values, self.leaves, self.of)

    def kept(self, residual: Any, inputs: Sequence[Any]) -> Any:
        """The residuals, with copies of memory that is not theirs: it may change before the call."""
        roots = {id(_root(value)) for value in inputs if isinstance(value, np.ndarray)}
        return _detached(residual, roots) if roots else residual


def _root(array: Any) -> Any:
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array


def _detached(value: Any, roots: set[int]) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy() if id(_root(value)) in roots and 0 not in value.strides else value
    if isinstance(value, (tuple, list)):
        return type(value)([_detached(item, roots) for item in value])
    return value


class Pullback:
    """Maps a cotangent of the value to cotangents of the arguments; it may be called any number of times.

    Args:
        request: which leaves of the arguments are asked for.
        name: what the function is called.
        run: from cotangents of the results in ``of`` to those of the leaves.
        results: the leaves of the value at ``leaves``, and what else the program returned.
    """

    def __init__(
        self,
        request: Request,
        name: str,
        run: Callable[..., Sequence[Any]],
        results: Sequence[Any],
        leaves: Sequence[int],
        of: Sequence[int],
    ) -> None:
        self._request, self._name, self._leaves, self._of = request, name, leaves, of
        self.leaves = run
        self._like = [(np.shape(results[i]), np.result_type(results[i])) for i in of]

    def __call__(self, cotangent: Any) -> Any:
        leaves, _ = flatten(cotangent)
        if len(leaves) == len(self._leaves) != len(self._of):
            # integers in the value: their cotangents mean nothing
            leaves = [leaf for i, leaf in zip(self._leaves, leaves, strict=True) if i in self._of]
        if len(leaves) != len(self._of):
            raise InputValueError(
                f"a cotangent with {len(leaves)} leaves",
                why=f"the value has {len(self._of)}",
                fix="give the cotangent the structure of the value",
            )
        seeds = [_seed(leaf, *like) for leaf, like in zip(leaves, self._like, strict=True)]
        return self._request.gradients(self.leaves(*seeds))

    def __repr__(self) -> str:
        return f"<pullback of {self._name}>"


def _ranges(trees: Sequence[TreeDef]) -> list[tuple[int, int]]:
    out, start = [], 0
    for tree in trees:
        out.append((start, start + tree.num_leaves))
        start += tree.num_leaves
    return out


def _seed(leaf: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """A cotangent of the shape and the dtype of its value."""
    if np.shape(leaf) != shape:
        raise InputValueError(
            f"a cotangent of shape {np.shape(leaf)}",
            why=f"the value has shape {shape}",
            fix="give the cotangent the shape of the value",
        )
    if np.result_type(leaf).kind == "c" and dtype.kind != "c":
        raise InputTypeError(
            "a complex cotangent", why=f"the value is real ({dtype})", fix="pass its real part"
        )
    return leaf.astype(dtype, copy=False) if isinstance(leaf, (np.ndarray, np.generic)) else dtype.type(leaf)
