"""What do sums of exponentials and their shares stand for in kernels? Part of the ``definitions``."""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import sys
from typing import Any

import numpy as np

from ....rules.torch import softmax as torch_softmax
from .arrangements import only


def kept_sum(x, axis):
    return np.sum(x, axis=axis, keepdims=True)


def softmax(x, axis=-1):
    only(np.ndim(x) > 0 and x.dtype.kind == "f")
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(x, axis=-1):
    only(np.ndim(x) > 0 and x.dtype.kind == "f")
    below = x - np.max(x, axis=axis, keepdims=True)
    return below - np.log(np.sum(np.exp(below), axis=axis, keepdims=True))


def log_softmax_of_all(x, axis=None):
    return log_softmax(x, axis)


def logsumexp(x, axis=None, b=None, keepdims=False):
    """The largest numbers are no part of the sum: a small rest beside them is not lost, as in SciPy."""
    only(np.ndim(x) > 0 and x.dtype.kind == "f" and b is None and isinstance(keepdims, bool))
    top = np.max(x, axis=axis, keepdims=True)
    largest = x == top
    count = np.sum(np.where(largest, np.ones_like(x), 0.0), axis=axis, keepdims=True)
    rest = np.sum(np.where(largest, 0.0, np.exp(x - top)), axis=axis, keepdims=True)
    found = np.log1p(rest / count) + np.log(count) + top
    return np.sum(found, axis=axis, keepdims=keepdims)  # over axes of length 1


def logsumexp_of_axes(x, axis, keepdims=False):
    return logsumexp(x, axis, None, keepdims)


DEFINITIONS: dict[Any, Any] = {
    torch_softmax.kept_sum: kept_sum,
    torch_softmax.softmax: softmax,
    torch_softmax.log_softmax: log_softmax,
    torch_softmax.logsumexp: logsumexp_of_axes,
}


def of_scipy() -> dict[Any, Any]:
    """Definitions of functions of ``scipy.special``, once the program has imported it."""
    special = sys.modules.get("scipy.special")
    if special is None:
        return {}
    return {special.logsumexp: logsumexp, special.log_softmax: log_softmax_of_all}
