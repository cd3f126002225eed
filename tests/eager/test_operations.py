"""Do operations of tensors have the right values, derivatives of both orders, types and names?

Values come from NumPy, derivatives from central differences; what PyTorch 2.13 does at kinks, its names of
nodes, dtypes and errors are recorded here as data.
"""

from __future__ import annotations

import numpy as np
import pytest

import ast_ad
from ast_ad.eager.operations.pointwise import TABLE
from ast_ad.eager.table import Operation, operation

RNG = np.random.default_rng(0)
X = np.array([[0.31, -0.72, 0.55], [-0.13, 0.84, -0.46]])
Y = np.array([[0.91, 0.27, -0.35], [0.64, -0.88, 0.12]])
UNIT = np.array([[0.31, 0.72, 0.55], [0.13, 0.84, 0.46]])
SQUARE = np.array([[2.1, 0.3, -0.2], [0.4, 1.7, 0.5], [-0.1, 0.2, 1.3]])
SPD = SQUARE @ SQUARE.T
STACK = np.stack([SQUARE, SQUARE.T + np.eye(3)])
ROW, COLUMN = np.array([0.3, -1.2, 0.7]), np.array([[0.4], [-0.9]])
DOMAIN = {"acosh": UNIT + 1.2, "arccosh": UNIT + 1.2, "frac": UNIT}
STEP = 1e-5


def flat(result):
    return [result] if isinstance(result, ast_ad.Tensor) else list(result)


def total(results):
    """A number made of all results that have a gradient, with different weights."""
    parts = [
        (
            (r.abs() if r.is_complex() else r)
            * ast_ad.tensor(np.cos(1.0 + np.arange(r.numel())).reshape(tuple(r.shape)))
        ).sum()
        for r in results
        if r.requires_grad
    ]
    return sum(parts[1:], parts[0])


def gradients(f, arrays, create_graph=False):
    leaves = [ast_ad.tensor(a, requires_grad=a.dtype.kind in "fc") for a in arrays]
    active = [t for t in leaves if t.requires_grad]
    results = flat(f(*leaves))
    return active, ast_ad.autograd.grad(
        total(results), active, create_graph=create_graph, allow_unused=True, materialize_grads=True
    )


def value(f, arrays):
    leaves = [ast_ad.tensor(a, requires_grad=a.dtype.kind in "fc") for a in arrays]
    return total(flat(f(*leaves))).item()


def check(f, *arrays, order2=True):
    """First derivatives against differences of values, second ones against differences of first ones."""
    active, grads = gradients(f, arrays, create_graph=True)
    places = [i for i, a in enumerate(arrays) if a.dtype.kind in "fc"]
    directions = [np.random.default_rng(i).normal(size=arrays[i].shape) for i in places]

    def moved(step):
        out = list(arrays)
        for i, d in zip(places, directions, strict=True):
            out[i] = arrays[i] + step * d
        return out

    slope = (value(f, moved(STEP)) - value(f, moved(-STEP))) / (2 * STEP)
    along = sum(np.sum(g.detach().numpy() * d) for g, d in zip(grads, directions, strict=True))
    assert along == pytest.approx(slope, rel=1e-6, abs=1e-7)
    if not order2 or not any(g.requires_grad for g in grads):
        return
    inner = sum((g * ast_ad.tensor(d)).sum() for g, d in zip(grads, directions, strict=True))
    seconds = ast_ad.autograd.grad(inner, active, allow_unused=True, materialize_grads=True)
    _, after = gradients(f, moved(STEP))
    _, before = gradients(f, moved(-STEP))
    for second, a, b in zip(seconds, after, before, strict=True):
        difference = (a.numpy() - b.numpy()) / (2 * STEP)
        np.testing.assert_allclose(second.numpy(), difference, rtol=1e-5, atol=1e-6)


