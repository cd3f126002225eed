"""What are the lengths of products, decompositions, transforms and polynomials? And which are not known?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....rules import helpers, triangular
from ...ir import dims as terms
from ...ir.dims import Int, length, smallest
from ...ir.ops import Arg, Lit, Seq
from ...ir.spans import stretched
from .dummies import InferenceError
from .shape_rules import (
    BY_VALUE,
    COMPUTED,
    COMPUTED_IN,
    NONE,
    NUMBER,
    OneOf,
    Shape,
    Untold,
    at_least,
    broadcast,
    certain_dims,
    dims,
    is_none,
    number,
    only_ones,
    position,
    replaced,
    shape_of,
    size,
    static,
)


# ----- products
@shape_of(np.convolve)
def _convolve(a: Arg, v: Arg, mode: Arg = Lit("full")) -> Shape:
    return _convolved(size(a), size(v), static(mode))


@shape_of(np.correlate)
def _correlate(a: Arg, v: Arg, mode: Arg = Lit("valid")) -> Shape:
    return _convolved(size(a), size(v), static(mode))


def _convolved(n: Int, m: Int, mode: str) -> Shape:
    if mode == "full":
        return (n + m - 1,)
    longer, shorter = terms.largest(n, m), smallest(n, m)
    return (longer,) if mode == "same" else (longer - shorter + 1,)


@shape_of(np.outer, np.linalg.outer)
def _outer(a: Arg, b: Arg) -> Shape:
    return size(a), size(b)


@shape_of(np.kron)
def _kron(a: Arg, b: Arg) -> Shape:
    rank = max(len(dims(a)), len(dims(b)))
    pairs = zip(at_least(dims(a), rank), at_least(dims(b), rank), strict=True)
    return tuple(terms.product(n, m) for n, m in pairs)


@shape_of(np.dot)
def _dot(a: Arg, b: Arg) -> Shape:
    left, right = dims(a), dims(b)
    if not left or not right:
        return left or right
    return (*left[:-1], *right[:-2], *right[-1:]) if len(right) > 1 else left[:-1]


@shape_of(np.inner)
def _inner(a: Arg, b: Arg) -> Shape:
    left, right = dims(a), dims(b)
    return (*left[:-1], *right[:-1]) if left and right else left or right


@shape_of(np.matmul, np.linalg.matmul)
def _matmul(a: Arg, b: Arg) -> Shape:
    left, right = dims(a), dims(b)
    rows, columns = left[-2:-1], right[-1:] if len(right) > 1 else ()
    return (*broadcast(left[:-2], right[:-2]), *rows, *columns)


@shape_of(np.tensordot)
def _tensordot(a: Arg, b: Arg, axes: Arg = Lit(2)) -> Shape:
    left, right, given = dims(a), dims(b), static(axes)
    if isinstance(given, int):
        return (*left[: len(left) - given], *right[given:])
    kept: list[Int] = []
    for chosen, shape in zip(given, (left, right), strict=True):
        summed = {position(k, len(shape)) for k in ([chosen] if isinstance(chosen, int) else chosen)}
        kept += [n for k, n in enumerate(shape) if k not in summed]
    return tuple(kept)


@shape_of(np.einsum)
def _einsum(subscripts: Arg, *operands: Arg, optimize: Arg = NONE) -> Shape:
    text = static(subscripts)
    if not isinstance(text, str) or "." in text or "->" not in text:
        raise Untold
    inputs, output = text.replace(" ", "").split("->")
    lengths: dict[str, list[Int]] = {}
    for letters, operand in zip(inputs.split(","), operands, strict=True):
        for letter, n in zip(letters, dims(operand), strict=True):
            lengths.setdefault(letter, []).append(n)
    return tuple(stretched(*lengths[letter]) for letter in output)


@shape_of(np.cross)
def _cross(
    a: Arg, b: Arg, axisa: Arg = Lit(-1), axisb: Arg = Lit(-1), axisc: Arg = Lit(-1), axis: Arg = NONE
) -> Shape:
    along = [static(axis if not is_none(axis) else x) for x in (axisa, axisb, axisc)]
    shapes, lengths = [], []
    for shape, place in zip((dims(a), dims(b)), along, strict=False):
        k = position(place, len(shape))
        lengths.append(shape[k])
        shapes.append(shape[:k] + shape[k + 1 :])
    rest = broadcast(*shapes)
    if lengths == [2, 2]:
        return rest
    if 3 not in lengths:
        raise InferenceError("whether vectors have three numbers is not known")
    last = position(along[2], len(rest) + 1)
    return (*rest[:last], 3, *rest[last:])


@shape_of(np.linalg.cross)
def _cross_of_three(x1: Arg, x2: Arg, axis: Arg = Lit(-1)) -> Shape:
    return _cross(x1, x2, axis=axis)


# ----- decompositions and solutions
def _matrix(a: Arg) -> tuple[tuple[Int, ...], Int, Int]:
    *batch, m, n = dims(a)
    return tuple(batch), m, n


@shape_of(np.linalg.svd)
def _svd(a: Arg, full_matrices: Arg = Lit(True), compute_uv: Arg = Lit(True), hermitian: Arg = NONE) -> Any:
    batch, m, n = _matrix(a)
    k = smallest(m, n)
    if not static(compute_uv):
        return (*batch, k)
    u, v = (m, n) if static(full_matrices) else (k, k)
    return [(*batch, m, u), (*batch, k), (*batch, v, n)]


@shape_of(np.linalg.svdvals)
def _svdvals(x: Arg) -> Shape:
    batch, m, n = _matrix(x)
    return (*batch, smallest(m, n))


@shape_of(np.linalg.qr)
def _qr(a: Arg, mode: Arg = Lit("reduced")) -> Any:
    batch, m, n = _matrix(a)
    if static(mode) == "r":
        return (*batch, smallest(m, n), n)
    k = m if static(mode) == "complete" else smallest(m, n) if static(mode) == "reduced" else None
    return [] if k is None else [(*batch, m, k), (*batch, k, n)]


@shape_of(np.linalg.pinv)
def _pinv(a: Arg, *rest: Arg, **options: Arg) -> Shape:
    batch, m, n = _matrix(a)
    return (*batch, n, m)


@shape_of(
    np.linalg.inv, np.linalg.cholesky, np.linalg.matrix_power, "scipy.linalg.inv", "scipy.linalg.cholesky",
    "scipy.linalg.expm", "scipy.linalg.sqrtm",
)  # fmt: skip
def _square(a: Arg, *rest: Arg, **options: Arg) -> Shape:
    """They raise an error unless the matrices are square."""
    batch, m, n = _matrix(a)
    side = n if isinstance(n, int) else m
    return (*batch, side, side)


@shape_of(np.linalg.eigh, np.linalg.eig)
def _eigh(a: Arg, UPLO: Arg = NONE) -> Any:
    return [dims(a)[:-1], dims(a)]


@shape_of(np.linalg.eigvalsh, np.linalg.eigvals)
def _eigvalsh(a: Arg, UPLO: Arg = NONE) -> Shape:
    return dims(a)[:-1]


@shape_of(np.linalg.solve, triangular.solve_triangular, "scipy.linalg.solve", "scipy.linalg.solve_triangular")
def _solve(a: Arg, b: Arg, *rest: Arg, **options: Arg) -> Shape:
    matrix, right = dims(a), dims(b)
    if len(right) == 1:
        return (*matrix[:-2], *right)
    return (*broadcast(matrix[:-2], right[:-2]), *right[-2:])


@shape_of("scipy.stats.multivariate_normal_gen.logpdf", "scipy.stats.multivariate_normal_gen.pdf")
def _normal_density(x: Arg, mean: Arg = NONE, cov: Arg = Lit(1), allow_singular: Arg = NONE) -> Shape:
    """One number for each point; of a single one, or where there is one in a row, the axis is dropped."""
    n = dims(cov)[0] if is_none(mean) and len(dims(cov)) == 2 else 1 if is_none(mean) else size(mean)
    points = dims(x) if only_ones(n, "the mean") and len(dims(x)) == 1 else dims(x)[:-1]
    return tuple(k for k in points if not only_ones(k, "an axis of points"))


# ----- in the order of something
@shape_of(np.take)
def _take(a: Arg, indices: Arg, axis: Arg = NONE, mode: Arg = NONE) -> Shape:
    along = static(axis)
    shape = dims(a) if along is not None else (size(a),)
    return replaced(shape, position(0 if along is None else along, len(shape)), *dims(indices))


@shape_of(np.interp)
def _interp(x: Arg, xp: Arg, fp: Arg, *rest: Arg, **options: Arg) -> Shape:
    return dims(x)


@shape_of(np.searchsorted)
def _searchsorted(a: Arg, v: Arg, side: Arg = NONE, sorter: Arg = NONE) -> Shape:
    return dims(v)


@shape_of(np.digitize)
def _digitize(x: Arg, bins: Arg, right: Arg = NONE) -> Shape:
    return dims(x)


@shape_of(np.cumsum, np.cumprod, np.nancumsum, np.nancumprod)
def _cumulated(a: Arg, axis: Arg = NONE, *rest: Arg, **options: Arg) -> Shape:
    return dims(a) if static(axis) is not None else (size(a),)


@shape_of(np.sort, np.argsort)
def _sorted(a: Arg, axis: Arg = Lit(-1), *rest: Arg, **options: Arg) -> Shape:
    return _cumulated(a, axis)


@shape_of(np.partition, np.argpartition)
def _partition(a: Arg, kth: Arg, axis: Arg = Lit(-1), **options: Arg) -> Shape:
    return _cumulated(a, axis)


# ----- polynomials and transforms
@shape_of(np.polyfit)
def _polyfit(x: Arg, y: Arg, deg: Arg, **options: Arg) -> Any:
    if set(options) - {"w"}:
        raise Untold
    return (number(deg) + 1, *dims(y)[1:])


@shape_of(np.polyder)
def _polyder(p: Arg, m: Arg = Lit(1)) -> Shape:
    return (length(size(p) - number(m)),)


@shape_of(np.polyadd, np.polysub)
def _polyadd(a1: Arg, a2: Arg) -> Shape:
    return (terms.largest(size(a1), size(a2)),)


def _transformed(n: Arg, a: Arg, axis: Arg, of: Any) -> Shape:
    shape = dims(a)
    place = position(static(axis), len(shape))
    return replaced(shape, place, of(shape[place] if is_none(n) else number(n)))


@shape_of(np.fft.fft, np.fft.ifft, "scipy.fft.fft", "scipy.fft.ifft")
def _fft(a: Arg, n: Arg = NONE, axis: Arg = Lit(-1), *rest: Arg, **options: Arg) -> Shape:
    return _transformed(n, a, axis, lambda k: k)


@shape_of(np.fft.rfft, np.fft.ihfft, "scipy.fft.rfft")
def _rfft(a: Arg, n: Arg = NONE, axis: Arg = Lit(-1), *rest: Arg, **options: Arg) -> Shape:
    return _transformed(n, a, axis, lambda k: terms.floordiv(k, 2) + 1)


@shape_of(np.fft.irfft, np.fft.hfft, "scipy.fft.irfft")
def _irfft(a: Arg, n: Arg = NONE, axis: Arg = Lit(-1), *rest: Arg, **options: Arg) -> Shape:
    return _transformed(n, a, axis, lambda k: 2 * (k - 1) if is_none(n) else k)


def _transformed_axes(a: Arg, s: Arg, axes: Arg, of: Any = None) -> Shape:
    """``of``: from the length of the last axis, and whether it is given, to that of the result's."""
    shape, rank = [*dims(a)], len(dims(a))
    lengths = None if is_none(s) else _items(s)
    given = static(axes) if not is_none(axes) else range(-(rank if lengths is None else len(lengths)), 0)
    places = [position(axis, rank) for axis in given]
    if len(set(places)) < len(places):
        raise Untold
    lengths = [NONE] * len(places) if lengths is None else lengths
    for place, asked in zip(places, lengths, strict=True):
        own = is_none(asked) or isinstance(asked, Lit) and asked.value == -1
        n = shape[place] if own else number(asked)
        if not own and not terms.reaches(n, 0):  # which may be -1, for the length that there is
            raise Untold
        shape[place] = of(n, not own) if of is not None and place == places[-1] else n
    return tuple(shape)


