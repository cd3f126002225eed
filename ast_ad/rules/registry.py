"""Which rule has a callable? The one table of derivative rules, and the decorators that fill it.

A rule is a small NumPy function. The compiler reads its source and inlines it; the eager mode runs it on
arrays. What a rule reads is what is saved for the reverse sweep; what nobody needs is sliced away.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputTypeError

Function = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Primitive:
    """What is known of one operation.

    ``kind``: 'elementwise' (rule gives partial derivatives), 'vjp' (rule gives cotangents), 'composite'
    (rule is an equivalent NumPy program to differentiate through), or 'nondifferentiable' (no rule; the
    derivative is zero wherever it exists). ``broadcasts``: cotangents may have the broadcast shape and are
    summed back centrally. ``view``: the result may share memory with the first argument.
    ``partial_domain``: a partial derivative may be infinite or NaN on the boundary of the domain or outside
    it, so that a cotangent masked by ``np.where`` has to be multiplied by ``safe_product``.
    ``unmixed``: no formula of an elementwise rule computes with its arguments among themselves.
    ``itself``: the rule of a composite is the body of ``fn``.
    ``complex_only``: the derivative by real arguments is zero.
    ``absent``: of several results, None is the cotangent of one that nothing depends on, not zeros.
    """

    fn: Function
    kind: str
    rule: Function | None = None
    broadcasts: bool = False
    view: bool = False
    partial_domain: bool = False
    unmixed: bool = False
    itself: bool = False
    absent: bool = False
    complex_only: bool = False


_primitives: dict[Function, Primitive] = {}
OWN = __name__.partition(".")[0] + "."
# Rules of optional libraries, read once the user's program has imported the library itself.
_optional = {
    "scipy.special": ".scipy.special",
    "scipy.linalg": ".scipy.matrix_equations",
    "scipy.fft": ".scipy.fft",
    "scipy.fftpack": ".scipy.fftpack",
    "scipy.integrate": ".scipy.integrate",
    "scipy.ndimage": ".programs.window_functions",
    "scipy.stats": ".scipy.stats",
    "scipy.interpolate": ".scipy.interpolate",
    "scipy.signal": ".scipy.signal",
    "scipy.spatial.distance": ".scipy.distance",
    "scipy.optimize": ".scipy.assignments",
    "scipy.spatial": ".programs.trees_of_points",
    "scipy.sparse": ".scipy.sparse",
    "numpy.testing": ".numpy.assertions",
    "statistics": ".numpy.statistics_of_lists",
    "bottleneck": ".bottleneck",
}


def lookup(fn: Function) -> Primitive | None:
    """The primitive behind a callable (``operator.mul``, ``np.multiply`` and ``*`` are one), or None."""
    try:
        found = _primitives.get(fn)
    except TypeError:  # an unhashable callable
        return None
    if found is not None:
        return found
    if load_optional():
        return lookup(fn)
    original = getattr(fn, "__dict__", {}).get("in_place_of")  # of what stands in its place for a while
    return None if original is None else _primitives.get(original)


def load_optional() -> bool:
    """Read the rules and programs of libraries that were imported meanwhile; whether there were any."""
    arrived = [library for library in _optional if library in sys.modules and not _is_arriving(library)]
    for library in arrived:
        module = _optional.pop(library, "")  # which the import of another one may have read
        before, around, _reading.library = len(_primitives), _reading.library, library
        try:
            if module:
                importlib.import_module(module, __package__)
        except BaseException:  # a filter that makes errors of warnings, an interrupt
            if len(_primitives) == before:
                _optional[library] = module
            raise
        finally:
            _reading.library = around
    return bool(arrived)


def _is_arriving(library: str) -> bool:
    """Whether a library is being imported: what it has so far is not all."""
    return bool(getattr(getattr(sys.modules[library], "__spec__", None), "_initializing", False))


# What tells the shape of a result from the shapes of arrays and from options, where trying can't tell it.
shapes: dict[Function, Function] = {}


# Functions of matrices, and which argument has the shape of the result, which is of double precision.
# Made-up matrices would have to be square, and to have a solution.
of_matrices: dict[Function, int] = {}


def shape(*fns: Function) -> Callable[[Function], Function]:
    """Register ``told(*args) -> shape``: the function's arguments, arrays replaced by their shapes.

    Lengths are numbers or symbols that can be added, subtracted, and multiplied by numbers; None, in what is
    given and in what is returned, is a length that is not known. Other arguments that are not known are None.
    A list of shapes: of several results.

    The compiler asks functions for the shapes of their results by calling them on small arrays; that fails
    where lengths have to fit each other in ways that it can't guess.
    """

    def decorate(told: Function) -> Function:
        for fn in fns:
            shapes[fn] = told
        return told

    return decorate


# What makes valid arguments of made-up ones.
_tried: dict[Function, Function] = {}


def tried_as(*fns: Function) -> Callable[[Function], Function]:
    """Register ``valid(*args, **kwargs) -> (args, kwargs)``, of the types and lengths of those given.

    The compiler tries functions on small made-up arrays. Outside of their domain some refuse them, and then
    nothing is learnt; compiled ones may read memory that isn't theirs, and then the process is gone.
    """

    def decorate(valid: Function) -> Function:
        _tried.update(dict.fromkeys(fns, valid))
        return valid

    return decorate


def for_trial(
    fn: Function, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """The arguments with which a function is tried in place of these made-up ones."""
    try:
        valid = _tried.get(fn)
    except TypeError:  # an unhashable callable
        return args, kwargs
    return (args, kwargs) if valid is None else valid(*args, **kwargs)


def count() -> int:
    """How many callables are registered; rules of libraries that are imported later are added then."""
    load_optional()
    return len(_primitives)


def changes() -> int:
    """How often a rule was registered that may make another program of what was read before.

    The package's own are not among them, which are read when a program, or a library, first asks for them.
    """
    return _changes


_changes = 0
_waiting: list[Callable[[], None]] = []


def on_change(begin_anew: Callable[[], None]) -> None:
    """Call this whenever such a rule is registered: what was read before may be another program now."""
    _waiting.append(begin_anew)


def rules_of_users() -> list[Function]:
    """The callables to which somebody else gave a rule, or which are no library's."""
    own = {"ast_ad", "numpy", "scipy", "bottleneck", *sys.stdlib_module_names}
    ruled = ((fn, known.rule) for fn, known in list(_primitives.items()))  # threads register
    return [fn for fn, rule in ruled if not (_root_of(fn) in own if rule is None else _is_own(rule))]


