"""What is compiled for one kind of arguments, and how do its results become what the user asked for?

``compile_adjoint`` is the whole compiler, a line a stage.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.adjoint.adjoint import adjoint
from ..compiler.adjoint.split import split
from ..compiler.adjoint.unread import keep_exceptions
from ..compiler.budget import counted
from ..compiler.elements.small_arrays import small_arrays
from ..compiler.frontend.builder import type_of_arg
from ..compiler.frontend.callables.call_sites import CallSites
from ..compiler.frontend.length_patterns import Known
from ..compiler.frontend.lower import Lowered, lower
from ..compiler.frontend.structures import positions
from ..compiler.ir.builtin import assign, tuple_get, unpack
from ..compiler.ir.ops import Function, Op, walk
from ..compiler.ir.types import carries_derivative
from ..compiler.loops.tape_layout import typed_tapes
from ..compiler.simplify.within import join_paths
from ..errors import AdError, InputTypeError, InputValueError
from ..rules.helpers import COMPLEX_BY_VALUE
from ..rules.numpy.decompositions import reciprocal_gaps
from ..trees import TreeDef, flatten
from .checks.late_failures import Instead
from .code import Program
from .fitting.retirement import retire
from .program import Compiled, require_number, scalar_result
from .request import Compilation, Request
from .zero_gradients import zeros

NAMING = assign, tuple_get, unpack


def compile_adjoint(
    lowered: Lowered,
    wrt: tuple[int, ...],
    of: tuple[int, ...],
    backend: str = "numpy",
    parallel: bool = False,
) -> Program:
    """Differentiate a program: one that returns its results and the cotangents of ``wrt``."""
    function, cotangents = differentiated(lowered, wrt, of, backend)
    return Program(function, lowered.written, cotangents, backend, parallel)


def differentiated(
    lowered: Lowered, wrt: tuple[int, ...], of: tuple[int, ...], backend: str
) -> tuple[Function, range]:
    """The primal, then its reverse sweep, and the positions of the cotangents among the results."""
    policy = "min-cut" if backend == "numba" else "cheap"
    joint = adjoint(lowered.function, wrt, of=of, residuals=policy)
    named = Function(f"{joint.name}_value_and_grad", joint.params, joint.body, joint.doc)
    return named, range(len(lowered.function.body.results), len(joint.body.results))


def call_sites() -> CallSites:
    """Calls of what can't be compiled are traced when the program runs."""
    from .traced_callees import NotOnTrial, TracedCall, traced_call

    return CallSites(TracedCall, traced_call, NotOnTrial)


def only_call(lowered: Lowered) -> AdError | None:
    """Why the one call can't be followed that a whole program consists of; None where there is more to it."""
    operations = [op for op in walk(lowered.function.body) if not (isinstance(op, Op) and op.fn in NAMING)]
    if not lowered.calls or len(operations) > len(lowered.calls):
        return None
    return next(iter(lowered.calls.values()))


class Variant(Compilation):
    """What was compiled for one kind of arguments.

    ``backend``: 'numpy', or 'numba' for kernels; ``known``: what of the arrays' lengths is relied on.
    """

    @counted()
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
        self.lowered = lower(owner.function, names, trees, leaves, keywords, sites, known, owner.depths)
        keep_exceptions(join_paths(self.lowered.function))
        if sites is not None and (reason := only_call(self.lowered)) is not None:
            raise reason
        super().__init__(owner, names, trees, leaves, keywords)
        self.count = len(self.lowered.function.body.results)
        self._halves: Any = None
        self.wanted = backend
        self.prepare("numpy" if self.lowered.errstate else backend)

    def scalar(self) -> int:
        """The position among the results of the number that is differentiated."""
        function = self.lowered.function
        by_value = any(isinstance(op, Op) and op.fn in COMPLEX_BY_VALUE for op in walk(function.body))
        return scalar_result(self.lowered.result, function.body.results, self.owner.has_aux, by_value)

    def has_gaps(self) -> bool:
        """Whether the derivative divides by differences of eigenvalues: of equal ones it has nan."""
        bodies = self.lowered.function.body, self.adjoint.body
        return any(isinstance(op, Op) and op.fn is reciprocal_gaps for body in bodies for op in walk(body))

    def prepare(self, backend: str) -> None:
        if not hasattr(self, "of"):
            require_number(self.lowered.function.body, self.scalar())
        self.of: tuple[int, ...] = (self.scalar(),)
        code = compile_adjoint(self.lowered, self.wrt, self.of, backend, self.owner.options.parallel)
        self.adjoint = code.function
        self.program = Compiled(self.lowered, code)
        self.plain = self.is_plain()
        if not self.owner.every_leaf:
            self.zeros = zeros(self, self.of)

    def explain(self) -> str:
        """What is saved, computed again, inlined and constant."""
        from ..inspection.explain import explain
        from .checks.first_call import told_of
        from .tiers import runs_as

        return f"{explain(self, runs_as(self))}\n\n{told_of(self)}"

    def split(self, backend: str = "numpy") -> tuple[Program, Program]:
        """The forward and the backward program."""
        function, parallel = self.lowered.function, self.owner.options.parallel
        if backend == "numba":
            joint = adjoint(function, self.wrt, seed=True, of=self.of, residuals="min-cut")
            joint = typed_tapes(small_arrays(joint))  # before tapes pass from one half to the other
        else:
            joint = adjoint(function, self.wrt, seed=True, of=self.of)
        forward, backward = split(joint, self.count, len(joint.params) - len(function.params))
        forward.name, backward.name = f"{function.name}_forward", f"{function.name}_backward"
        return (
            Program(forward, self.lowered.written, range(self.count), backend, parallel),
            Program(backward, (), range(len(backward.body.results)), backend, parallel),
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
        if self.of and not self.owner.every_leaf:
            chosen = any(choice is not None for choice in self.owner._asked)
            self.zeros = zeros(self, self.of, unused=chosen)

    @property
    def codes(self) -> tuple[Program, ...]:
        return self.halves()

    def pullback(self, results: Sequence[Any], inputs: Sequence[Any]) -> Pullback:
        """The pullback at the point where the program gave ``results``."""
        *values, residuals = results
        backward = self.backward if self.backward.backend == "numba" else self.backward.numpy
        run = functools.partial(backward, self.kept(residuals, inputs))
        several = run if len(self.wrt) > 1 else lambda *seeds: (run(*seeds),)
        found = Pullback(self, self.lowered.function.name, several, values, self.leaves, self.of)
        found.instead = Instead(self, inputs, results, functools.partial(retire, self.owner, self))
        return found

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

    instead: Callable[[Sequence[Any], Exception], Sequence[Any]] | None = None  # where the program raises

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
        try:
            bars = self.leaves(*seeds)
        except Exception as error:
            if self.instead is None:
                raise
            bars = self.instead(seeds, error)
        return self._request.gradients(bars)

    def __repr__(self) -> str:
        return f"<pullback of {self._name}>"


def _seed(leaf: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """A cotangent of the shape and the dtype of its value."""
    check_cotangent(leaf, shape, dtype)
    return leaf.astype(dtype, copy=False) if isinstance(leaf, (np.ndarray, np.generic)) else dtype.type(leaf)


def check_cotangent(leaf: Any, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """A cotangent has the shape of its value, and is real where that is.

    Raises:
        InputValueError, InputTypeError: it is not so.
    """
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
