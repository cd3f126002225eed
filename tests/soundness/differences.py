"""What gradient do differences of the plain function give, and are they sure of it?"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

STEP = 2e-3


class Unfit(Exception):
    """A program whose differences don't converge: it tests nothing."""


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The parts of lists, tuples, dicts and objects of the tests' own classes, with the way to each."""
    if isinstance(value, (list, tuple)):
        for i, part in enumerate(value):
            yield from leaves(part, (*path, i))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    elif type(value).__module__.startswith("tests.soundness") and hasattr(value, "__dict__"):
        for name, part in vars(value).items():
            yield from leaves(part, (*path, f".{name}"))
    else:
        yield path, value


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with another part."""
    if not path:
        return new
    key, rest = path[0], path[1:]
    if isinstance(key, str) and key.startswith("."):
        result = copy.copy(value)
        setattr(result, key[1:], replaced(getattr(value, key[1:]), rest, new))
        return result
    part = replaced(value[key], rest, new)
    if isinstance(value, tuple):
        return (*value[:key], part, *value[key + 1 :])
    result = copy.copy(value)
    result[key] = part
    return result


def own(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """A deep copy whose arrays lie in memory as the originals do."""
    given = copy.deepcopy(args)
    for path, part in leaves(args):
        if isinstance(part, np.ndarray) and not part.flags.c_contiguous:
            given = replaced(given, path, like(part, part))
    return given


def like(array: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values with the strides of an array."""
    low, high = np.lib.array_utils.byte_bounds(array)
    place = array.__array_interface__["data"][0] - low
    made = np.ndarray(array.shape, values.dtype, np.zeros(high - low, np.uint8).data, place, array.strides)
    made[...] = values
    return made


def is_single(value: Any) -> bool:
    """Whether a part is in single precision."""
    return any(getattr(part, "dtype", None) in (np.float32, np.complex64) for _, part in leaves(value))


def widened(value: Any) -> Any:
    """The value in double precision: differences in single precision are none."""
    for path, part in leaves(value):
        if is_single(part):
            wide = part.astype(complex if part.dtype.kind == "c" else float)
            value = replaced(value, path, wide)
    return value


def differences(function: Callable[..., Any], args: tuple[Any, ...], position: int) -> np.ndarray:
    """The gradient by an argument, all its floats in one array; complex for complex ones; nan of a nan.

    Two extrapolations, one with half the steps, must agree: a kink or a jump is no test.
    """
    if is_single(args):
        args = widened(args)
    parts: list[np.ndarray] = []
    for path, part in leaves(args[position]):
        kind = np.asarray(part).dtype.kind
        if kind not in "fc" or isinstance(part, str):
            continue
        by = _by_part(function, args, (position, *path), part)
        if kind == "c":
            by = by + 1j * _by_part(function, args, (position, *path), part, 1j)
        parts.append(by)
    return np.concatenate(parts) if parts else np.zeros(0)


def _by_part(
    function: Callable[..., Any], args: tuple[Any, ...], path: tuple[Any, ...], part: Any, unit: complex = 1.0
) -> np.ndarray:
    wide = np.array(part, dtype=complex if np.asarray(part).dtype.kind == "c" else float)
    found = np.zeros(wide.size)
    for i in range(wide.size):
        step = STEP * max(1.0, abs(wide.flat[i]))

        def at(distance: float, i: int = i) -> float:
            moved = wide.copy()
            moved.flat[i] += distance * unit
            if not isinstance(part, np.ndarray):
                new = type(part)(moved[()])
            else:
                new = like(part, moved) if part.dtype == moved.dtype else moved
            return _scalar(function, own(replaced(args, path, new)))

        slopes = [(at(h) - at(-h)) / (2 * h) for h in (step, step / 2, step / 4)]
        coarse, fine = ((4 * slopes[k + 1] - slopes[k]) / 3 for k in (0, 1))
        if abs(coarse - fine) > 1e-6 * (1.0 + abs(fine)):
            raise Unfit(f"differences of {function.__name__} by {path}[{i}]: {coarse!r} and {fine!r}")
        found[i] = fine
    return found


def _scalar(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = function(*args)
    return float(np.asarray(value).reshape(-1)[0])
