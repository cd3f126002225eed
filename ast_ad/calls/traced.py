"""How is a derivative computed when its function can't be compiled? By tracing it anew in every call.

A ``TracedProgram`` takes the place of a compiled one: it fits the same arguments, and gives the value and the
cotangents in the same order. It knows why there is no compiled program, and says so once, in a warning, and
whenever it is asked.
"""

from __future__ import annotations

import contextlib
import os
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compiler.frontend.callables.calls import python_function
from ..compiler.frontend.context import TensorOutside
from ..errors import (
    AdError,
    InputError,
    InputValueError,
    InternalError,
    SharedMemoryError,
    holds_numbers,
    not_one_number,
)
from ..tracing import is_tracing
from ..trees import flatten
from .checks.check import is_inside
from .checks.first_call import told_of
from .checks.traced_call import check_trace
from .fitting.retirement import drop
from .fitting.taken_paths import watched
from .pullback import PullbackAt
from .questions import require_numeric, require_pair
from .reasons import add_reason, as_reason, at_line, warn
from .request import Request
from .zero_gradients import tell, zeros_of_trace

HOW = (
    "Every call runs the function itself, on traced arrays, and walks back over what it did. There is no "
    "source.\nfallback='error' raises the error above instead. An ast_ad.FallbackWarning is given once for "
    "each\nfunction; warnings.simplefilter('ignore', ast_ad.FallbackWarning) silences it."
)


