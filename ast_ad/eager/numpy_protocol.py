"""What happens when NumPy is called with a tensor? The call is recorded under NumPy's own rules.

``np.sin(t)`` and ``np.stack([t, u])`` arrive here through ``__array_ufunc__`` and ``__array_function__``.
Types are NumPy's, not PyTorch's: float64 scalars win over float32 arrays.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import MissingRuleError
from ..rules import helpers
from ..rules.numpy.indexing import copied_to
from ..rules.registry import Primitive, lookup, with_named_out
from ..rules.standing import of_ufuncs, subscripts_of
from ..rules.torch.order import cummax, cummin
from .checks import require_arrays
from .dispatch import apply, composite, face_of, inplace, is_active, operation, plain_of, wrapped
from .operations.shapes import expand
from .places import root_of
from .slices import slices
from .state import state
from .surface import attach
from .table import Operation, backward_name
from .tensor import Tensor

# What a ufunc's methods are as functions.
_REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
_ACCUMULATIONS: dict[Any, Callable[..., Any]] = {np.add: np.cumsum, np.multiply: np.cumprod}
_RUNNING: dict[Any, Callable[..., Any]] = {np.maximum: cummax, np.minimum: cummin}

# Functions of the shape or type of an argument only.
_FACTS = {np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type, np.may_share_memory,
          np.shares_memory, np.array_equal, np.allclose, np.can_cast, np.min_scalar_type, np.array_equiv,
          np.array_repr, np.array_str, np.array2string, np.savetxt, np.save}  # fmt: skip
# Functions that write to their first argument, as pure functions of its value.
_COPYING = {np.nan_to_num, np.meshgrid}  # unless copy=False
_PERHAPS_SAME = {np.real, np.squeeze}  # return the array itself where there is nothing to be done
# Functions of several arguments that return a view of each.
_SEPARATE: dict[Any, Any] = {np.atleast_1d: tuple, np.atleast_2d: tuple, np.atleast_3d: tuple}
_WRITERS: dict[Any, Callable[..., Any]] = {np.copyto: copied_to, **helpers.IN_PLACE}


def _has_protocol(value: Any) -> bool:
    """Whether it is an object that says itself what ufuncs do with it."""
    plain = issubclass(type(value), (Tensor, np.ndarray, np.generic, float, int, complex, list, tuple))
    return not plain and getattr(type(value), "__array_ufunc__", None) is not None


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if state.tracing and any(map(_has_protocol, inputs)):
        return NotImplemented
    out, casting = kwargs.pop("out", None), kwargs.get("casting", "same_kind")
    _require_written(out)
    if method == "__call__" and state.safe and kwargs.get("where", True) is not True:
        targets = out if isinstance(out, tuple) else (out,)
        if any(target is not None for target in targets):
            return _where(ufunc, inputs, targets, kwargs)
        return _where_alone(ufunc, inputs, kwargs)
    if method == "__call__" and out is not None and _has_lengths_of_out(ufunc):
        filled = tuple([np.copy(plain_of(t)) for t in (out if isinstance(out, tuple) else (out,))])
        found = _without_rule(functools.partial(ufunc, out=filled), inputs, kwargs, ufunc.__name__)
    elif method == "__call__":
        found = _call_ufunc(ufunc, inputs, kwargs)
    elif method == "reduce" and ufunc in _REDUCTIONS:
        axis = kwargs.pop("axis", 0)
        found = run(_REDUCTIONS[ufunc], inputs, {"axis": axis, **_given(kwargs)})
    elif method == "accumulate" and ufunc in _ACCUMULATIONS:
        axis = kwargs.pop("axis", 0)
        found = run(_ACCUMULATIONS[ufunc], inputs, {"axis": axis, **_given(kwargs)})
    elif method == "accumulate" and ufunc in _RUNNING:
        found = run(_RUNNING[ufunc], (*inputs, kwargs.pop("axis", 0)), {})[0]
    elif method in ("reduce", "accumulate", "reduceat") and is_active(inputs[0]):
        first, *rest = inputs
        axis = kwargs.pop("axis", 0)
        found = of_ufuncs(method)(ufunc, first, *map(plain_of, rest), axis=axis, **_given(kwargs))
    elif method == "outer":
        a, b = inputs
        left = run(np.reshape, (a, np.shape(plain_of(a)) + (1,) * np.ndim(plain_of(b))), {})
        found = _call_ufunc(ufunc, (left, b), kwargs)
    elif method == "at" and not _is_array(inputs[0]):
        return ufunc.at(*map(plain_of, inputs))
    elif method == "at" and not plain_of(inputs[0]).flags.writeable:
        raise MissingRuleError(
            f"np.{ufunc.__name__}.at of an array that is read-only",
            why="NumPy writes to it all the same, where every other write raises an exception",
            fix="write to the array of which it is a view, or to a copy",
        )
    elif method == "at" and ufunc in (np.add, np.subtract) and isinstance(inputs[0], Tensor):
        target, index, value = inputs
        inplace(operation(helpers.add_at), target, plain_of(index), value if ufunc is np.add else -value)
        return None
    elif method == "at" and state.tracing and isinstance(inputs[0], Tensor):
        return of_ufuncs("at")(ufunc, inputs[0], plain_of(inputs[1]), *inputs[2:])
    else:
        found = _without_rule(getattr(ufunc, method), inputs, kwargs, f"np.{ufunc.__name__}.{method}")
    if out is None:
        return found
    if method == "__call__":
        found = _cast(ufunc, inputs, out, found, casting)
    return _into(out, found)


def _has_lengths_of_out(ufunc: Any) -> bool:
    """Whether its results are as long as what they are written to: ``()->(n)`` and its like."""
    given, _, made = (ufunc.signature or "").partition("->")
    return not {*re.findall(r"\w+", made)} <= {*re.findall(r"\w+", given)}


def _cast(ufunc: Any, inputs: Sequence[Any], out: Any, found: Any, casting: Any) -> Any:
    """The results for ``out``; NumPy raises its own error where they don't fit into the arrays."""
    targets = [plain_of(t) for t in (out if isinstance(out, tuple) else (out,))]
    results = found if isinstance(found, tuple) else (found,)
    pairs = [(r, np.result_type(plain_of(r)), t.dtype) for r, t in zip(results, targets, strict=True)]
    fits = all(np.ndim(plain_of(r)) <= t.ndim for r, t in zip(results, targets, strict=True))
    if not fits or not all(np.can_cast(dtype, target, casting) for _, dtype, target in pairs):
        ufunc(*map(plain_of, inputs), out=tuple([np.copy(t) for t in targets]), casting=casting)
    lost = [(target.kind not in "fc", r, target) for r, _, target in pairs]
    return tuple(plain_of(r).astype(target) if integer else r for integer, r, target in lost)