def _root_of(fn: Function) -> str:
    return str(getattr(fn, "__module__", None) or "numpy").partition(".")[0]  # ufuncs and their methods


def _is_own(fn: Function) -> bool:
    return str(getattr(fn, "__module__", "")).startswith(OWN)


class _Reading(threading.local):
    """The library whose rules a thread reads."""

    library = ""


_reading = _Reading()


def _changed(fns: Iterable[Function]) -> None:
    global _changes
    others = 0 if _reading.library else sum(not _is_own(fn) for fn in fns)
    _changes += others
    for begin_anew in _waiting if others else ():
        begin_anew()


def primitives() -> dict[Function, Primitive]:
    """All registered callables, aliases included."""
    load_optional()
    return dict(_primitives)


def _require_a_name_of_its_own(fn: Function) -> None:
    """Raise where the callable does not tell a call: compiled code sees through it, or traces miss it."""
    kind = f"a value of type {type(fn).__name__}"
    if isinstance(fn, types.FunctionType):
        around = fn.__qualname__.rpartition(".")[0]
        method = bool(around) and not around.endswith("<locals>")
    else:
        method = isinstance(fn, types.MethodType) and isinstance(fn.__self__, type)
    if method or isinstance(fn, (functools.partial, np.vectorize)) or not callable(fn):
        raise InputTypeError(
            f"a rule for {'a method' if method else kind}: {fn!r}",
            why="a rule belongs to a function that those who call it find under a name",
            fix="write a function that does the same, give it the rule, and call it there",
        )


def _register(fns: tuple[Function, ...], **facts: Any) -> None:
    for fn in fns:
        _require_a_name_of_its_own(fn)
    primitive = Primitive(fns[0], **facts)
    for fn in fns:
        if fn in _primitives:
            raise ValueError(f"{fn!r} has a rule already")
        _primitives[fn] = primitive
    _changed(fns)


def elementwise(
    *fns: Function, partial_domain: bool = False, view: bool = False, unmixed: bool = False
) -> Callable[[Function], Function]:
    """Register ``rule(ans, *args) -> partial derivatives``, one per argument (a bare value for one argument).

    Broadcasting, complex conjugation and dtypes are handled centrally. None as a partial: the derivative
    with respect to that argument is zero. Booleans and integers of few bits are int64 to the rule, unless
    it is ``unmixed``: it has the partials of sums, say, and computes nothing of arguments alone.
    """
    facts = {"partial_domain": partial_domain, "view": view, "unmixed": unmixed}

    def decorate(rule: Function) -> Function:
        _register(fns, kind="elementwise", rule=rule, broadcasts=True, **facts)
        return rule

    return decorate


def vjp(
    *fns: Function,
    broadcasts: bool = False,
    view: bool = False,
    absent: bool = False,
    complex_only: bool = False,
) -> Callable[[Function], Function]:
    """Register ``rule(g, ans, *args, **kwargs) -> cotangents``, one per positional parameter of ``fn``.

    A bare value stands for a tuple of one; trailing None may be left out. None: no derivative. For an
    argument that is a list or tuple of arrays the cotangent is a list or tuple. Where ``fn`` returns
    several results, ``g`` and ``ans`` are tuples; with ``absent`` the compiler puts None into ``g`` for a
    result that nothing depends on, instead of zeros; with ``complex_only`` it is asked for the derivative by
    complex arguments, that by others is none. The rule's parameters after ``g, ans`` are those of
    ``fn`` that are supported: a call with another one is refused.
    """

    facts = {"broadcasts": broadcasts, "view": view, "absent": absent, "complex_only": complex_only}

    def decorate(rule: Function) -> Function:
        _register(fns, kind="vjp", rule=rule, **facts)
        return rule

    return decorate


