"""What is a call of a solver of SciPy's in a program that is compiled? One operation, if its result is known.

``solved(cx, fn, args, kwargs)``. What it reads are the numbers and arrays among its arguments and those that
the functions among them find around them (``lifted_functions``); the functions are kept as they are. What it
gives is a number, an array, or those parts of a result object whose types are known before it runs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....rules.structured import PLAYS
from ....trees import LEAF, TreeDef
from ...ir.dims import Dim
from ...ir.ops import Lit, Var
from ...ir.types import Array, Scalar, Type
from ..context import Context
from ..values import Obj, Tup, Value
from .call_sites import arrangement, operation
from .lifted_functions import Structure

_double = np.dtype(float)
FLOAT, NUMPY, TRUTH, INT = Scalar("float"), Scalar("float", _double), Scalar("bool"), Scalar("int")
EITHER = Scalar("float")  # as the user's functions have it: a guess, of NumPy's if anything given to them is


def _array(ndim: int) -> Array:
    return Array(_double, tuple(Dim.fresh() for _ in range(ndim)))


@dataclass(frozen=True)
class Form:
    """What a solver returns: ``names`` are the attributes that are read of it, or None: it is that itself.

    Of a tuple of ``count`` items they are places in it, and attributes of what is there: "0", "1.converged".
    """

    types: tuple[Type, ...]
    names: tuple[str, ...] | None = None
    count: int = 0

    @property
    def tree(self) -> TreeDef:
        leaf = TreeDef(LEAF, (), ())
        if self.names is None and len(self.types) == 1:
            return leaf
        return TreeDef(tuple, tuple(range(len(self.types))), (leaf,) * len(self.types))


Given = dict[str, Any]


def _number(given: Given, kind: Type = FLOAT) -> Form | None:
    if _on(given, "full_output"):
        told = ("1.converged", "1.iterations", "1.function_calls")
        return Form((kind, kind, TRUTH, INT, INT), ("0", "1.root", *told), 2)
    return Form((kind,)) if _off(given, "full_output") and _on(given, "disp") else None


def _newton(given: Given) -> Form | None:
    start = given["x0"]
    real = isinstance(start, Lit) and type(start.value) is float
    real |= isinstance(start, Var) and isinstance(start.type, Scalar) and start.type.kind == "float"
    return _number(given, NUMPY) if real else None


def _root_scalar(given: Given) -> Form | None:
    bracketed = _off(given, "x0")
    return Form((FLOAT if bracketed else NUMPY,), ("root",)) if _named(given) else None


def _fsolve(given: Given) -> Form | None:
    if _on(given, "full_output"):
        return Form((_array(1), INT), ("0", "2"), 4)
    return Form((_array(1),)) if _off(given, "full_output") else None


def _quad(given: Given) -> Form | None:
    plain = all(_off(given, name) for name in ("full_output", "weight", "complex_func"))
    return Form((FLOAT, FLOAT)) if plain else None


def _minimize(given: Given) -> Form | None:
    constraints = given["constraints"]
    none = isinstance(constraints, Lit) and constraints.value == ()
    none |= isinstance(constraints, Tup) and not constraints.items
    return Form((_array(1), NUMPY, TRUTH), ("x", "fun", "success")) if none and _named(given) else None


def _named(given: Given) -> bool:
    """Whether the method is one of SciPy's."""
    method = given["method"]
    return isinstance(method, Lit) and isinstance(method.value, (str, type(None)))


def _ivp(given: Given) -> Form | None:
    none = all(_off(given, name) for name in ("events", "vectorized"))
    return Form((_array(1), _array(2), TRUTH), ("t", "y", "success")) if none else None


def _off(given: Given, name: str) -> bool:
    value = given.get(name, Lit(None))
    return isinstance(value, Lit) and not value.value


def _on(given: Given, name: str) -> bool:
    value = given.get(name, Lit(True))
    return isinstance(value, Lit) and value.value is True


