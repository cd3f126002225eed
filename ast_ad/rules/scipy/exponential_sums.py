"""How do logarithms of sums of exponentials, and the shares in such sums, pass a cotangent back?"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np
import scipy.special as sp

from ..helpers import unbroadcast
from ..numpy.gather import refuse
from ..partials import exp_share
from ..registry import composite, vjp


@vjp(sp.logsumexp)
def logsumexp(g, ans, a, axis=None, b=None, keepdims=False, return_sign=False):
    """With ``return_sign`` the logarithm is that of the sum's size; its sign is constant, of real numbers."""
    g_each, total, sign = (g[0], ans[0], ans[1]) if return_sign else (g, ans, 1)
    if axis is not None or keepdims:
        lengths = np.shape(np.sum(a if b is None else np.ones_like(a) * b, axis=axis, keepdims=True))
        g_each, total = np.reshape(g_each, lengths), np.reshape(total, lengths)
        if return_sign:
            sign = np.reshape(sign, lengths)
    if return_sign:
        if np.iscomplexobj(sign):
            refuse("logsumexp(return_sign=True) of complex numbers", fix="leave the sign out")
        g_each = g_each * sign
    shares = exp_share(a, total)
    if b is None:
        return g_each * np.conj(shares)
    by_b = g_each * np.conj(shares) * np.ones_like(b)  # which may have more axes than a
    return unbroadcast(g_each * np.conj(shares * b), a), None, unbroadcast(by_b, b)


@composite(sp.softmax)
def softmax(x, axis=None):
    shifted = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return shifted / np.sum(shifted, axis=axis, keepdims=True)


@vjp(sp.log_softmax)
def log_softmax(g, ans, x, axis=None):
    return g - np.exp(ans) * np.sum(g, axis=axis, keepdims=True)