# ----- functions of one tensor


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_functions_of_one_tensor(row):
    names, fn, node, inexact = row
    for name in names.split():
        x = DOMAIN.get(name, UNIT)
        f = getattr(ast_ad, name)
        t = ast_ad.tensor(x, requires_grad=True)
        result = f(t)
        np.testing.assert_array_equal(result.detach().numpy(), fn(x))
        assert type(result.grad_fn).__name__ == f"{node}Backward0"
        assert f(ast_ad.tensor(x.astype(np.float32))).dtype is ast_ad.float32
        check(f, x)
        in_place = t * 1
        assert getattr(in_place, f"{name}_")() is in_place
        np.testing.assert_array_equal(in_place.detach().numpy(), fn(x))
        of_copy = ast_ad.autograd.grad(f(t).sum(), t)[0]
        assert ast_ad.equal(ast_ad.autograd.grad(in_place.sum(), t)[0], of_copy)
        if inexact:
            assert f(ast_ad.tensor([1])).dtype is ast_ad.float32


ONE = [
    lambda x: x.logit(0.2),
    lambda x: (x + 0.003).round(decimals=1),
    lambda x: x.nan_to_num(),
    lambda x: x.square(),
    lambda x: x.clamp(0.2, 0.6),
    lambda x: x.clamp_min(0.4),
    lambda x: ast_ad.selu(x - 0.5),
    lambda x: ast_ad.celu(x - 0.5, 2.0),
    lambda x: x.hardshrink(0.4),
    lambda x: ast_ad.threshold(x, 0.4, 9.0),
    lambda x: x.softmax(0),
    lambda x: x.log_softmax(-1),
    lambda x: x.sum(),
    lambda x: x.sum((0, 1), keepdim=True),
    lambda x: x.mean(1),
    lambda x: x.nanmean(0),
    lambda x: x.prod(),
    lambda x: x.prod(1),
    lambda x: x.std(),
    lambda x: x.var(1, correction=0),
    lambda x: ast_ad.std_mean(x, 0),
    lambda x: x.max(),
    lambda x: x.max(1)[0],
    lambda x: x.min(dim=0, keepdim=True).values,
    lambda x: x.amax((0, 1)),
    lambda x: ast_ad.aminmax(x, dim=1),
    lambda x: x.median(),
    lambda x: x.nanmedian(1)[0],
    lambda x: x.kthvalue(2, 1)[0],
    lambda x: x.mode(0)[0],
    lambda x: x.quantile(0.3, dim=1),
    lambda x: x.sort(1, descending=True)[0],
    lambda x: x.topk(2, 1)[0],
    lambda x: x.cummax(1)[0],
    lambda x: x.cummin(0)[0],
    lambda x: x.cumsum(1),
    lambda x: x.cumprod(0),
    lambda x: x.logcumsumexp(1),
    lambda x: x.logsumexp((0, 1)),
    lambda x: x.diff(dim=1),
    lambda x: ast_ad.trapezoid(x, dx=0.5),
    lambda x: ast_ad.cov(x),
    lambda x: x.norm(),
    lambda x: x.norm(3, 1),
    lambda x: x.norm(float("inf"), 0, keepdim=True),
    lambda x: x.norm("nuc"),
]


@pytest.mark.parametrize("i", range(len(ONE)))
def test_derivatives_of_reductions_and_others(i):
    check(ONE[i], UNIT)


