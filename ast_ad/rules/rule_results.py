"""Is what a derivative rule of the user's returned what it has to be? Structure, shapes and dtypes tell.

The same errors serve programs, whose types are known when they are compiled, and traces, whose values are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import AdError, InputTypeError, InputValueError, UnsupportedError


def no_pair(name: str, rule: str, wanted: str) -> AdError:
    """The error for a rule that returns something else than two values."""
    return InputTypeError(
        f"what `{rule}` of `{name}` returns", why="it is no pair", fix=f"return ({wanted}): a tuple of two"
    )


def wrong_number(name: str, rule: str, found: int | None, wanted: int) -> AdError:
    """The error for another number of cotangents than of arguments; None: they are no tuple."""
    if found is None:
        what, why = f"what `{rule}` of `{name}` returns", "it is no tuple"
    else:
        what = f"{found} cotangent{'s' * (found != 1)} from `{rule}` of `{name}`"
        why = f"the function has {wanted} differentiated argument{'s' * (wanted != 1)}"
    kind = InputTypeError if found is None else InputValueError
    return kind(what, why=why, fix="return a tuple with one for each argument, None for zero")


def wrong_structure(name: str, rule: str, where: str) -> AdError:
    """The error for a container where the value has another one."""
    return InputTypeError(
        f"what `{rule}` of `{name}` returns for {where}",
        why="it has another structure than that",
        fix="give it the same tuples, lists and dicts, None for a zero",
    )


def wrong_shape(name: str, rule: str, where: str, found: Any, wanted: Any) -> AdError:
    """The error for an array of another shape."""
    return InputValueError(
        f"an array of shape {found} from `{rule}` of `{name}` for {where}",
        why=f"that has shape {wanted}",
        fix="give it the shape of the value that it belongs to",
    )


def wrong_dtype(name: str, rule: str, where: str, found: Any, wanted: Any) -> AdError:
    """The error for an array of another dtype."""
    return InputTypeError(
        f"an array of {found} from `{rule}` of `{name}` for {where}",
        why=f"that is of {wanted}",
        fix="convert it, with .astype() or np.real",
    )


def by_another_value(name: str) -> AdError:
    """The error for a derivative by something that the rule has no cotangent for."""
    return InputValueError(
        f"the derivative of `{name}` by a value that is none of its differentiated arguments",
        why="its rule has no cotangent for what the function reads from around it, or for nondiff_argnums",
        fix="pass the value as an argument that is differentiated, or stop_gradient of it",
    )


def not_linear(name: str) -> AdError:
    """The error for a tangent that can't be transposed."""
    return InputValueError(
        f"the tangent that the rule of `{name}` returns",
        why="it is not linear in the tangents of the arguments",
        fix="multiply tangents by what depends on the arguments only, and add",
    )


def by_name_only(name: str, argument: str) -> AdError:
    """The error for an argument that has no position."""
    return InputTypeError(
        f"the argument `{argument}` of `{name}`, which has a rule of its own",
        why="it can be passed by its name only, and rules get their arguments by position",
        fix="let the function take it by position",
    )


def other_value(name: str, rule: str) -> AdError:
    """The error for a rule whose value is not like that of its function."""
    return InputTypeError(
        f"the value that `{rule}` of `{name}` returns",
        why="it has another structure, shape or dtype than that of the function",
        fix="let both return the same value",
    )


def no_tangent(name: str) -> AdError:
    """The error for a tangent of a function that has a rule for cotangents only."""
    return _of_tangents(
        InputTypeError(
            f"a tangent of `{name}`",
            why="it has a rule for cotangents only, which is not transposed",
            fix=f"give it one for tangents, {name}.defjvp(rule), or ask for vjp, grad or jacrev",
        )
    )


def no_linear_cotangent(name: str) -> AdError:
    """The error for a rule that can't be transposed."""
    return _of_tangents(
        InputValueError(
            f"a tangent of `{name}`",
            why="its rule is not linear in the cotangent, so that it is that of a pullback only",
            fix="ask for vjp, grad or jacrev, or give it a rule that is linear in the cotangent",
        )
    )


def _of_tangents(error: AdError) -> AdError:
    error.of_tangents = True
    return error


def writes(name: str) -> AdError:
    """The error for a function that changes what it was given."""
    return InputValueError(
        f"a write of `{name}` to its argument",
        why="a function with a rule of its own has no derivative for that",
        fix="copy the argument first, and return the copy",
    )


def changed(name: str) -> AdError:
    """The error for a write through one of two names that a trace has two arrays for."""
    return UnsupportedError(
        f"a write to what `{name}` returned, or to its argument",
        why="both are one array, and where they are traced they are two",
        fix="let the function return a copy, or copy what it returned before the write",
    )


def check_leaf(name: str, rule: str, where: str, found: Any, like: Any) -> None:
    """A cotangent or tangent has the shape of its value, and its dtype, unless both are numbers.

    Raises:
        InputValueError, InputTypeError: it has not.
    """
    given, wanted = array_of(found), array_of(like)
    if given.dtype.kind not in "biufc":
        raise wrong_structure(name, rule, where)
    if given.shape != wanted.shape:
        raise wrong_shape(name, rule, where, given.shape, wanted.shape)
    complex_ = given.dtype.kind == "c" and wanted.dtype.kind != "c"
    if complex_ or given.ndim and given.dtype != wanted.dtype:
        raise wrong_dtype(name, rule, where, given.dtype, wanted.dtype)


def array_of(value: Any) -> np.ndarray:
    """The plain array of a number, an array or a tensor."""
    own = getattr(value, "_array", None)
    return np.asarray(value) if own is None else own


def checked(found: Any, like: Any, name: str, rule: str, where: str) -> Any:
    """A cotangent, if it has the shape and the dtype of its value: ``check_leaf`` when a program runs."""
    check_leaf(name, rule, where, found, like)
    return found
