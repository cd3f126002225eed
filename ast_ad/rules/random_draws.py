"""What do the methods of NumPy's generators draw, and how does a draw depend on its parameters?

The values are those of NumPy, drawn by the call itself. For the derivative a draw is written as a formula of
its parameters and of noise that has none: the standard variable that the same state of the generator gives,
drawn beforehand, and put back. Both are drawn once, in the forward pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .helpers import mT
from .numpy.gather import refuse
from .numpy.products import column
from .registry import elementwise, nondifferentiable

GENERATORS = np.random.Generator, np.random.RandomState
GLOBAL: Any = np.random.normal.__self__  # type: ignore[attr-defined]


def drawn(generator: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """What a method of a generator draws; None: NumPy's global one.

    >>> drawn(np.random.default_rng(0), "integers", 5, size=3)
    array([4, 3, 2])
    """
    return getattr(np.random if generator is None else generator, method)(*args, **kwargs)


def drawn_with(generator: Any, method: str, **kwargs: Any) -> Any:
    """The same with parameters of which it is not known how a draw depends on them: there is no rule."""
    return drawn(generator, method, **kwargs)


def noise(generator: Any, method: str, args: Any, params: Any, size: Any) -> Any:
    """What a method would draw, in the shape of a draw with these parameters; the state stays as it is.

    >>> rng = np.random.default_rng(0)
    >>> z = noise(rng, "standard_normal", (), (1.0, 2.0), None)
    >>> float(rng.normal(1.0, 2.0)) == 1.0 + 2.0 * float(z)
    True
    """
    shape = np.broadcast_shapes(*map(np.shape, params)) if size is None else size
    before = get_state(generator)
    try:
        return drawn(generator, method, *args, size=None if shape == () and size is None else shape)
    finally:
        set_state(generator, before)


def count_of(items: Any, axis: int) -> int:
    """How many items there are along an axis.

    >>> count_of(np.ones((2, 3)), -1)
    3
    """
    return int(np.shape(items)[axis])


def made(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A generator of the function's own."""
    return cls(*args, **kwargs)


def get_state(generator: Any) -> Any:
    """The state of a generator."""
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return (np.random if generator is None else generator).get_state(legacy=False)


def set_state(generator: Any, state: Any) -> None:
    """Put a state back."""
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        (np.random if generator is None else generator).set_state(state)


def order_of(generator: Any, n: int, size: int) -> Any:
    """The order into which ``shuffle`` brings n items, which are ``size`` numbers.

    >>> order_of(np.random.default_rng(0), 4, 4)
    array([2, 0, 1, 3])
    """
    if size == 0:  # it draws nothing then
        return np.arange(n)
    return np.asarray(drawn(generator, "permutation", n), int)


nondifferentiable(drawn, noise, made, order_of)
DRAWING = drawn, drawn_with, noise, order_of
"""The operations of a program that ask a generator, their first argument, for numbers."""


def standing_for(value: Any, formula: Any) -> Any:
    """The value itself, which depends on everything as the formula does that is equal to it.

    >>> standing_for(2.0, 2.0)
    2.0
    """
    return +value


@elementwise(standing_for)
def standing_for_rule(ans, value, formula):
    return None, np.ones_like(formula)


# ----- draws as formulas of their parameters and of noise -------------------------------------------------
def located(method: str, *standard: float) -> Callable[..., Any]:
    """``loc + scale * z``, where z is drawn with the standard parameters."""

    def formula(generator, size, loc=0.0, scale=1.0):
        return loc + scale * noise(generator, method, standard, (loc, scale), size)

    return formula


def scaled(method: str, *standard: float) -> Callable[..., Any]:
    """``scale * z``."""

    def formula(generator, size, scale=1.0):
        return scale * noise(generator, method, standard, (scale,), size)

    return formula


def uniform(generator, size, low=0.0, high=1.0):
    return low + (high - low) * noise(generator, "uniform", (), (low, high), size)