SEVERAL = [
    (ast_ad.atan2, X, Y),
    (ast_ad.hypot, X, ROW),
    (ast_ad.fmod, X, Y),
    (ast_ad.remainder, X, Y),
    (ast_ad.maximum, X, COLUMN),
    (ast_ad.fmin, X, Y),
    (ast_ad.copysign, X, Y),
    (ast_ad.logaddexp, X, ROW),
    (ast_ad.logaddexp2, X, Y),
    (ast_ad.xlogy, X, UNIT),
    (ast_ad.float_power, UNIT, X),
    (ast_ad.clamp, X, COLUMN - 1, COLUMN + 1),
    (lambda x, y: ast_ad.lerp(x, y, 0.3), X, Y),
    (ast_ad.lerp, X, Y, UNIT),
    (lambda x, y, z: ast_ad.addcmul(x, y, z, value=2), X, Y, ROW),
    (lambda x, y, z: ast_ad.addcdiv(x, y, z, value=2), X, Y, UNIT),
    (lambda x, y: ast_ad.dist(x, y, 3), X, Y),
    (ast_ad.matmul, X, SQUARE),
    (ast_ad.matmul, SQUARE, ROW),
    (ast_ad.matmul, ROW, SQUARE),
    (ast_ad.matmul, ROW, ROW + 1),
    (ast_ad.matmul, STACK, SQUARE),
    (ast_ad.matmul, ROW, STACK),
    (ast_ad.bmm, STACK, STACK),
    (ast_ad.vdot, ROW, ROW + 1),
    (ast_ad.inner, X, Y),
    (ast_ad.outer, ROW, ROW),
    (ast_ad.kron, X, COLUMN),
    (ast_ad.cross, SQUARE, SQUARE.T + 1),
    (lambda x, a, b: ast_ad.addmm(x, a, b, beta=0.5, alpha=2), ROW, X, SQUARE),
    (ast_ad.addmv, COLUMN[:, 0], X, ROW),
    (ast_ad.addr, X, COLUMN[:, 0], ROW),
    (ast_ad.baddbmm, STACK, STACK, STACK),
    (ast_ad.addbmm, SQUARE, STACK, STACK),
    (lambda a, b: ast_ad.einsum("ij,kj->ik", a, b), X, Y),
    (lambda a, b: ast_ad.einsum(a, [0, 1], b, [1, 2], [0, 2]), X, SQUARE),
    (lambda a, b: ast_ad.tensordot(a, b, dims=([0, 1], [0, 1])), X, Y),
    (lambda *m: ast_ad.linalg.multi_dot(m), X, SQUARE, SQUARE),
    (lambda x, y: ast_ad.where(x > y, x, y * 2), X, Y),
    (lambda x, v: x.masked_fill(x > 0, v), X, np.array(0.3)),
    (lambda x: x.masked_select(x > 0), X),
    (lambda x, s: x.masked_scatter(x > 0, s), X, Y),
    (lambda x, i: x.gather(1, i), X, np.array([[2, 0, 0], [1, 1, 2]])),
    (lambda x, i, s: x.scatter(1, i, s), X, np.array([[2, 0, 1], [1, 0, 2]]), Y),
    (lambda x, i, s: x.scatter_add(0, i, s), X, np.array([[1, 0, 1], [1, 1, 0]]), Y),
    (lambda x, i, s: x.scatter_reduce(0, i, s, "prod"), X, np.array([[1, 0, 1], [1, 1, 0]]), Y),
    (lambda x, i: x.index_select(1, i), X, np.array([2, 0, 2])),
    (lambda x, i, s: x.index_add(1, i, s, alpha=2), X, np.array([2, 0, 2]), Y),
    (lambda x, i, s: x.index_copy(1, i, s), X, np.array([2, 0, 1]), Y),
    (lambda x, i: x.index_fill(0, i, 3.0), X, np.array([1])),
    (lambda x, i: x.take(i), X, np.array([[5, 0], [-1, 2]])),
    (lambda x, i: ast_ad.take_along_dim(x, i, 1), X, np.array([[2], [0]])),
]


@pytest.mark.parametrize("i", range(len(SEVERAL)))
def test_derivatives_of_functions_of_several(i):
    check(*SEVERAL[i])


