"""Is a gradient that of the function, along one direction? Told by differences of two sizes.

Where these do not agree with each other, or the differences to both sides don't, there is no verdict: the
function has a kink there, jumps, or is lost in rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...extrapolation import is_stepped
from ...interrupts import let_through
from ...trees import flatten

TRUST = 1e-3  # how well differences have to agree before they count, relative to the larger one


def along_a_direction(
    call: Callable[[Sequence[Any]], Any],
    values: Sequence[Any],
    program: Any,
    plain: Any,
    bars: Sequence[Any],
    rounded: bool = False,
    single: bool = False,
    forward: bool = False,
) -> str | None:
    """What is wrong about a gradient; None where nothing is, and an empty text where differences can't tell.

    Args:
        call: the function, of the list of its arguments.
        values: the arguments of the call.
        program: says which leaves were differentiated, and which numbers of the value.
        plain: the value of the function there.
        bars: the cotangents.
        rounded: whether the function rounds to some decimals: it is flat then, but in its differences not.
        single: whether it computes in single precision somewhere, whatever the precision of its result.
        forward: whether ``bars`` are the tangents of the results, for ones, and not cotangents.
    """
    flat = [flatten(value) for value in values]
    leaves = [leaf for parts, _ in flat for leaf in parts]
    numbers = np.random.default_rng(0)
    if forward:
        steps = {i: np.ones_like(leaves[i]) for i in program.wrt}
        found = sum(float(np.sum(np.real(tangent))) for tangent in bars)
    else:
        steps = {i: _direction(leaves[i], numbers) for i in program.wrt}
        found = sum(_product(bar, steps[i]) for i, bar in zip(program.wrt, bars, strict=True))
    compared = [*(leaves[i] for i in program.wrt), *_numbers(plain, program)]
    eps = max([_eps(np.float32(0) if single else 0.0), *map(_eps, compared)])

    def at(h: float) -> float:
        moved = [_step(leaf, steps[i], h) if i in steps else leaf for i, leaf in enumerate(leaves)]
        rest, given = iter(moved), []
        for _, tree in flat:
            given.append(tree.unflatten([_own(next(rest)) for _ in range(tree.num_leaves)]))
        return _total(call(given), program)

    h, here = eps ** (1 / 3), _total(plain, program)
    try:
        ahead, behind = [[at(sign * size) for size in (h, h / 4)] for sign in (1.0, -1.0)]
    except Exception as error:  # the function may not be defined beside the point
        let_through(error)
        return ""
    wide, narrow = (ahead[0] - behind[0]) / (2 * h), (ahead[1] - behind[1]) / (h / 2)
    sides = (ahead[1] - here) / (h / 4), (here - behind[1]) / (h / 4)
    scale = max(abs(wide), abs(narrow), abs(sides[0]), abs(sides[1]))
    noise = 100 * eps * abs(here) / h
    if not np.all(np.isfinite([wide, narrow, *sides])):
        return ""
    if abs(wide - narrow) > TRUST * scale + noise or abs(sides[0] - sides[1]) > 0.1 * scale + noise:
        return ""
    if abs(found - narrow) <= 10 * TRUST * max(scale, abs(found)) + noise:
        return None
    if rounded or is_stepped(at, h, found, narrow, eps * abs(here)):
        return ""
    return f"its derivative along a direction is {found:.6g}, and by differences {narrow:.6g}"


def _direction(leaf: Any, numbers: Any) -> Any:
    """A random step of about the size of a number or of an array's elements."""
    shape, kind = np.shape(leaf), np.result_type(leaf).kind
    step = numbers.standard_normal(shape)
    if kind == "c":
        step = step + 1j * numbers.standard_normal(shape)
    size = float(np.mean(np.abs(leaf))) if np.size(leaf) else 0.0
    step = step * (size if 0 < size < np.inf else 1.0)
    return step / max(1.0, float(np.sqrt(np.size(leaf))))


def _step(leaf: Any, step: Any, h: float) -> Any:
    if isinstance(leaf, np.ndarray):
        return np.asarray(leaf + h * step, leaf.dtype)
    return type(leaf)(leaf + h * step)


def _own(leaf: Any) -> Any:
    return leaf.copy("K") if isinstance(leaf, np.ndarray) else leaf


def _product(bar: Any, step: Any) -> float:
    return float(np.sum(np.real(np.conj(bar) * step)))


def _total(value: Any, program: Any) -> float:
    """The sum of what was differentiated: the loss, or all floats of the value of a pullback."""
    return float(sum(float(np.sum(np.real(leaf))) for leaf in _numbers(value, program)))


def _numbers(value: Any, program: Any) -> list[Any]:
    """The floats of a value, without its auxiliary part."""
    if program.owner.question.has_aux:
        value = value[0]
    return [leaf for leaf in flatten(value)[0] if np.result_type(leaf).kind in "fc"]


def _eps(leaf: Any) -> float:
    """How precise a number, or an array's elements are."""
    return float(np.finfo(np.result_type(leaf)).eps)
