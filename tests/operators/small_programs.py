"""What do people write who differentiate NumPy code? Small programs, at arguments where they are smooth."""

from __future__ import annotations

import functools

import numpy as np
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

import ast_ad

V = np.array([0.3, -0.8, 1.2, 0.7])
POSITIVE = np.array([0.6, 1.7, 0.9, 2.3])
W = np.array([[0.5, -0.2, 0.9, 0.4], [1.4, 0.1, -0.6, 0.8], [-0.3, 1.1, 0.2, -1.3]])
SQUARE = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.6], [0.7, -0.2, 1.8]])
STACK = np.stack([SQUARE, SQUARE.T + 0.5])
Z = np.array([0.4 + 0.3j, -0.7 + 1.1j, 1.2 - 0.5j])
ZZ = SQUARE + 1j * np.array([[0.2, -0.6, 0.1], [0.5, 0.3, -0.2], [-0.1, 0.4, 0.7]])
NET = [(W.T[:, :2], np.array([0.1, -0.3])), (np.array([[0.4], [-0.9]]), np.array([0.2]))]
PARAMETERS = {"weights": W, "bias": np.array([0.1, -0.4, 0.3]), "scale": 1.3}


def symmetric(a):
    return 0.5 * (a + np.swapaxes(a, -1, -2)) + 2.0 * np.eye(a.shape[-1])


# ----- closures, recursion, loops ---------------------------------------------------------------------------
def scaled_by(factor):
    return lambda x: factor * np.tanh(x) ** 2


def closure_that_closes_over_an_argument(x, y):
    def inner(z):
        return np.sin(z) * x

    return inner(y) + inner(x * y)