LINALG = [
    (lambda l, a: l.det(a), SQUARE),
    (lambda l, a: l.slogdet(a)[1], STACK),
    (lambda l, a: ast_ad.logdet(a), SPD),
    (lambda l, a: l.inv(a), STACK),
    (lambda l, a: l.pinv(a), X),
    (lambda l, a, b: l.solve(a, b), STACK, SQUARE),
    (lambda l, a, b: l.solve(a, b), SQUARE, ROW),
    (lambda l, a, b: l.solve_triangular(a, b, upper=True), SQUARE, SQUARE.T),
    (lambda l, a: l.cholesky((a + a.mT) / 2), SPD),
    (lambda l, a: l.qr(a), SQUARE),
    (lambda l, a: l.svdvals(a), X),
    (lambda l, a: l.eigvalsh((a + a.mT) / 2), SPD),
    (lambda l, a: l.eigh((a + a.mT) / 2)[0], SPD),
    (lambda l, a: l.eigvals(a), SQUARE),
    (lambda l, a: l.matrix_power(a, 3), SQUARE),
    (lambda l, a: l.matrix_exp(a), SQUARE),
    (lambda l, a: l.norm(a, 1), SQUARE),
    (lambda l, a: l.matrix_norm(a, 2), SQUARE),
    (lambda l, a: l.vector_norm(a, 3, dim=0), SQUARE),
    (lambda l, a, b: l.lstsq(a, b)[0], X.T.copy(), SQUARE),
]


@pytest.mark.parametrize("i", range(len(LINALG)))
def test_derivatives_of_linear_algebra(i):
    f, *arrays = LINALG[i]
    check(lambda *ts: f(ast_ad.linalg, *ts), *arrays)


SPECIAL = [
    lambda s, x: s.ndtr(x),
    lambda s, x: s.log_ndtr(x),
    lambda s, x: s.ndtri(x),
    lambda s, x: s.entr(x),
    lambda s, x: s.erfcx(x),
    lambda s, x: s.i1(x),
    lambda s, x: s.i1e(x),
    lambda s, x: s.bessel_j0(x),
    lambda s, x: s.polygamma(1, x),
    lambda s, x: s.multigammaln(x + 2, 2),
    lambda s, x: s.gammainc(ast_ad.full((1,), 0.5, dtype=ast_ad.float64), x),
    lambda s, x: s.xlog1py(x, x),
    lambda s, x: ast_ad.cdist(x, x[:1] + 1, 3.0),
    lambda s, x: ast_ad.pdist(x),
    lambda s, x: ast_ad.cosine_similarity(x, x**2),
    lambda s, x: ast_ad.pairwise_distance(x, x**2),
    lambda s, x: x.renorm(2, 0, 0.5),
    lambda s, x: ast_ad.cumulative_trapezoid(x, dx=0.5),
    lambda s, x: ast_ad.gradient(x, dim=1),
    lambda s, x: ast_ad.vander(x[0]),
    lambda s, x: x.frexp()[0],
]


@pytest.mark.parametrize("i", range(len(SPECIAL)))
def test_derivatives_of_special_functions_and_distances(i):
    check(lambda x: SPECIAL[i](ast_ad.special, x), UNIT)


# ----- in place

IN_PLACE = [
    (lambda x, y: x.clamp_(-0.2, 0.4), lambda x, y: x.clamp(-0.2, 0.4)),
    (lambda x, y: x.atan2_(y), ast_ad.atan2),
    (lambda x, y: x.lerp_(y, 0.3), lambda x, y: x.lerp(y, 0.3)),
    (lambda x, y: x.addcmul_(y, y), lambda x, y: x.addcmul(y, y)),
    (lambda x, y: x.masked_fill_(y > 0, 2.0), lambda x, y: x.masked_fill(y > 0, 2.0)),
    (lambda x, y: x.masked_scatter_(y > 0, y), lambda x, y: x.masked_scatter(y > 0, y)),
    (
        lambda x, y: x.index_add_(0, ast_ad.tensor([1, 0]), y),
        lambda x, y: x.index_add(0, ast_ad.tensor([1, 0]), y),
    ),
    (lambda x, y: x.eq_(y), lambda x, y: x * 0),
    (lambda x, y: x.normal_(), lambda x, y: x * 0),
]