def lognormal(generator, size, mean=0.0, sigma=1.0):
    return np.exp(mean + sigma * noise(generator, "standard_normal", (), (mean, sigma), size))


def weibull(generator, size, a):
    return noise(generator, "standard_exponential", (), (a,), size) ** (1.0 / a)


def pareto(generator, size, a):
    return np.expm1(noise(generator, "standard_exponential", (), (a,), size) / a)


def power(generator, size, a):
    return (-np.expm1(-noise(generator, "standard_exponential", (), (a,), size))) ** (1.0 / a)


def gamma(generator, size, shape, scale=1.0):
    return scale * with_shape(noise(generator, "standard_gamma", (shape,), (shape, scale), size), shape)


def standard_gamma(generator, size, shape):
    return with_shape(noise(generator, "standard_gamma", (shape,), (shape,), size), shape)


def chisquare(generator, size, df):
    return 2.0 * with_shape(noise(generator, "standard_gamma", (df / 2.0,), (df,), size), df / 2.0)


def sizes_of_vectors(size, mean):
    """The size of the noise behind vectors, whose own size tells how many there are.

    >>> sizes_of_vectors((3, 2), np.zeros(4))
    (3, 2, 4)
    """
    n = np.shape(mean)[0]
    if size is None:
        return (n,)
    return (*size, n) if isinstance(size, tuple) else (size, n)


def with_right_vectors(generator, size, mean, cov):
    """``multivariate_normal`` of a ``RandomState``; ``size``: that of the noise."""
    _, s, vh = np.linalg.svd(cov)
    return mean + noise(generator, "standard_normal", (), (), size) @ (column(np.sqrt(s)) * vh)


def with_left_vectors(generator, size, mean, cov, method="svd"):
    """``multivariate_normal`` of a ``Generator``, which is the same where ``cov`` is symmetric."""
    if method != "svd":
        refuse(f"multivariate_normal(method={method!r})", fix="use the method 'svd'")
    u, s, _ = np.linalg.svd(cov)
    return mean + noise(generator, "standard_normal", (), (), size) @ mT(u * np.sqrt(s))


MULTIVARIATE_NORMAL = {"RandomState": with_right_vectors, "Generator": with_left_vectors}
FORMULAS: dict[str, Callable[..., Any]] = {
    "normal": located("standard_normal"),
    **{name: located(name, 0.0, 1.0) for name in ("laplace", "logistic", "gumbel")},
    "exponential": scaled("standard_exponential"),
    "rayleigh": scaled("rayleigh", 1.0),
    **{f.__name__: f for f in (uniform, lognormal, weibull, pareto, power, gamma, standard_gamma, chisquare)},
}
"""By the name of the method, its formula ``(generator, size, *parameters)``."""


def with_shape(z: Any, shape: Any) -> Any:
    """A standard gamma variable as a function of its shape: where the distribution function stays the same.

    >>> with_shape(1.5, 2.0)
    1.5
    """
    return +z


@elementwise(with_shape)
def with_shape_rule(ans, z, shape):
    return 1.0, slope_of_gamma(z, shape)


def slope_of_gamma(z: Any, a: Any) -> Any:
    """The derivative of a gamma variable by its shape: of the distribution function by the density, negative.

    With the series ``P(a, z) = z**a exp(-z) / gamma(a + 1) * sum(z**n / ((a + 1) ... (a + n)))``.
    """
    term = np.ones_like(z + a)
    total, weighted, harmonic = term, 0.0 * term, 0.0 * term
    n = 0
    while n < 5000 and np.any(term * (1.0 + harmonic) > 1e-17 * total):
        n += 1
        term = term * z / (a + n)
        harmonic = harmonic + 1.0 / (a + n)
        total = total + term
        weighted = weighted + term * harmonic
    y = a + 9.0
    w = 1.0 / (y * y)
    digamma = np.log(y) - 0.5 / y - w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w / 132))))
    for k in range(1, 9):
        digamma = digamma - 1.0 / (a + k)
    return z / a * (weighted - total * (np.log(z) - digamma))