def _given(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in kwargs.items() if v is not None and v is not np._NoValue}


def _call_ufunc(ufunc: Any, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    how = {k: kwargs.pop(k) for k in ("dtype", "casting") if k in kwargs}
    where, order = kwargs.pop("where", True), kwargs.pop("order", "K")
    kwargs = {k: v for k, v in kwargs.items() if k != "subok"}
    inputs = [_array_of(x) if isinstance(x, (list, tuple)) else x for x in inputs]
    if where is not True:
        return _without_rule(ufunc, inputs, {"where": where, **kwargs}, f"np.{ufunc.__name__}(where=...)")
    if kwargs:  # those of a generalised ufunc: its axes
        return _by_axes(ufunc, inputs, **kwargs) if [*kwargs] == ["axes"] else run(ufunc, inputs, kwargs)
    if ufunc is np.divide and type(inputs[1]) in (int, float) and inputs[1] == 0:
        inputs = [inputs[0], zero_of(inputs[0], inputs[1])]
    dtype = how.get("dtype")
    if dtype is not None:
        found = ufunc(*map(plain_of, inputs), **how)  # whether the types can be cast is NumPy's to say
        if isinstance(found, (np.ndarray, np.generic)) and found.dtype.kind not in "fc":
            return wrapped(found, face_of(inputs))
        inputs = [run(helpers.astype, (x, dtype), {}) if isinstance(x, Tensor) else x for x in inputs]
    found = apply(operation(ufunc), inputs)
    if order not in ("C", "F") or not isinstance(found, Tensor) or _lies(found._array, order):
        return found
    return run(np.copy, (found,), {"order": order})  # later views are NumPy's only where it lies as asked


def _by_axes(ufunc: Any, inputs: Sequence[Any], axes: Sequence[Any]) -> Any:
    """A generalised ufunc along axes that are told, as by ``a @= b``: those are put last, where it works.

    What axes it can have, NumPy says.
    """
    ufunc(*map(plain_of, inputs), axes=axes)
    places = [(entry,) if isinstance(entry, int) else tuple(entry) for entry in axes]
    places += [()] * (ufunc.nargs - len(places))
    last = [tuple(range(-len(place), 0)) for place in places]
    moved = [run(np.moveaxis, (x, *pair), {}) for x, *pair in zip(inputs, places, last, strict=False)]
    return run(np.moveaxis, (run(ufunc, moved, {}), last[-1], places[-1]), {})


def _array_of(items: Sequence[Any]) -> Any:
    """What NumPy makes of a list, for whose rules it is an array."""
    return run(np.array, (items,), {}) if _has_tensor(items) else np.array(items)


def _lies(array: np.ndarray, order: str) -> bool:
    return array.flags.c_contiguous if order == "C" else array.flags.f_contiguous


def zero_of(x: Any, zero: float) -> Any:
    """Python's zero as NumPy's, by which the rule of a quotient can divide."""
    return np.result_type(plain_of(x), zero, 0.0).type(zero)


def _where(ufunc: Any, inputs: Sequence[Any], out: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``ufunc(*inputs, out=out, where=mask)``: a cotangent of 0 stays 0 where nothing was to be computed."""
    mask = plain_of(kwargs.pop("where"))
    targets = [plain_of(t) for t in out]
    with np.errstate(all="ignore"):
        if all(isinstance(t, np.ndarray) for t in targets):  # whether types and shapes fit is NumPy's to say
            copies = tuple([np.copy(t) for t in targets])
            ufunc(*map(plain_of, inputs), out=copies, where=mask, **kwargs)
        found = _call_ufunc(ufunc, inputs, kwargs)
    results = found if isinstance(found, tuple) else (found,)
    merged = [run(np.where, (mask, new, old), {}) for new, old in zip(results, out, strict=True)]
    return _into(out, tuple(merged))


def _where_alone(ufunc: Any, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """``ufunc(*inputs, where=mask)``: what NumPy leaves uninitialised is a constant, whatever it holds."""
    plain = {k: plain_of(v) for k, v in kwargs.items()}
    made = ufunc(*map(plain_of, inputs), out=(None,) * ufunc.nout, **plain)  # without a warning
    results = made if isinstance(made, tuple) else (made,)
    targets = tuple([wrapped(np.array(r), face_of(inputs)) for r in results])
    found = _where(ufunc, inputs, targets, kwargs)
    return found if np.ndim(results[0]) else found[()]


def _is_array(value: Any) -> bool:
    """Whether it is written to; a number is not: NumPy raises, or writes to an array that it makes of it."""
    return isinstance(plain_of(value), np.ndarray)


def _require_written(out: Any) -> None:
    """NumPy's own error where a target of ``out=`` is no array, or can't be written to."""
    for target in out if isinstance(out, tuple) else (out,):
        if target is not None and (not _is_array(target) or _is_read_only(target)):
            np.positive(0.0, out=plain_of(target))


def _is_read_only(target: Any) -> bool:
    """Whether NumPy refuses to write to an array, traced or not; for tensors, PyTorch's rules hold."""
    array = target._array if isinstance(target, Tensor) else target
    return state.safe and not array.flags.writeable


def _into(out: Any, found: Any) -> Any:
    """Write a result where ``out=`` asked for it."""
    targets = out if isinstance(out, tuple) else (out,)
    results = found if isinstance(found, tuple) else (found,)
    for target, result in zip(targets, results, strict=True):
        if isinstance(target, Tensor):
            inplace(operation(helpers.setitem), target, Ellipsis, result)
        elif is_active(result):
            raise MissingRuleError(
                "out= with an array that is no tensor",
                why="what is written to it would lose its history",
                fix="leave out= away, or pass a tensor",
            )
        else:
            target[...] = plain_of(result)
    return targets[0] if len(targets) == 1 else targets


def array_function(self: Tensor, fn: Any, types: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    if state.tracing and any(not issubclass(t, (Tensor, np.ndarray)) for t in types):
        return NotImplemented
    if fn in _FACTS:
        return fn(*[plain_of(a) for a in args], **{k: plain_of(v) for k, v in kwargs.items()})
    if fn in _WRITERS:
        given, args, kwargs = (args, kwargs), _positional(_WRITERS[fn], args, kwargs), {}
        if not _is_array(args[0]) or _is_read_only(args[0]):  # NumPy's own error
            return fn(*map(plain_of, given[0]), **{k: plain_of(v) for k, v in given[1].items()})
        if isinstance(args[0], Tensor):
            inplace(operation(_WRITERS[fn]), *args)
            return None
        if np.result_type(args[0]).kind not in "fc":  # what is written there has no derivative
            fn(*map(plain_of, args))
            return None
    if fn is np.einsum and not isinstance(args[0], str):
        result = args[-1] if len(args) % 2 else None
        args = (subscripts_of(args[1::2], result), *args[0 : len(args) - len(args) % 2 : 2])
    if fn in _COPYING and not _copies(fn, args, kwargs):
        return _uncopied(fn, args, kwargs)
    if fn in _SEPARATE and len(args) > 1:
        return _SEPARATE[fn](tuple(fn(a) for a in args))
    if fn is np.broadcast_arrays and not kwargs.get("subok"):
        return _broadcast_arrays(args)
    if fn in _PERHAPS_SAME and args and isinstance(args[0], Tensor):
        if fn(args[0]._array, *args[1:], **kwargs) is args[0]._array:
            return args[0]
    args, kwargs = with_named_out(fn, args, kwargs)
    out = kwargs.pop("out", None)
    _require_written(out)
    if out is not None:  # whether the result fits is NumPy's to say
        options = {k: plain_of(v) for k, v in kwargs.items()}
        fn(*map(plain_of, args), out=np.copy(plain_of(out)), **options)
    found = run(fn, args, kwargs)
    return found if out is None else _into(out, found)


def _broadcast_arrays(args: Sequence[Any]) -> tuple[Any, ...]:
    """Each argument stretched, as a view of it."""
    shape = np.broadcast_shapes(*[np.shape(plain_of(a)) for a in args])
    return tuple(
        expand(a, shape) if isinstance(a, Tensor) else np.broadcast_arrays(a, np.empty(shape))[0]
        for a in args
    )


def _copies(fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    return bool(args[1] if fn is np.nan_to_num and len(args) > 1 else kwargs.get("copy", True))


def _uncopied(fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """``copy=False``: np.nan_to_num writes to its argument; the views of np.meshgrid are not followed."""
    options = {k: v for k, v in kwargs.items() if k != "copy"}
    if fn is np.nan_to_num and not _is_array(args[0]):
        fn(*map(plain_of, args), **{k: plain_of(v) for k, v in kwargs.items()})  # raises, for it has to copy
    if fn is np.nan_to_num and isinstance(args[0], Tensor):
        found = _into(args[0], run(fn, (args[0], True, *args[2:]), options))
        return found if found._array.ndim or not state.tracing else found[()]  # NumPy returns the number
    raise MissingRuleError(
        f"`np.{fn.__name__}` with copy=False",
        why="what is written to its arguments later would not be seen in the result",
        fix="leave copy=False away",
    )


def run(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A call of a NumPy function, recorded if an argument requires grad."""
    primitive = lookup(fn)
    if primitive is None:
        return _without_rule(fn, args, kwargs, f"np.{getattr(fn, '__name__', fn)}")
    if any(_has_tensor(v) for v in kwargs.values()):
        if not any(is_active(v) for v in kwargs.values()):
            if not any(map(_has_tensor, args)):  # the result is of the class of tensors that the keywords are
                return _without_rule(fn, args, kwargs, fn.__name__)
            kwargs = {k: plain_of(v) for k, v in kwargs.items()}
        elif primitive.kind == "composite":
            return composite(operation(fn), args, kwargs)
        else:
            return _by_position(fn, primitive, args, kwargs)
    return apply(operation(fn), args, kwargs)


def _has_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_has_tensor(item) for item in value)
    return isinstance(value, Tensor)


def _without_rule(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], name: str) -> Any:
    """A function that has no rule: it may run where no gradient is asked for."""
    everything = [*args, *kwargs.values()]
    if state.tracing:
        require_arrays(everything)
    if any(map(is_active, everything)):
        raise MissingRuleError(
            f"the derivative of `{name}`",
            why="there is no rule for it, and it was called with a tensor that requires grad",
            fix="detach() the tensor, or write an autograd.Function",
        )
    out = fn(*[plain_of(a) for a in args], **{k: plain_of(v) for k, v in kwargs.items()})
    owners = [t for t in everything if isinstance(t, Tensor)]
    face = face_of(everything)
    if type(out) in (tuple, list):
        return type(out)(_window(part, owners, name, face) for part in out)
    return _window(out, owners, name, face)


def _window(out: Any, owners: Sequence[Tensor], name: str, face: Any) -> Any:
    """A result that shows the memory of an argument as a view of it, so that writes to either are seen."""
    if not isinstance(out, np.ndarray) or not out.size or not out.ndim:
        return wrapped(out, face)
    owner = next((t for t in owners if np.may_share_memory(out, t._array)), None)
    if owner is None:
        return wrapped(out, face)
    array, size = owner._array, out.itemsize
    start = out.__array_interface__["data"][0] - root_of(array).__array_interface__["data"][0]
    if array.dtype != out.dtype or any(n % size for n in (start, *out.strides)) or min(out.strides) < 0:
        raise MissingRuleError(
            f"`{name}`, whose result shows the memory of a traced array",
            why="what is written to one of the two later would not be seen in the other",
            fix="give it a copy",
        )
    return owner.as_strided(out.shape, [n // size for n in out.strides], start // size)


def _by_position(
    fn: Callable[..., Any], primitive: Primitive, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """A call with tensors given by keyword: to the graph they are arguments after the others."""
    named = tuple(key for key, value in kwargs.items() if is_active(value))
    for key in named:
        if primitive.kind != "vjp" or key not in _parameters(primitive):
            raise MissingRuleError(
                f"a tensor as {key}= of `{getattr(fn, '__name__', fn)}`",
                why="its derivative with respect to this argument is not known",
                fix="pass it by position, or detach() it",
            )
    slices.check_call(primitive, len(args), tuple(kwargs))
    rest = {key: value for key, value in kwargs.items() if key not in named}
    active = tuple(i for i, a in enumerate(args) if is_active(a))
    return apply(_adapted(fn, primitive, named, active), [*args, *(kwargs[key] for key in named)], rest)


@functools.cache
def _adapted(
    fn: Callable[..., Any], primitive: Primitive, named: tuple[str, ...], active: tuple[int, ...]
) -> Operation:
    """``fn`` with the arguments ``named`` as the last positional ones; ``active``: others with a gradient."""
    places = [_parameters(primitive).index(key) for key in named]

    def call(*args: Any, **kwargs: Any) -> Any:
        return fn(*args[: -len(named)], **dict(zip(named, args[-len(named) :], strict=True)), **kwargs)

    def rule(g: Any, ans: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        run_rule: Any = slices.on_tensors(primitive.rule) if _has_tensor([g, *args]) else primitive.rule  # type: ignore[arg-type]
        n = len(args) - len(named)
        found = run_rule(g, ans, *args[:n], **dict(zip(named, args[n:], strict=True)), **kwargs)
        found = found if isinstance(found, tuple) else (found,)
        for i in (*active, *places):
            if i >= len(found):
                slices.refusal(primitive)(i)
        return tuple(found[i] if i < len(found) else None for i in (*range(n), *places))

    return Operation(
        call, backward_name(fn), ("self", "other"), primitive=replace(primitive, fn=call, rule=rule)
    )


@functools.cache
def _parameters(primitive: Primitive) -> list[str]:
    """The names of the parameters of a rule, without the first two."""
    return list(inspect.signature(primitive.rule).parameters)[2:]  # type: ignore[arg-type]


def _positional(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
    bound = inspect.signature(fn).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


attach("__array_ufunc__", array_ufunc)
attach("__array_function__", array_function)