@pytest.mark.parametrize("i", range(len(IN_PLACE)))
@pytest.mark.parametrize("view", [False, True])
def test_in_place(i, view):
    changing, pure = IN_PLACE[i]

    def gradient(f):
        x, y = (ast_ad.tensor(np.stack([a, a + 1]), requires_grad=True) for a in (X, Y))
        base = x * 1
        result = f(base[0], y[0]) if view else f(base * 1, y)
        whole = (base if view else result) * ast_ad.tensor(np.stack([Y, X]))
        return ast_ad.autograd.grad(whole.sum(), (x, y), allow_unused=True, materialize_grads=True)

    def write(x, y):
        x.copy_(pure(x.clone(), y))
        return x

    for got, expected in zip(gradient(changing), gradient(write), strict=True):
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-12, atol=1e-14)


SEVERAL_RESULTS = [  # the changed result, and whether the derivative reads it
    (lambda x: x.max(0), 0, False),
    (lambda x: x.max(0), 1, True),
    (lambda x: x.sort(0), 0, False),
    (lambda x: x.sort(0), 1, True),
    (lambda x: ast_ad.linalg.slogdet(x), 1, False),
    (lambda x: ast_ad.linalg.qr(x), 1, True),
    (lambda x: ast_ad.linalg.eigh(x @ x.mT), 0, True),
    (lambda x: ast_ad.linalg.svd(x), 2, True),
]


@pytest.mark.parametrize(("f", "changed", "read"), SEVERAL_RESULTS)
def test_changes_of_one_of_several_results(f, changed, read):
    results = f(ast_ad.tensor(SQUARE, requires_grad=True))
    end = sum(r.sum() for r in results if r.requires_grad)
    results[changed].zero_()
    if read:
        with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
            end.backward()
    else:
        end.backward()


def test_hooks_pack_the_results_that_are_read():
    seen = []
    hooks = ast_ad.autograd.graph.saved_tensors_hooks(
        lambda t: seen.append(t.shape) or t.clone(), lambda t: t
    )
    x = ast_ad.tensor(SPD, requires_grad=True)
    with hooks:
        largest, vectors = x.max(0)[0], ast_ad.linalg.eigh(x)[1]
    assert seen == [(3,), (3,), (3, 3)]
    packed = ast_ad.autograd.grad(largest.sum() + vectors.abs().sum(), x)[0]
    plain = ast_ad.autograd.grad(x.max(0)[0].sum() + ast_ad.linalg.eigh(x)[1].abs().sum(), x)[0]
    assert ast_ad.equal(packed, plain)


# ----- what PyTorch does at kinks

KINKS = [
    (lambda x: x.abs(), [-2.0, 0.0, 3.0], [-1, 0, 1]),
    (lambda x: x.relu(), [-2.0, 0.0, 3.0], [0, 0, 1]),
    (lambda x: x.clamp(0, 1), [-1.0, 0.0, 0.5, 1.0, 2.0], [0, 1, 1, 1, 0]),
    (lambda x: x.clamp_min(0), [-1.0, 0.0, 1.0], [0, 1, 1]),
    (lambda x: x.max(), [1.0, 3.0, 3.0], [0, 0.5, 0.5]),
    (lambda x: x.max(0)[0], [1.0, 3.0, 3.0], [0, 1, 0]),
    (lambda x: x.amax(0), [1.0, 3.0, 3.0], [0, 0.5, 0.5]),
    (lambda x: ast_ad.maximum(x, ast_ad.tensor([1.0, 2.0])), [1.0, 3.0], [0.5, 1]),
    (lambda x: ast_ad.fmax(x, ast_ad.tensor([1.0, 2.0])), [1.0, 1.0], [1, 0]),
    (lambda x: x.norm(), [0.0, 0.0], [0, 0]),
    (lambda x: x.std(), [2.0, 2.0], [0, 0]),
    (lambda x: x.prod(), [0.0, 2.0, 0.0], [0, 0, 0]),
    (lambda x: x.prod(), [0.0, 2.0, 3.0], [6, 0, 0]),
    (lambda x: x.sqrt(), [0.0, 4.0], [np.inf, 0.25]),
    (lambda x: ast_ad.atan2(x, x), [0.0, 1.0], [0, 0]),
    (lambda x: x.sign() + x.floor() + x.round(), [0.0, 1.5], [0, 0]),
    (lambda x: ast_ad.bernoulli(x), [0.5, 0.9], [0, 0]),
    (lambda x: x.masked_fill(x > 0, 0.0).log(), [1.0, 1.0], [0, 0]),
]