def composite(*fns: Function, view: bool = False) -> Callable[[Function], Function]:
    """Register an equivalent program in differentiable NumPy; its derivative is that of ``fn``."""

    def decorate(rule: Function) -> Function:
        _register(fns, kind="composite", rule=rule, view=view)
        return rule

    return decorate


@dataclass(frozen=True)
class Linear:
    """A function that is linear in its arguments at ``places``: in all together, or in ``each`` of them.

    ``unless``: options with which it is not, or with which something else depends on what is differentiated.
    """

    places: frozenset[int]
    each: bool
    unless: tuple[str, ...] = ()


# What gives tangents where the transposed rule would cost more: rules, and facts that functions are linear.
_tangents: dict[Primitive, Function | Linear] = {}


def tangent_rule(primitive: Primitive) -> Function | Linear | None:
    """What tells the tangents of a primitive's results; None: its rule, transposed."""
    return _tangents.get(primitive)


def jvp(*fns: Function) -> Callable[[Function], Function]:
    """Register ``rule(tangents, ans, *args, **kwargs) -> tangent of the result`` of a function with a rule.

    ``tangents`` has one for each positional argument, None where that does not depend on what is
    differentiated. Where ``fn`` returns several results, so does the rule. Without it, tangents are those of
    the function's rule, transposed.
    """

    def decorate(rule: Function) -> Function:
        for fn in fns:
            _tangents[_primitives[fn]] = rule
        _changed(fns)
        return rule

    return decorate


def linear(*fns: Function, places: Sequence[int] = (0,), unless: Sequence[str] = ()) -> None:
    """Tell that functions with a rule are linear in the arguments at ``places``, taken together."""
    for fn in fns:
        _tangents[_primitives[fn]] = Linear(frozenset(places), False, tuple(unless))
    _changed(fns)


def multilinear(*fns: Function, places: Sequence[int] = (0, 1), unless: Sequence[str] = ()) -> None:
    """Tell that functions with a rule are linear in each of the arguments at ``places``: products."""
    for fn in fns:
        _tangents[_primitives[fn]] = Linear(frozenset(places), True, tuple(unless))
    _changed(fns)


def program(fn: Function) -> Function:
    """Register a function that is itself differentiable NumPy: a composite whose rule is its own body."""
    _register((fn,), kind="composite", rule=body_of(fn), itself=True)
    return fn


def body_of(fn: Function) -> Function:
    """The same function, but none that is registered: a program of what it calls."""
    assert isinstance(fn, types.FunctionType)
    body = types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    body.__kwdefaults__, body.__module__, body.__doc__ = fn.__kwdefaults__, fn.__module__, fn.__doc__
    return body


def nondifferentiable(*fns: Function) -> None:
    """Register functions whose results are constant wherever they are smooth, or no numbers at all."""
    for fn in fns:
        _register((fn,), kind="nondifferentiable")


def alias(fn: Function, *others: Function) -> None:
    """Let other callables with the same meaning and argument order share ``fn``'s rule."""
    for other in others:
        if other in _primitives:
            raise ValueError(f"{other!r} has a rule already")
        _primitives[other] = _primitives[fn]
        if fn in shapes:
            shapes[other] = shapes[fn]
    _changed(others)


def with_named_out(
    fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a NumPy function; what is given as ``out`` by its position, and behind it, by name.

    >>> import numpy as np
    >>> with_named_out(np.sum, (1, 0, None, 2, True), {})
    ([1, 0, None], {'out': 2, 'keepdims': True})
    """
    names = _up_to_out(fn)
    first = names.index("out") if names else len(args)
    return list(args[:first]), {**dict(zip(names[first:], args[first:], strict=False)), **kwargs}


@functools.cache
def _up_to_out(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters of a NumPy function that takes ``out`` by its position, or none."""
    if type(fn).__name__ != "_ArrayFunctionDispatcher":
        return ()
    try:
        parameters = inspect.signature(fn).parameters.values()
    except ValueError:
        return ()
    names = tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    return names if "out" in names else ()


@functools.cache
def writing_parameters(fn: Callable[..., Any]) -> tuple[tuple[int, str], ...]:
    """The parameters by which a library's function writes to arrays of its caller: positions and names.

    >>> import numpy as np
    >>> writing_parameters(np.median)
    ((3, 'overwrite_input'),)
    """
    try:
        names = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return ()
    return tuple((i, n) for i, n in enumerate(names) if n == "output" or n.startswith("overwrite_"))
