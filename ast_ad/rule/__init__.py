"""How does an operation of a user's own get a derivative? By a rule, and a check that the rule is right.

``elementwise``, ``vjp``, ``composite`` and ``nondifferentiable`` are those by which the package knows its own
operations: compiled code, kernels, traces and tensors read one rule. ``check`` tells whether it is right.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import rules  # noqa: F401  (so that an operation which has a rule is refused another one)
from ..errors import InputTypeError
from ..rules.registry import (
    Primitive,
    alias,
    composite,
    elementwise,
    lookup,
    nondifferentiable,
    primitives,
    shape,
    vjp,
)
from . import direct
from .points import check_points
from .programs import check_float32, check_program
from .samples import Sample, as_sample

__all__ = ["Sample", "alias", "check", "composite", "elementwise", "nondifferentiable", "shape", "vjp"]


def __dir__() -> list[str]:
    """What completion shows: no modules, and nothing that is imported for the functions below."""
    return [*__all__]


def check(
    rule: Callable[..., Any], samples: Iterable[tuple[Any, ...] | Sample], boundary: bool = True
) -> None:
    """Raise AssertionError where a rule is wrong; the message names sample, argument and both numbers.

    Each sample is checked in four ways: the rule, run on arrays, against differences of the operation; its
    first and second derivative as the compiler builds them; in single precision; and, if the rule is
    elementwise and of real numbers, at 0, 1, -1, 0.5, -0.5 and further points, and at the ends of the domain
    next to them (``boundary``), where NaN is wrong if the differences from one side converge.

    Args:
        rule: the registered operation, or the rule that was registered for it.
        samples: tuples of arguments, arrays of any shape or numbers; or ``Sample``, which has options.
        boundary: whether elementwise rules are checked at the points above.

    Raises:
        AssertionError: the rule is wrong.
        InputTypeError: nothing is registered under ``rule``; there is no sample.

    >>> import math
    >>> import numpy as np
    >>> import ast_ad.rule
    >>> def softplus(x):
    ...     return np.log1p(np.exp(x))
    >>> @ast_ad.rule.elementwise(softplus)
    ... def softplus_rule(ans, x):
    ...     return 1 / (1 + np.exp(-x))
    >>> ast_ad.rule.check(softplus, [(np.array([0.5, -1.0]),)], boundary=False)
    >>> def cube(x):
    ...     return x * x * x
    >>> @ast_ad.rule.elementwise(cube)
    ... def cube_rule(ans, x):
    ...     return 2 * x * x
    >>> ast_ad.rule.check(cube, [(2.0,)])
    Traceback (most recent call last):
    AssertionError: sample 0 of `cube`: argument 0: rule ..., differences ...
    """
    fn, primitive = _registered(rule)
    entries = list(samples)
    for entry in entries:
        if not isinstance(entry, (tuple, Sample)):
            kind = type(entry).__name__
            raise InputTypeError(f"a sample of type {kind}", fix="give a tuple of arguments: (x,) for one")
    if not entries:
        raise InputTypeError("a check of a rule without samples", fix="give at least one tuple of arguments")
    for number, sample in enumerate(map(as_sample, entries)):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                _check(fn, primitive, sample, boundary)
            except AssertionError as error:
                name = getattr(fn, "__name__", fn)
                raise AssertionError(f"sample {number} of `{name}`: {error}") from None


def _registered(rule: Callable[..., Any]) -> tuple[Callable[..., Any], Primitive]:
    primitive = lookup(rule)
    if primitive is not None:
        return rule, primitive
    for fn, known in primitives().items():
        if known.rule is rule:
            return fn, known
    name = getattr(rule, "__name__", rule)
    raise InputTypeError(
        f"a check of `{name}`, which is no registered operation, and no rule of one",
        fix="register the rule first, with @ast_ad.rule.vjp(fn) or @ast_ad.rule.elementwise(fn)",
    )


def _check(fn: Callable[..., Any], primitive: Primitive, sample: Sample, boundary: bool) -> None:
    direct.check(primitive, fn, sample)
    if primitive.kind == "nondifferentiable":
        return
    check_program(fn, sample)
    if "float32" in sample.dtypes:
        check_float32(fn, sample)
    if boundary and primitive.kind == "elementwise" and not sample.kwargs and not sample.kink:
        check_points(primitive, fn, sample)