class TracedProgram(Request):
    """A function that is traced for one kind of arguments, and ``reason``, the error that led here."""

    mode = "fallback"
    rounded = False  # whether its last run rounded a value that has a derivative to some decimals
    own_rules = False  # whether it called functions with rules of the user's own, whose derivative that is
    watches = False  # whether it notes which lines run, by which the next call may be compiled
    once = False  # whether the next call is to be compiled
    checked: Any = None  # what was compared with the function, or why nothing was

    def __init__(self, reason: Exception, *args: Any) -> None:
        super().__init__(*args)
        self.question = self.owner.question
        self.reason = as_reason(reason)

    def in_place(self) -> Any:
        """What is to be run: within a trace, or with tensors around, a part of their graph."""
        if not (is_tracing() or isinstance(self.reason, TensorOutside)):
            return self
        from .with_tensors import in_the_graph

        return in_the_graph(self.owner, self.keywords, self.reason)

    def fits(self, leaves: list[Any], objects: Sequence[Any] = ()) -> Any:
        """The inputs of a run: the arguments as they are."""
        return objects

    def run(self, inputs: Sequence[Any]) -> tuple[Any, Any]:
        """The value, and the pullback to the leaves that are asked for."""
        from ..eager.state import state
        from ..tracing.history import trace_alone
        from . import (  # noqa: F401  (they open doors: of loops that Numba compiles, and of pullbacks)
            compiled_pullbacks,
            traced_cotangents,
        )

        # Of these it turns out by the trace whether they are so.
        late = isinstance(self.reason, (InternalError, InputError))
        if not late:
            warn(self.owner.function, self.reason)
        writes = isinstance(self.reason, SharedMemoryError)
        split = len(inputs) - len(self.keywords)
        kwargs = dict(zip(self.keywords, inputs[split:], strict=True))
        state.rounded = state.ruled = False
        try:
            with watched(self.owner.paths) if self.watches else contextlib.nullcontext():
                found = trace_alone(self.owner.function, tuple(inputs[:split]), kwargs, self.wrt, writes)
        except AdError as error:
            add_reason(error, self.reason)
            raise
        if self.once and self.owner.paths.ran:
            drop(self.owner, self)
        self.rounded, self.own_rules = state.rounded, state.ruled
        if late and not isinstance(self.reason, InputError):  # else once there is a gradient
            warn(self.owner.function, self.reason)
        return found

    def __call__(self, inputs: Sequence[Any]) -> Any:
        """The value, and what is asked."""
        return self.question.traced(self, inputs)

    def pulled(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """The value, then the cotangents."""
        value, pullback = self.run(inputs)
        seeds = self.seeds(value)
        bars = pullback(seeds)
        self.tell_zeros(pullback)
        check_trace(self, inputs, value, bars)
        return value, *bars

    def untraced(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """The value alone, of the function as it is."""
        if not isinstance(self.reason, (InternalError, InputError)):
            warn(self.owner.function, self.reason)
        split = len(inputs) - len(self.keywords)
        kwargs = dict(zip(self.keywords, inputs[split:], strict=True))
        return (self.owner.function(*inputs[:split], **kwargs),)

    def pulled_later(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """The value, then the pullback from the leaves of all that was returned."""
        value, pull = self.run(inputs)
        require_numeric(self.question.parts(value)[0])
        require_nothing_held(self.question.parts(value)[0], pull.holders)
        if self.owner.options.check is True and self.checked is None:
            every, of = self.floats(value)
            ones = [np.ones_like(leaf)[()] if i in of else None for i, leaf in enumerate(every)]
            check_trace(self, inputs, value, pull(ones))
        return value, pull

    pushed_later = pulled_later  # the pushforward is made of the pullback

    def tell_zeros(self, pullback: Any, unused: bool = True) -> None:
        """Tell of gradients that are zero because nothing leads to the result."""
        if (pullback.unreached or pullback.ended) and not self.owner.every_leaf and not is_inside():
            tell(self.owner, zeros_of_trace(self, pullback, pullback.unreached, unused))

    def seeds(self, value: Any) -> list[Any]:
        """The cotangents of the leaves of the value.

        Raises:
            InputError: it is no number; the compiler's own error, where that has said so.
        """
        asked_wrongly = isinstance(self.reason, InputError)
        try:
            found = loss_seeds(value, self.question.has_aux)
        except InputError:
            if asked_wrongly:
                raise self.reason from None
            raise
        if asked_wrongly:  # not by this call
            warn(self.owner.function, self.reason)
        return found

    def answer(self, results: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """What the user gets, from the results of a run."""
        later = self.question.later
        derivative = self.question.at_trace(self, results, inputs) if later else self.gradients(results[1:])
        return self.question.answer(*self.question.parts(results[0]), derivative)

    def explain(self) -> str:
        """Why the function is traced, and what that means."""
        name = getattr(self.owner.function, "__name__", "function")
        title = f"The derivative of `{name}`{_place(self.owner.function)} is not compiled:"
        return f"{title}\n\n{self.reason}\n\n{HOW}\n\n{told_of(self)}"

    def no_program(self) -> InputValueError:
        """The error of a question that only a compiled program answers."""
        return InputValueError(
            f"the source of the gradient of `{getattr(self.owner.function, '__name__', 'function')}`",
            why=f"there is none, the function is traced: {self.reason.construct}{at_line(self.reason)}",
            fix="see .explain(); rewrite what can't be compiled, and fallback='error' shows what is left",
        )

    def floats(self, value: Any) -> tuple[list[Any], list[int]]:
        """The leaves of the value, and the positions of those that have cotangents."""
        differentiated = self.question.parts(value)[0]
        count, (every, _) = len(flatten(differentiated)[0]), flatten(value)
        return every, [i for i in range(count) if np.result_type(every[i]).kind in "fc"]

    def pullback(self, results: Sequence[Any]) -> PullbackAt:
        """The pullback to the arguments, in their structure."""
        from .traced_cotangents import of_trace

        value, pull = results
        _, tree = flatten(self.question.parts(value)[0])
        every, of = self.floats(value)

        def run(*seeds: Any) -> tuple[Any, ...]:
            given: list[Any] = [None] * len(every)
            for position, seed in zip(of, seeds, strict=True):
                given[position] = seed
            bars = tuple(pull(given))
            if all(given[position] is not None for position in of):
                self.tell_zeros(pull, self.owner.has_chosen())
            return bars

        name = getattr(self.owner.function, "__name__", "function")
        found = PullbackAt(self, name, run, every, tree, range(tree.num_leaves), of)
        found.linear = of_trace(pull, of, len(every))
        return found


def require_nothing_held(value: Any, holders: Sequence[Any]) -> None:
    """
    Raises:
        InputTypeError: one of the objects that hold numbers with a derivative is in the value.
    """
    for static in flatten(value)[1].statics() if holders else ():
        if any(static is holder for holder in holders):
            raise holds_numbers(type(static).__name__)


def loss_seeds(value: Any, has_aux: bool) -> list[Any]:
    """The cotangents of the leaves of the value: one for the number that is differentiated."""
    found = require_pair(value)[0] if has_aux else value
    leaves, _ = flatten(value)
    seeds: list[Any] = [None] * len(leaves)
    kind = np.result_type(found).kind if isinstance(found, (int, float, np.generic, np.ndarray)) else ""
    if not kind or kind not in "fiub" or np.size(found) != 1:
        what = f"an array of shape {np.shape(found)}" if kind else f"a {type(found).__name__}"
        raise not_one_number(what)
    if kind == "f":
        one = np.result_type(found).type(1)
        seeds[0] = np.full(np.shape(found), one) if np.ndim(found) else one
    return seeds


def _place(function: Any) -> str:
    plain = python_function(getattr(function, "__func__", function))
    code = plain.__code__ if isinstance(plain, types.FunctionType) else None
    return f", {os.path.basename(code.co_filename)}:{code.co_firstlineno}," if code else ""
