"""Which special functions do tensors have? The names of ``torch.special``, computed by SciPy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules import partials
from ...rules.torch import special as torch_special
from ...rules.torch.special import scipy_special
from ..dispatch import Operation, apply, binary, inplace, promoted, unary
from ..dtypes import get_default_dtype, result_dtype
from ..surface import FUNCTIONS, attach, function
from ..tensor import Tensor
from .activations import log_softmax, softmax
from .pointwise import floating, logit, require_tensor, require_tensors, round
from .reductions import logsumexp
from .refusals import check_in_place

# The name here, in ``scipy.special``, and of the nodes.
OF_SCIPY: tuple[tuple[str, str, str], ...] = (
    ("ndtr", "ndtr", "SpecialNdtrBackward0"),
    ("ndtri", "ndtri", "SpecialNdtriBackward0"),
    ("log_ndtr", "log_ndtr", "SpecialLogNdtrBackward0"),
    ("entr", "entr", "SpecialEntrBackward0"),
    ("erfcx", "erfcx", "SpecialErfcxBackward0"),
    ("i0e", "i0e", "SpecialI0EBackward0"),
    ("i1", "i1", "SpecialI1Backward0"),
    ("i1e", "i1e", "SpecialI1EBackward0"),
    ("bessel_j0", "j0", "SpecialBesselJ0Backward0"),
    ("bessel_j1", "j1", "SpecialBesselJ1Backward0"),
    ("bessel_y0", "y0", "SpecialBesselY0Backward0"),
    ("bessel_y1", "y1", "SpecialBesselY1Backward0"),
    ("modified_bessel_i0", "i0", "SpecialModifiedBesselI0Backward0"),
    ("modified_bessel_i1", "i1", "SpecialModifiedBesselI1Backward0"),
    ("modified_bessel_k0", "k0", "SpecialModifiedBesselK0Backward0"),
    ("modified_bessel_k1", "k1", "SpecialModifiedBesselK1Backward0"),
    ("scaled_modified_bessel_k0", "k0e", "SpecialScaledModifiedBesselK0Backward0"),
    ("scaled_modified_bessel_k1", "k1e", "SpecialScaledModifiedBesselK1Backward0"),
)
POLYGAMMA = Operation(partials.polygamma, "PolygammaBackward0", ("n", "self"))
XLOG1PY = tuple(
    Operation(torch_special.xlog1py, f"SpecialXlog1PyBackward{i}", ("self", "other"), inexact=True)
    for i in range(3)
)

SPECIAL: dict[str, Any] = {
    **{
        name: FUNCTIONS[name] for name in ("digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "log1p")
    },
    "sinc": FUNCTIONS["sinc"],
    "xlogy": FUNCTIONS["xlogy"],
    "expit": FUNCTIONS["sigmoid"],
    "gammaln": FUNCTIONS["lgamma"],
    "psi": FUNCTIONS["digamma"],
    "logit": logit,
    "round": round,
    "logsumexp": logsumexp,
    "softmax": softmax,
    "log_softmax": log_softmax,
}


def special(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Publish a function in ``ast_ad.special``."""
    SPECIAL[fn.__name__] = fn
    return fn


@functools.cache
def operation_of(name: str, node: str) -> Operation:
    """The operation of a function of SciPy, which is imported now.

    Raises:
        ImportError: SciPy is not installed.
    """
    library = scipy_special()
    if library is None:
        raise ImportError(f"`{name}` is computed by SciPy, which is not installed")
    from ...rules.scipy import special as rules  # it imports SciPy

    rule = getattr(rules, f"tensor_{name}", None)  # where PyTorch's derivative is another one
    return Operation(getattr(library, name), node, ("self", "other"), inexact=True, rule=rule)