def _items(arg: Arg) -> list[Arg]:
    if isinstance(arg, Seq):
        return [*arg.items]
    if isinstance(arg, Lit) and isinstance(arg.value, (tuple, list)):
        return [Lit(value) for value in arg.value]
    raise Untold


def _half(n: Int, given: bool) -> Int:
    return terms.floordiv(n, 2) + 1


def _whole(n: Int, given: bool) -> Int:
    return n if given else 2 * (n - 1)


LAST_TWO = Lit((-2, -1))


@shape_of(np.fft.fft2, np.fft.ifft2, "scipy.fft.fft2", "scipy.fft.ifft2")
def _fft2(a: Arg, s: Arg = NONE, axes: Arg = LAST_TWO, *rest: Arg, **options: Arg) -> Shape:
    return _transformed_axes(a, s, axes)


@shape_of(np.fft.rfft2, "scipy.fft.rfft2")
def _rfft2(a: Arg, s: Arg = NONE, axes: Arg = LAST_TWO, *rest: Arg, **options: Arg) -> Shape:
    return _transformed_axes(a, s, axes, _half)


@shape_of(np.fft.irfft2)
def _irfft2(a: Arg, s: Arg = NONE, axes: Arg = LAST_TWO, *rest: Arg, **options: Arg) -> Shape:
    return _transformed_axes(a, s, axes, _whole)