def power_by_multiplication(x, n):
    if n == 0:
        return 1.0
    half = power_by_multiplication(x, n // 2)
    return half * half * (x if n % 2 else 1.0)


def taylor_sine(x):
    term = total = x
    i = 0
    while np.max(abs(term)) > 1e-12:
        term = -term * x * x / ((2 * i + 3) * (2 * i + 2))
        total = total + term
        i += 1
    return total


def composed(x):
    return functools.reduce(lambda value, f: f(value), [np.sin, np.exp, lambda v: v / (1.0 + v)], x)


def starred(*parts, weight=2.0, **more):
    return sum(weight * part**2 for part in parts) + more.get("offset", 0.0)


def newton_for_a_root(a):
    x = 1.0
    for _ in range(8):
        x = x - (x**3 - a) / (3.0 * x**2)
    return x


# ----- containers -------------------------------------------------------------------------------------------
def by_key(p):
    return p["scale"] * np.tanh(p["weights"] @ V + p["bias"])


def over_items(p):
    return sum(np.sum(np.sin(value)) * (len(name) + 1.0) for name, value in sorted(p.items()))


def made_dict(x):
    return {"sine": np.sin(x), "pair": (x[0] * x[1], [x[2] ** 3])}


def of_layers(layers, x):
    for w, b in layers:
        x = np.tanh(x @ w + b)
    return x[0]


def slices_of_tuples(t):
    first, *others = t
    return first * sum(others) + t[-1] ** 2 + sum(t[:2]) * t[1]


def concatenated_lists(items, x):
    both = items + [x]
    return np.array([both[i] * both[i - 1] for i in range(len(both))])


# ----- derivatives within -----------------------------------------------------------------------------------
def slope_within(x):
    return ast_ad.grad(lambda y: np.sum(np.sin(y) * x))(x * x)


def nested_with_an_outer_variable(x):
    return x * ast_ad.grad(lambda y: x * ast_ad.grad(lambda z: z**3 * y * x)(y))(2.0 * x)


def third_order(x):
    return ast_ad.grad(ast_ad.grad(ast_ad.grad(lambda y: np.sin(y) * y**2)))(x)


def with_a_hessian(x):
    return np.linalg.det(ast_ad.hessian(lambda y: np.sum(y**4) + np.prod(y[:2]))(x))


def gradient_descent(x):
    loss = ast_ad.grad(lambda p: np.sum((p - 1.0) ** 4) + np.sum(p * V))
    for _ in range(2):
        x = x - 0.05 * loss(x)
    return x


def hamiltonian(q, p):
    energy = lambda q, p: 0.5 * np.sum(p**2) + np.sum(np.cos(q))  # noqa: E731
    dq, dp = ast_ad.grad(energy, (0, 1))(q, p)
    return q + 0.1 * dp, p - 0.1 * dq


def curvature_along(x, v):
    return ast_ad.jvp(ast_ad.grad(lambda y: np.sum(np.tanh(y) ** 3)), (x,), (v,))[1]


def own_rule_within(x):
    return softplus(x) * x


@ast_ad.primitive
def softplus(x):
    return np.logaddexp(0.0, x)


ast_ad.defvjp(softplus, lambda ans, x: lambda g: g / (1.0 + np.exp(-x)))


# ----- models -----------------------------------------------------------------------------------------------
def mixture_of_gaussians(p):
    log_weights = p["w"] - scipy.special.logsumexp(p["w"])
    each = [scipy.stats.norm.logpdf(V, m, np.exp(s)) for m, s in zip(p["m"], p["s"], strict=True)]
    return np.sum(scipy.special.logsumexp(np.stack(each, axis=1) + log_weights, axis=1))


def gaussian_process(theta):
    squares = (V[:, None] - V[None, :]) ** 2
    kernel = np.exp(theta[0]) * np.exp(-squares * np.exp(theta[1])) + 0.1 * np.eye(4)
    factor = np.linalg.cholesky(kernel)
    alpha = np.linalg.solve(factor, POSITIVE)
    return 0.5 * alpha @ alpha + np.sum(np.log(np.diag(factor)))


def recurrent(w, u):
    h, outs = np.zeros(3), []
    for v in V:
        h = np.tanh(w @ h + u * v)
        outs.append(h[0])
    return np.array(outs)


def log_determinant_and_quadratic_form(a, x):
    sign, logdet = np.linalg.slogdet(a)
    return sign * logdet + x @ np.linalg.solve(a, x)


# name: function, arguments
PROGRAMS = {
    "lambda in a default": (lambda x, f=lambda v: v**3: np.sum(f(x)), (V,)),
    "factory of closures": (scaled_by(1.7), (V,)),
    "closure over an argument": (closure_that_closes_over_an_argument, (0.7, 1.1)),
    "recursion": (lambda x: power_by_multiplication(x, 7), (1.2,)),
    "series until it is small": (taylor_sine, (V,)),
    "composition": (composed, (V,)),
    "starred arguments": (lambda x, y: starred(x, y, weight=x, offset=np.exp(y)), (0.4, -1.1)),
    "Newton's iteration": (newton_for_a_root, (2.7,)),
    "conditional expression": (lambda x: np.sum(x**2 if x[0] > 0.0 else np.exp(x)), (V,)),
    "dict of parameters": (by_key, (PARAMETERS,)),
    "items of a dict": (over_items, (PARAMETERS,)),
    "dict as result": (made_dict, (V,)),
    "layers": (of_layers, (NET, V)),
    "tuple": (slices_of_tuples, ((0.4, 1.2, -0.7),)),
    "lists": (concatenated_lists, ([0.4, 1.3], 2.2)),
    "list comprehension over rows": (lambda a: [np.prod(row) for row in a], (W,)),
    "gradient within": (slope_within, (V,)),
    "nested gradients": (nested_with_an_outer_variable, (0.6,)),
    "third derivative": (third_order, (0.9,)),
    "Hessian within": (with_a_hessian, (V[:3],)),
    "steps of gradient descent": (gradient_descent, (V,)),
    "Hamilton's equations": (hamiltonian, (V[:2], V[2:])),
    "tangent of a gradient": (curvature_along, (V, POSITIVE)),
    "rule of one's own": (own_rule_within, (V,)),
    "arithmetic with broadcasting": (lambda a, x: (a * x - x / (2.0 + a**2)) ** 3, (W, V)),
    "number and array": (lambda s, x: s**x + x**s - s // 0.4 + x % 0.35, (1.3, POSITIVE)),
    "logarithms": (lambda x: np.log(x) * np.log2(x) + np.log10(x) - np.log1p(x) + np.expm1(-x), (POSITIVE,)),
    "trigonometry": (lambda x: np.tan(0.4 * x) + np.arctan(x) * np.arcsin(0.3 * x) - np.sinc(x), (V,)),
    "hyperbolic functions": (
        lambda x: np.sinh(x) / np.cosh(x**2) + np.arcsinh(x) * np.arctanh(0.5 * x),
        (V,),
    ),
    "functions of two numbers": (
        lambda x, y: np.arctan2(x, y) + np.logaddexp(x, y) * np.hypot(x, y) + np.maximum(x, 0.9 * y),
        (V, POSITIVE),
    ),
    "where and select": (
        lambda x: np.where(x > 0.5, np.sin(x), x**3) + np.select([x < 0.0, x < 1.0], [x**2, np.exp(x)], 0.0),
        (V,),
    ),
    "clip and abs": (lambda x: np.clip(x, -0.5, 1.0) ** 2 + np.abs(x) ** 3 + np.fmin(x, x**2 - 2.0), (V,)),
    "sums and means by axis": (
        lambda a: np.sum(a**2, axis=0) * np.mean(np.sin(a)) + np.mean(a, axis=0, keepdims=True) ** 2,
        (W,),
    ),
    "variance": (lambda a: np.var(a, axis=1) + np.std(a, axis=1, ddof=1) * np.std(a), (W,)),
    "products and extremes": (lambda a: np.prod(a, axis=1) + np.max(a, axis=1) * np.min(a) ** 2, (W,)),
    "cumulative": (lambda a: np.cumsum(a**2, axis=1) * np.cumprod(a, axis=0), (W,)),
    "log-sum-exp by hand": (lambda x: np.log(np.sum(np.exp(x - np.max(x)))) + np.max(x), (V,)),
    "softmax": (lambda a: np.exp(a) / np.sum(np.exp(a), axis=-1, keepdims=True), (W,)),
    "indices": (lambda a: a[1:, ::2] * a[[0, 2]][:, [1, 1]] + a[-1, None, 1:3], (W,)),
    "mask": (lambda x: np.sum(x[x > 0.5] ** 3) * x[~(x > 0.5)], (V,)),
    "shapes": (
        lambda a: np.reshape(a, (2, 6))[:, :3].T @ np.ravel(a)[:2] + np.squeeze(a[None, :, 0]) * a.T[1],
        (W,),
    ),
    "joined": (lambda a, x: np.concatenate([a * x, np.stack([x, x**2])]) * np.hstack([x[:2], x[2:]]), (W, V)),
    "repeated and tiled": (lambda x: np.repeat(x, 2) ** 2 * np.tile(x, 2) - np.roll(np.tile(x, 2), 3), (V,)),
    "flips and turns": (lambda a: np.rot90(np.flip(a, 1) ** 2) * np.fliplr(a).T, (W,)),
    "sorted": (lambda x: np.sort(x) ** 2 * np.arange(4.0) + x[np.argsort(x)] - np.median(x), (V,)),
    "padded and split": (
        lambda x: np.prod(np.split(np.pad(x, (1, 1), constant_values=2.0), 3), axis=0),
        (V,),
    ),
    "diagonals and triangles": (
        lambda a: np.diag(a) * np.trace(a) + np.triu(a, 1) @ np.tril(a) - np.diag(a[0]),
        (SQUARE,),
    ),
    "differences and slopes": (lambda x: np.diff(x, 2) * np.gradient(x)[1:3] + np.trapezoid(x**2), (V,)),
    "array of numbers": (lambda x, y: np.array([[x, x * y], [y**2, 1.0]]) @ np.array([y, x]), (0.4, 1.6)),
    "products of matrices": (lambda a, b: a @ b * np.dot(a, b[:, 0])[:, None] + np.vdot(a, a), (W, W.T)),
    "stacks of matrices": (lambda a, x: np.matmul(a, np.swapaxes(a, 1, 2)) @ x, (STACK, V[:3])),
    "outer, inner, Kronecker": (
        lambda x, y: np.kron(np.outer(x, y), y[:2]) * np.inner(x, x) + np.cross(x[:3], y[:3])[0],
        (V, POSITIVE),
    ),
    "tensordot": (lambda a, b: np.tensordot(a, b, axes=([1, 2], [0, 1])), (STACK, SQUARE)),
    "einsum of three": (lambda a, b, x: np.einsum("ij,kjl,l->ki", a, b, x), (SQUARE, STACK, V[:3])),
    "einsum with a diagonal": (lambda a: np.einsum("bii->b", a) * np.einsum("...ij,...ji", a, a), (STACK,)),
    "inverse and determinant": (lambda a: np.linalg.inv(a) @ a[0] * np.linalg.det(a), (SQUARE,)),
    "solve": (lambda a, b: np.linalg.solve(a, b) ** 2, (STACK, SQUARE)),
    "quadratic form": (log_determinant_and_quadratic_form, (SQUARE, V[:3])),
    "Cholesky": (lambda a: np.linalg.cholesky(symmetric(a)), (STACK,)),
    "eigenvalues": (lambda a: np.linalg.eigvalsh(symmetric(a)) ** 2, (SQUARE,)),
    "eigenvectors": (lambda a: np.abs(np.linalg.eigh(symmetric(a))[1]) * a, (SQUARE,)),
    "singular values": (lambda a: np.linalg.svd(a, full_matrices=False, compute_uv=False), (W,)),
    "norms": (
        lambda a: np.linalg.norm(a) + np.linalg.norm(a, axis=1) ** 3 + np.linalg.norm(a, 3, axis=1),
        (W,),
    ),
    "pseudoinverse and powers": (lambda a: np.linalg.pinv(a) @ np.linalg.matrix_power(a, 3), (SQUARE,)),
    "spectrum": (lambda x: np.abs(np.fft.fft(x)) ** 2, (V,)),
    "filter in the spectrum": (lambda a: np.real(np.fft.ifft2(np.fft.fft2(a) * np.exp(1j * W))) ** 2, (W,)),
    "half spectrum": (lambda x: np.fft.irfft(np.fft.rfft(x) ** 2, 4) + np.fft.fftshift(x), (V,)),
    "complex to complex": (lambda z: np.exp(1j * z) / (z**2 + 2.0) + np.conj(z) * np.sqrt(z), (Z,)),
    "complex to real": (lambda z: np.abs(z) ** 3 + np.angle(z) * np.real(z) - np.imag(z**3), (Z,)),
    "real to complex": (
        lambda x, y: np.real((x + 1j * y) ** 3 * np.exp(1j * x)) + np.abs(x - 1j * y),
        (V, POSITIVE),
    ),
    "complex matrices": (lambda a: np.einsum("ij,kj->ik", a, np.conj(a)) + np.linalg.inv(a), (ZZ,)),
    "gamma functions": (
        lambda x: scipy.special.gammaln(x) * scipy.special.psi(x) + 1.0 / scipy.special.gamma(x),
        (POSITIVE,),
    ),
    "error functions": (
        lambda x: scipy.special.erf(x) * scipy.special.erfc(x**2) + scipy.special.erfinv(0.4 * x),
        (V,),
    ),
    "Bessel functions": (
        lambda x: (
            scipy.special.j0(x) * scipy.special.jn(2, x) + scipy.special.iv(1.0, x) - scipy.special.y1(x)
        ),
        (POSITIVE,),
    ),
    "sigmoids": (lambda x: scipy.special.expit(x) * scipy.special.logit(0.2 + 0.1 * x), (V,)),
    "log-sum-exp of rows": (lambda a, b: scipy.special.logsumexp(a, axis=1, b=np.exp(b)), (W, W**2)),
    "densities": (
        lambda x, m, s: scipy.stats.norm.logpdf(x, m, s) + scipy.stats.norm.cdf(x, m, s) ** 2,
        (V, 0.3, 1.4),
    ),
    "densities with shapes": (
        lambda x, a: (
            scipy.stats.gamma.logpdf(x, a) + scipy.stats.t.logpdf(x, a) - scipy.stats.chi2.logpdf(x, a)
        ),
        (POSITIVE, 2.3),
    ),
    "Beta and Dirichlet": (
        lambda x, a: (
            scipy.stats.beta.logpdf(x[0], a[0], a[1]) + scipy.stats.dirichlet.logpdf(x / np.sum(x), a)
        ),
        (0.2 * POSITIVE, POSITIVE),
    ),
    "Gaussian density of vectors": (
        lambda x, m, a: scipy.stats.multivariate_normal.logpdf(x, m, symmetric(a)),
        (V[:3], POSITIVE[:3], SQUARE),
    ),
    "convolution": (lambda a, b: scipy.signal.convolve(a, b, mode="full") ** 2, (W, SQUARE)),
    "triangular systems": (
        lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True, trans="T"),
        (SQUARE, V[:3]),
    ),
    "square root of a matrix": (lambda a: scipy.linalg.sqrtm(a @ a.T + np.eye(3)), (SQUARE,)),
    "Sylvester's equation": (lambda a, b: scipy.linalg.solve_sylvester(a, a.T @ a, b), (SQUARE, SQUARE.T)),
    "mixture of Gaussians": (
        mixture_of_gaussians,
        ({"w": np.array([0.2, -0.4]), "m": np.array([0.5, -1.0]), "s": np.array([0.1, -0.2])},),
    ),
    "Gaussian process": (gaussian_process, (np.array([0.3, -0.5]),)),
    "recurrent network": (recurrent, (0.4 * SQUARE, V[:3])),
}