@pytest.mark.parametrize("i", range(len(KINKS)))
def test_kinks(i):
    f, x, expected = KINKS[i]
    t = ast_ad.tensor(x, requires_grad=True)
    f(t).sum().backward()
    with np.errstate(invalid="ignore"):
        result = t.grad.numpy()
    np.testing.assert_allclose(np.nan_to_num(result, nan=0, posinf=np.inf), expected)


# ----- types and names

TYPES = [
    ("sum(i)", "int64"),
    ("sum(b)", "int64"),
    ("sum(u)", "int64"),
    ("prod(i)", "int64"),
    ("cumsum(b, 0)", "int64"),
    ("sin(i)", "float32"),
    ("abs(i)", "int64"),
    ("relu(i)", "int64"),
    ("floor(i)", "int64"),
    ("mean(f)", "float32"),
    ("sum(f, dtype=float64)", "float64"),
    ("eq(f, 1)", "bool"),
    ("maximum(i, f)", "float32"),
    ("where(b, 1.0, 0)", "float32"),
    ("where(b, f, d)", "float64"),
    ("atan2(i, i)", "float32"),
    ("fmod(i, 2)", "int64"),
    ("fmod(i, 2.0)", "float32"),
    ("clamp(i, 0, 1)", "int64"),
    ("clamp(i, 0.5)", "float32"),
    ("argmax(f)", "int64"),
    ("all(u)", "uint8"),
    ("any(f)", "bool"),
    ("count_nonzero(f)", "int64"),
    ("bitwise_and(u, i)", "int64"),
    ("erf(h)", "float16"),
    ("sort(u)[0]", "uint8"),
    ("xlogy(f, 2)", "float32"),
    ("float_power(f, 2)", "float64"),
]


@pytest.mark.parametrize(("expression", "expected"), TYPES)
def test_types_of_results(expression, expected):
    names = {k: getattr(ast_ad, k) for k in ("float64",)}
    names |= {"i": ast_ad.tensor([1, -2, 3]), "b": ast_ad.tensor([True, False, True])}
    names |= {"f": ast_ad.tensor([1.5, 2.5, 0.5]), "u": ast_ad.tensor([1, 2, 3], dtype=ast_ad.uint8)}
    names |= {"d": ast_ad.tensor([1.5, 2.5, 0.5], dtype=ast_ad.float64)}
    names |= {"h": ast_ad.tensor([1.5, 2.5, 0.5], dtype=ast_ad.float16)}
    result = eval(f"ast_ad.{expression}", {"ast_ad": ast_ad, **names})
    assert str(result.dtype) == f"torch.{expected}"