@shape_of(np.fft.fftn, np.fft.ifftn, "scipy.fft.fftn", "scipy.fft.ifftn")
def _fftn(a: Arg, s: Arg = NONE, axes: Arg = NONE, *rest: Arg, **options: Arg) -> Shape:
    return _transformed_axes(a, s, axes)


@shape_of(np.fft.rfftn, "scipy.fft.rfftn")
def _rfftn(a: Arg, s: Arg = NONE, axes: Arg = NONE, *rest: Arg, **options: Arg) -> Shape:
    return _transformed_axes(a, s, axes, _half)


@shape_of(np.fft.irfftn)
def _irfftn(a: Arg, s: Arg = NONE, axes: Arg = NONE, *rest: Arg, **options: Arg) -> Shape:
    return _transformed_axes(a, s, axes, _whole)


# ----- where the rank depends on lengths
@shape_of(np.cov, np.corrcoef)
def _cov(m: Arg, y: Arg = NONE, rowvar: Arg = Lit(True), *rest: Arg, **options: Arg) -> Shape | OneOf:
    shape = certain_dims(m)
    if not is_none(y) or len(shape) == 1:
        raise Untold
    n = shape[0 if static(rowvar) else 1]
    if isinstance(n, int) or n.not_one:
        return () if n == 1 else (n, n)
    return OneOf(((), (n, n)))