FORMS: dict[str, Callable[[Given], Form | None]] = {
    **dict.fromkeys("brentq brenth ridder bisect".split(), _number),
    "toms748": lambda given: _number(given, NUMPY),
    "newton": _newton,
    "root_scalar": _root_scalar,
    "fsolve": _fsolve,
    "root": lambda given: (
        Form((_array(1), _array(1), TRUTH), ("x", "fun", "success")) if _named(given) else None
    ),
    "quad": _quad,
    "minimize": _minimize,
    "minimize_scalar": lambda given: (
        Form((EITHER, EITHER, TRUTH), ("x", "fun", "success")) if _named(given) else None
    ),
    "least_squares": lambda given: Form(
        (_array(1), _array(1), FLOAT, TRUTH), ("x", "fun", "cost", "success")
    ),
    "solve_ivp": _ivp,
    "odeint": lambda given: Form((_array(2),)) if _off(given, "full_output") else None,
}


def solved(cx: Context, fn: Any, args: Sequence[Value], kwargs: dict[str, Value]) -> Any:
    """The abstract result of a call of a solver."""
    form = form_of(fn, args, kwargs)
    if form is None or cx.sites is None or cx.inputs is None:
        raise unread(cx, fn)
    structure = Structure(cx)
    tree = structure.of((tuple(args), dict(kwargs)))
    _, order = arrangement(structure.leaves)
    numpy = any(getattr(v.type, "dtype", None) is not None for v in structure.leaves)
    types = [NUMPY if t is EITHER and numpy else t for t in form.types]
    call = cx.sites.solver(fn, tree, order, Form(tuple(types), form.names), cx.builder.span)
    if not call.pure:
        raise unread(cx, fn)
    cx.sites.solvers += 1
    found = operation(cx, call, structure.leaves, fn.__name__)
    if form.names is None:
        return found
    return parts_of(fn, form, dict(zip(form.names, found.items, strict=True)))


def parts_of(fn: Any, form: Form, known: dict[str, Value]) -> Any:
    """The abstract result of which these parts are known."""
    if not form.count:
        return Obj(result_class(fn), known)
    items: list[Value] = []
    for place in map(str, range(form.count)):
        named = {
            name.partition(".")[2]: value for name, value in known.items() if name.startswith(place + ".")
        }
        items.append(known[place] if place in known else Obj(result_class(fn), named))
    return Tup(tuple(items))


def form_of(fn: Any, args: Sequence[Value], kwargs: dict[str, Value]) -> Form | None:
    """What the call returns, if that is known."""
    kind = FORMS.get(fn.__name__)
    if kind is None:
        return None
    try:
        bound = _signature(fn).bind(*args, **kwargs)
    except TypeError:
        return None
    defaults = {p.name: Lit(p.default) for p in bound.signature.parameters.values()}
    return kind({**defaults, **bound.arguments})


@functools.cache
def _signature(fn: Any) -> inspect.Signature:
    return inspect.signature(fn)


def unread(cx: Context, fn: Any) -> Exception:
    """The error for a solver: what its own code does says little of the derivative of what it finds."""
    return cx.unsupported(
        f"a call of `{fn.__name__}`",
        "the derivative of what a solver finds is that of its equation, which is recorded when it runs",
        "put the call into a function of its own, which alone is traced then",
    )


OPTIMIZE_RESULTS = {"fsolve", "root", "minimize", "minimize_scalar", "least_squares", "solve_ivp"}


@functools.cache
def result_class(fn: Any) -> type:
    """A class of results, of which only those attributes are known that an instance has."""
    from scipy.optimize import OptimizeResult, RootResults

    def refused(cx: Context, args: list[Value], kwargs: dict[str, Value]) -> Any:
        raise cx.unsupported(
            f"what `{fn.__name__}` tells beside the solution",
            "it is known when the solver runs",
            "put the call into a function of its own, which alone is traced then",
        )

    def known_later(self: Any, *args: Any) -> Any:
        raise NotImplementedError

    known_later.__ast_ad_lower__ = refused  # type: ignore[attr-defined]
    played = OptimizeResult if fn.__name__ in OPTIMIZE_RESULTS else RootResults
    space = {PLAYS: played, **dict.fromkeys(ASKED, known_later)}
    return type(f"ResultOf_{fn.__name__}", (), space)


ASKED = (
    "__getattr__ __getitem__ __iter__ __len__ __contains__ __eq__ __ne__ __bool__ __setitem__ __delitem__ "
    "__call__ __hash__ __or__ __repr__ __str__"
).split()