def _define(name: str, scipy_name: str, node: str) -> None:
    def run(input: Tensor) -> Any:
        require_tensor(f"special_{name}", input)
        op = operation_of(scipy_name, node)
        if input._array.dtype == np.float16:
            return unary(op, input.float()).to(input.dtype)
        return unary(op, input)

    run.__name__, run.__doc__ = name, f"``{name}`` of each element."
    SPECIAL[name] = run


for _row in OF_SCIPY:
    _define(*_row)


# ----- the gamma function


@function(method=False)
def polygamma(n: int, input: Tensor) -> Any:
    """The ``n``-th derivative of ``digamma``.

    >>> import ast_ad
    >>> polygamma(1, ast_ad.tensor(1.0))
    tensor(1.6449)
    """
    require_tensor("polygamma", input, "input", 2)
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return FUNCTIONS["digamma"](input) if n == 0 else apply(POLYGAMMA, (n, floating(input)))


def _polygamma_in_place(self: Any, n: int) -> Any:
    """``polygamma`` in place."""
    check_in_place("polygamma", self._array.dtype, True, get_default_dtype().dtype)
    return self.copy_(polygamma(n, self.clone()))


attach("polygamma", lambda self, n: polygamma(n, self))
attach("polygamma_", _polygamma_in_place)


@function()
def mvlgamma(input: Tensor, p: int) -> Any:
    """The logarithm of the multivariate gamma function of dimension ``p``."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    input = floating(input)
    shifts = Tensor._of((np.arange(p) * -0.5).astype(input._array.dtype))
    total = (input.unsqueeze(-1) + shifts).lgamma().sum(-1)
    return total + p * (p - 1) / 4 * float(np.log(np.pi))


def _mvlgamma_in_place(self: Any, p: int) -> Any:
    """``mvlgamma`` in place."""
    check_in_place("mvlgamma", self._array.dtype, True, get_default_dtype().dtype)
    return self.copy_(mvlgamma(self.clone(), p))


attach("mvlgamma_", _mvlgamma_in_place)


def _gamma_ratio(name: str, node: str) -> Callable[..., Any]:
    def run(input: Tensor, other: Tensor) -> Any:
        require_tensors(name, input=input, other=other)
        return binary(operation_of(name, node), input, other)

    def run_in_place(self: Tensor, other: Tensor) -> Any:
        return inplace(operation_of(name, node), self, other)

    run.__doc__ = (
        f"The regularised incomplete gamma function ``{name}``; no derivative by the first argument."
    )
    run.__name__, run_in_place.__name__ = name, f"{name}_"
    short = {"gammainc": "igamma", "gammaincc": "igammac"}[name]
    function(short)(run)
    attach(f"{short}_", run_in_place)
    SPECIAL[name] = run
    return run


_gamma_ratio("gammainc", "IgammaBackward0")
_gamma_ratio("gammaincc", "IgammacBackward0")
SPECIAL["polygamma"], SPECIAL["multigammaln"] = polygamma, mvlgamma


# ----- of two arguments


@special
def xlog1py(input: Any, other: Any) -> Any:
    """``input * log(1 + other)``, and 0 where ``input`` is 0."""
    if not isinstance(input, Tensor):
        return promoted(XLOG1PY[1], input, other)
    if not isinstance(other, Tensor):
        return promoted(XLOG1PY[2], input, other)
    return binary(XLOG1PY[0], input, other)


@special
def zeta(input: Any, other: Any) -> Any:
    """The Hurwitz zeta function; it is not differentiable here."""
    library: Any = scipy_special()
    if library is None:
        raise ImportError("`zeta` is computed by SciPy, which is not installed")
    x, q = (t._array if isinstance(t, Tensor) else t for t in (input, other))
    if any(isinstance(t, Tensor) and t.requires_grad for t in (input, other)):
        raise NotImplementedError("the derivative of 'zeta' is not implemented")
    dtype = result_dtype(x, q)
    found = library.zeta(x, q)
    return Tensor._of(np.asarray(found).astype(dtype if dtype.kind == "f" else np.float32))