@shape_of("scipy.linalg.lstsq")
def _lstsq(a: Arg, b: Arg, *rest: Arg, **options: Arg) -> Any:
    """Of a vector the residual is a number, or an empty array where the rank leaves none."""
    columns, given = dims(a)[1], certain_dims(b)[1:]
    return [(columns, *given), (None,) if given else OneOf((NUMBER, (0,))), (), (None,)]


@shape_of(np.poly)
def _poly(seq_of_zeros: Arg) -> Shape:
    (n,) = dims(seq_of_zeros)[:1]
    if not terms.reaches(n, 1):
        raise InferenceError("whether there are zeros is not known")
    return (n + 1,)


# What the arguments hold decides.
BY_VALUE.update(
    {
        np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.compress, np.extract, np.trim_zeros,
        np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d, np.unique_values, np.bincount, np.roots,
        np.polymul, np.linalg.lstsq, np.histogram, helpers.reserve,
        "scipy.spatial.distance.pdist",
    }
)  # fmt: skip
COMPUTED.update(
    {
        np.polyint, np.block, np.piecewise, np.select, "scipy.linalg.block_diag",
        "scipy.integrate.cumulative_trapezoid", "scipy.fft.irfft2", "scipy.fft.irfftn",
    }
)  # fmt: skip
COMPUTED_IN.update(
    f"ast_ad.rules.{name}"
    for name in (
        "networks.blocks", "networks.grids", "networks.padding", "networks.pooling",
        "networks.pooling_functions", "networks.resampling", "networks.windows", "torch.shapes",
        "torch.views",
    )
)  # fmt: skip