NAMES = {
    "SumBackward0": lambda x: x.sum(),
    "SumBackward1": lambda x: x.sum(0),
    "MeanBackward0": lambda x: x.mean(),
    "MeanBackward1": lambda x: x.mean(0),
    "ProdBackward1": lambda x: x.prod(1),
    "MaxBackward0": lambda x: x.max(0)[0],
    "MaxBackward1": lambda x: x.max(),
    "MaximumBackward0": lambda x: ast_ad.max(x, x + 1),
    "AminmaxBackward0": lambda x: ast_ad.aminmax(x)[1],
    "MedianBackward1": lambda x: x.median(0)[0],
    "StdBackward0": lambda x: x.std(),
    "LinalgVectorNormBackward0": lambda x: x.norm(),
    "DistBackward0": lambda x: ast_ad.dist(x, x + 1),
    "SoftmaxBackward0": lambda x: x.softmax(0),
    "LogSoftmaxBackward0": lambda x: x.log_softmax(0),
    "MmBackward0": lambda x: x @ x,
    "MvBackward0": lambda x: x @ x[0],
    "DotBackward0": lambda x: x[0] @ x[1],
    "BmmBackward0": lambda x: ast_ad.bmm(x[None], x[None]),
    "AddmmBackward0": lambda x: ast_ad.addmm(x, x, x),
    "ClampBackward1": lambda x: x.clamp(0, 1),
    "ClampBackward0": lambda x: x.clamp(x - 1),
    "FmodBackward0": lambda x: x.fmod(2),
    "FmodBackward1": lambda x: x.fmod(x),
    "XlogyBackward1": lambda x: ast_ad.xlogy(2, x),
    "LerpBackward0": lambda x: x.lerp(x, 0.5),
    "WhereBackward0": lambda x: ast_ad.where(x > 0, x, 0.0),
    "MaskedFillBackward0": lambda x: x.masked_fill(x > 0, 0),
    "MaskedFillBackward1": lambda x: x.masked_fill(x > 0, x[0, 0]),
    "GatherBackward0": lambda x: x.gather(0, (x > 9).long()),
    "IndexSelectBackward0": lambda x: x.index_select(0, ast_ad.tensor([0])),
    "LinalgDetBackward0": lambda x: ast_ad.linalg.det(x),
    "LinalgInvExBackward0": lambda x: x.inverse(),
    "LinalgSolveExBackward0": lambda x: ast_ad.linalg.solve(x, x),
    "LinalgEighBackward0": lambda x: ast_ad.linalg.eigh(x @ x.mT)[1],
    "BernoulliBackward0": lambda x: ast_ad.bernoulli(x.sigmoid()),
    "NormalBackward1": lambda x: ast_ad.normal(x, 1.0),
    "UniformBackward0": lambda x: (x * 1).uniform_(),
    "EqBackward0": lambda x: (x * 1).eq_(1),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_of_nodes(name):
    result = NAMES[name](ast_ad.tensor(SQUARE, requires_grad=True))
    assert type(result.grad_fn).__name__ == name


def test_named_results():
    found = ast_ad.tensor([3.0, 1.0, 2.0]).sort()
    assert (found.values.tolist(), found.indices.tolist()) == ([1, 2, 3], [1, 2, 0])
    assert repr(ast_ad.tensor([1.0, 2.0]).max(0)) == (
        "torch.return_types.max(\nvalues=tensor(2.),\nindices=tensor(1))"
    )


ERRORS = [
    (lambda t: ast_ad.exp(1.0), TypeError, "exp(): argument 'input' (position 1) must be Tensor, not float"),
    (
        lambda t: t.sum(5),
        IndexError,
        "Dimension out of range (expected to be in range of [-2, 1], but got 5)",
    ),
    (lambda t: t @ t, RuntimeError, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    (
        lambda t: t @ t.double().T,
        RuntimeError,
        "expected m1 and m2 to have the same dtype, but got: float != double",
    ),
    (lambda t: t.long().mean(), RuntimeError, "mean(): could not infer output dtype."),
    (lambda t: t.clamp(), RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None"),
    (lambda t: ~t, NotImplementedError, "\"bitwise_not_cpu\" not implemented for 'Float'"),
    (
        lambda t: t.gather(0, ast_ad.tensor([[7, 0, 0]])),
        RuntimeError,
        "index 7 is out of bounds for dimension 0",
    ),
    (lambda t: ast_ad.linalg.inv(t), RuntimeError, "linalg.inv: A must be batches of square matrices"),
    (lambda t: ast_ad.linalg.inv(ast_ad.zeros(2, 2)), ast_ad.linalg.LinAlgError, "singular"),
    (
        lambda t: ast_ad.hypot(t, 1.0),
        TypeError,
        "hypot(): argument 'other' (position 2) must be Tensor, not float",
    ),
    (
        lambda t: t.long().exp_(),
        RuntimeError,
        "result type Float can't be cast to the desired output type Long",
    ),
    (lambda t: ast_ad.zeros(0).max(), RuntimeError, "max(): Expected reduction dim to be specified"),
]


@pytest.mark.parametrize("i", range(len(ERRORS)))
def test_errors(i):
    f, kind, text = ERRORS[i]
    with pytest.raises(kind) as caught:
        f(ast_ad.ones(2, 3))
    assert text in str(caught.value)


# ----- random numbers


def test_random_numbers():
    ast_ad.manual_seed(3)
    first = ast_ad.rand(4), ast_ad.randn(2), ast_ad.randint(5, (3,)), ast_ad.randperm(6)
    ast_ad.manual_seed(3)
    again = ast_ad.rand(4), ast_ad.randn(2), ast_ad.randint(5, (3,)), ast_ad.randperm(6)
    assert all(ast_ad.equal(a, b) for a, b in zip(first, again, strict=True))
    assert sorted(first[3].tolist()) == list(range(6))
    own = ast_ad.Generator().manual_seed(3)
    assert ast_ad.equal(ast_ad.rand(4, generator=own), first[0])
    assert ast_ad.rand(2, dtype=ast_ad.float64, requires_grad=True).requires_grad
    many = ast_ad.empty(10000)
    assert abs(many.normal_(2.0, 3.0).mean().item() - 2) < 0.2
    assert 0 <= many.uniform_().min() and many.max() < 1
    assert abs(ast_ad.bernoulli(ast_ad.full((10000,), 0.3)).mean().item() - 0.3) < 0.03
    picked = ast_ad.multinomial(ast_ad.tensor([0.0, 1.0, 1.0]), 2)
    assert sorted(picked.tolist()) == [1, 2]


@pytest.mark.parametrize("shape", [(3,), (2, 4)])
def test_vander_of_linalg_begins_with_power_0_and_takes_rows(shape):
    x = ast_ad.tensor(np.linspace(0.0, 2.0, int(np.prod(shape))).reshape(shape), requires_grad=True)
    for N in (None, 2, 5):
        count = shape[-1] if N is None else N
        found = ast_ad.linalg.vander(x, N=N)
        assert np.array_equal(found.detach().numpy(), x.detach().numpy()[..., None] ** np.arange(count))
        assert ast_ad.autograd.gradcheck(lambda t, N=N: ast_ad.linalg.vander(t, N=N), (x,))
    for wrong in (x.detach()[..., :1], ast_ad.tensor(1.0)):
        with pytest.raises(RuntimeError, match="N must be greater than 1."):
            ast_ad.linalg.vander(wrong)


@pytest.mark.parametrize("name", ["scaled_modified_bessel_k0", "scaled_modified_bessel_k1"])
def test_scaled_bessel_functions_are_those_times_an_exponential(name):
    x = ast_ad.tensor([0.25, 1.0, 3.0], dtype=ast_ad.float64, requires_grad=True)
    scaled = getattr(ast_ad.special, name)
    plain = getattr(ast_ad.special, name.removeprefix("scaled_"))
    assert ast_ad.allclose(scaled(x), plain(x) * x.exp())
    assert ast_ad.autograd.gradcheck(scaled, (x,))


def test_a_trace_that_met_a_function_first_does_not_name_its_nodes():
    """The module that names a function may be loaded after a trace has recorded it."""

    def cubed(x):
        return x**3

    assert operation(cubed).name == "CubedBackward0"
    named = Operation(cubed, "PowBackward0")
    assert operation(cubed) is named
