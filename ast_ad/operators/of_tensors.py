"""How is a function of tensors differentiated as PyTorch's users ask for it?

``closed(func, args, kwargs, argnums, has_aux, strict) -> Closed``: the function of the chosen arguments
alone, at those arguments. The function gets tensors, and its derivatives are tensors. It is never compiled:
what it says of ``x.max(0)`` or ``x.std()`` means what PyTorch means by it.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..api import linearize, value_and_grad, vjp
from ..calls.with_tensors import as_face
from ..compiler.frontend.context import TensorOutside
from ..eager.state import state
from ..eager.tensor import Tensor
from ..errors import InputTypeError, InputValueError
from ..tracing.traced_array import Traced
from ..trees import flatten
from .products import jvp


class OfTensors:
    """A function that gets tensors where an operator passes traced arrays, and is never compiled."""

    def __init__(self, func: Callable[..., Any], has_aux: bool, strict: bool) -> None:
        self.func, self.has_aux, self.strict = func, has_aux, strict
        self.__name__ = getattr(func, "__name__", type(func).__name__)

    def __call__(self, *args: Any) -> Any:
        found = self.func(*tensors(args))
        if self.has_aux and not (isinstance(found, tuple) and len(found) == 2):
            raise RuntimeError(f"has_aux: `{self.__name__}` must return a pair (value, aux)")
        for leaf in flatten(found[0] if self.has_aux else found)[0]:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(f"`{self.__name__}` must return tensors, got {type(leaf).__name__}")
            if self.strict and not leaf.requires_grad:
                raise RuntimeError(f"strict: a result of `{self.__name__}` does not depend on the arguments")
        return found

    def __ast_ad_lower__(self, cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        raise TensorOutside(f"a function of tensors, `{self.__name__}`", cx.builder.span)


@dataclass(frozen=True)
class Closed:
    """A function at its arguments, ``chosen``; ``places``: which of them, 0 for the one that there is."""

    function: OfTensors
    chosen: tuple[Any, ...]
    places: int | tuple[int, ...]

    def value_and_grad(self) -> Any:
        """``(value, gradient)``; with aux ``((value, aux), gradient)``."""
        with _refusals():
            return _results(
                value_and_grad(self.function, self.places, has_aux=self.function.has_aux)(*self.chosen)
            )

    def vjp(self) -> tuple[Any, ...]:
        """``(value, pullback[, aux])``."""
        with _refusals():
            value, pull, *aux = vjp(
                self.function, *self.chosen, argnums=self.places, has_aux=self.function.has_aux
            )
        return _results(value), _later(pull), *_results(aux)

    def jvp(self, tangents: Any) -> tuple[Any, ...]:
        """``(value, tangent[, aux])``."""
        with _refusals():
            found = jvp(self.function, self.chosen, tangents, has_aux=self.function.has_aux)
        return tuple([_results(part) for part in found])

    def linearize(self) -> Any:
        """``(value, pushforward)``."""
        with _refusals():
            value, push = linearize(self.function, *self.chosen)
        return _results(value), _later(push)

    def jacobian(self, operator: Callable[..., Any]) -> Any:
        """What ``jacfwd`` or ``jacrev`` says."""
        with _refusals():
            found = operator(self.function, self.places, has_aux=self.function.has_aux)(*self.chosen)
        return _results(found)


def closed(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    argnums: Any,
    has_aux: bool,
    strict: bool = False,
) -> Closed:
    """The function of the chosen arguments, of all for None.

    Raises:
        RuntimeError: there are no such arguments, or they are no tensors.
    """
    single = isinstance(argnums, int)
    asked = range(len(args)) if argnums is None else (argnums,) if single else tuple(argnums)
    for i in asked:
        if not isinstance(i, int) or not -len(args) <= i < len(args):
            raise RuntimeError(f"argnums={argnums}: the call has {len(args)} positional arguments")
    places = [i % len(args) for i in asked]
    if len({*places}) < len(places) or not places:
        raise RuntimeError(f"argnums={argnums}: choose each argument once, and at least one")
    for i in places:
        for leaf in flatten(args[i])[0]:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(f"argument {i} must consist of tensors, got {type(leaf).__name__}")

    @functools.wraps(func, updated=())
    def of_chosen(*chosen: Any) -> Any:
        every = list(args)
        for i, value in zip(places, chosen, strict=True):
            every[i] = value
        return func(*every, **kwargs)

    given = tuple([args[i] for i in places])
    function = OfTensors(of_chosen, has_aux, strict)
    return Closed(function, given, 0 if single else tuple(range(len(places))))


def _later(derivative: Callable[..., Any]) -> Callable[..., Any]:
    def later(*given: Any) -> Any:
        with _refusals():
            return _results(derivative(*given))

    return later


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    """PyTorch's users expect a RuntimeError where an argument or a result is refused."""
    try:
        yield
    except (InputTypeError, InputValueError) as refusal:
        raise RuntimeError(str(refusal)) from refusal


def tensors(values: Any) -> Any:
    """Plain tensors for traced ones: the same points of the graph, with PyTorch's methods."""
    leaves, tree = flatten(values)
    return tree.unflatten([as_face(leaf, Tensor) if isinstance(leaf, Traced) else leaf for leaf in leaves])


def _results(values: Any) -> Any:
    """What a derivative hands out: under ``no_grad`` it is computed as ever, and is then a constant."""
    if state.grad:
        return tensors(values)
    leaves, tree = flatten(tensors(values))
    return tree.unflatten([leaf.detach() if isinstance(leaf, Tensor) else leaf for leaf in leaves])
