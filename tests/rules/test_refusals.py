"""Do rules refuse what they don't compute, by the class and in the words that are promised?

Each case is a program that is differentiated. What the function itself refuses, in PyTorch's words, its
gradient refuses as well; what has no rule is named with its line.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.stats

import ast_ad
import ast_ad.nn.functional as F
from ast_ad.rules import containers, registry
from ast_ad.rules.torch import gather

Program = Callable[[np.ndarray], Any]

LINE = np.linspace(0.2, 1.4, 6).reshape(1, 1, 6)
IMAGE = np.linspace(0.2, 1.4, 16).reshape(1, 1, 4, 4)
VOLUME = np.linspace(0.2, 1.4, 8).reshape(1, 1, 2, 2, 2)
CHANNELS = np.linspace(0.2, 1.4, 24).reshape(1, 6, 2, 2)
ROWS = np.linspace(0.2, 1.4, 6).reshape(2, 3)
SQUARE = np.array([[2.0, 0.3], [0.3, 1.0]])
PIVOTS, LOWER = np.array([[0, 1], [0, 1]]), np.array([True, True])
SQUARES = np.stack([SQUARE, SQUARE + np.eye(2)])
EMPTY = np.zeros((1, 0, 4, 4))
INDEX = np.array([[0, 1]])
GRID = np.zeros((1, 2, 2, 2))


def nearest(x: np.ndarray, **options: Any) -> np.ndarray:
    return scipy.ndimage.map_coordinates(x, np.ones((2, 3)), mode="nearest", **options)


# What the function refuses.
FUNCTIONS: list[tuple[type[Exception], str, np.ndarray, Program]] = [
    (ValueError, "inplace=True changes tensors", ROWS, lambda x: F.relu(x, inplace=True)),
    (ValueError, "draws no random slopes", ROWS, lambda x: F.rrelu(x, training=True)),
    (ValueError, "draws no mask", ROWS, lambda x: F.dropout(x)),
    (ValueError, "draws no mask", ROWS, lambda x: F.alpha_dropout(x, training=True)),
    (ValueError, "draws no mask", IMAGE, lambda x: F.dropout2d(x)),
    (ValueError, "out= is for tensors", ROWS, lambda x: F.normalize(x, out=x)),
    (ValueError, "is not a valid value for reduction", ROWS, lambda x: F.mse_loss(x, x, reduction="all")),
    (IndexError, "a label of a target is negative", ROWS, lambda x: ctc(x, -1)),
    # unfold and fold
    (RuntimeError, "kernel_size equals to 2, but got size 3", IMAGE, lambda x: F.unfold(x, (1, 1, 1))),
    (RuntimeError, "kernel size should be greater than zero", IMAGE, lambda x: F.unfold(x, 0)),
    (RuntimeError, "padding should be non-negative", IMAGE, lambda x: F.unfold(x, 1, padding=-1)),
    (RuntimeError, "Expected 3D or 4D", ROWS, lambda x: F.unfold(x, 1)),
    (RuntimeError, "must be at least one", IMAGE, lambda x: F.unfold(x, 5)),
    (RuntimeError, "Expected 2D or 3D", IMAGE, lambda x: F.fold(x, 4, 1)),
    (RuntimeError, "divisible by the product of kernel_size", LINE, lambda x: F.fold(x, 4, 2)),
    (RuntimeError, "to match the calculated", LINE, lambda x: F.fold(x, 4, 1)),
    # embeddings
    (ValueError, "max_norm changes the weight", ROWS, lambda x: F.embedding(INDEX, x, max_norm=1.0)),
    (ValueError, "max_norm changes the weight", ROWS, lambda x: F.embedding_bag(INDEX, x, max_norm=1.0)),
    (
        ValueError,
        "largest elements of bags with padding",
        ROWS,
        lambda x: F.embedding_bag(INDEX, x, mode="max", padding_idx=0),
    ),
    (RuntimeError, "applicable to index tensor", ROWS, lambda x: x[0] * F.one_hot(np.array([1.0]))),
    (RuntimeError, "number of classes from empty", ROWS, lambda x: x[0] * F.one_hot(np.zeros(0, int))),
    (RuntimeError, "must be non-negative", ROWS, lambda x: x[0] * F.one_hot(np.array([-1]))),
    (RuntimeError, "smaller than num_classes", ROWS, lambda x: x[0] * F.one_hot(np.array([3]), 3)),
    # grids
    (ValueError, "expected mode to be", IMAGE, lambda x: F.grid_sample(x, GRID, "cubic")),
    (ValueError, "expected padding_mode to be", IMAGE, lambda x: F.grid_sample(x, GRID, padding_mode="wrap")),
    (NotImplementedError, "'bicubic' is not supported", IMAGE, lambda x: F.grid_sample(x, GRID, "bicubic")),
    (RuntimeError, "same number of dimensions", ROWS, lambda x: F.grid_sample(x, GRID)),
    (RuntimeError, "same batch size", IMAGE, lambda x: F.grid_sample(x, np.zeros((2, 2, 2, 2)))),
    (RuntimeError, "in last dimension", IMAGE, lambda x: F.grid_sample(x, np.zeros((1, 2, 2, 3)))),
    # normalisation
    (RuntimeError, "at least 1-dimensional", ROWS, lambda x: F.layer_norm(x, ())),
    (RuntimeError, "of same shape as normalized_shape", ROWS, lambda x: F.layer_norm(x, (3,), np.ones(2))),
    (RuntimeError, "expected input with shape", ROWS, lambda x: F.layer_norm(x, (2,))),
    (RuntimeError, "at least 2 dimensions", np.ones(3), lambda x: F.group_norm(x, 1)),
    (RuntimeError, "num groups to be greater than 0", ROWS, lambda x: F.group_norm(x, 0)),
    (RuntimeError, "divisible by num_groups", ROWS, lambda x: F.group_norm(x, 2)),
    (RuntimeError, "vector of size equal to the number", ROWS, lambda x: F.group_norm(x, 1, np.ones(2))),
    (ValueError, "more than 1 value per channel", np.ones((1, 2)), lambda x: F.group_norm(x, 2)),
    (RuntimeError, "should contain 3 elements", ROWS, lambda x: F.batch_norm(x, np.ones(2), np.ones(2))),
    (
        ValueError,
        "more than 1 value per channel",
        np.ones((1, 2)),
        lambda x: F.batch_norm(x, None, None, training=True),
    ),
    # padding
    (RuntimeError, "divisible by 2", ROWS, lambda x: F.pad(x, (1,))),
    (RuntimeError, "two times the input dimension", ROWS, lambda x: F.pad(x, (1,) * 6)),
    (RuntimeError, "length must be non-negative", ROWS, lambda x: F.pad(x, (-5, 0))),
    (NotImplementedError, "Unrecognised padding mode", LINE, lambda x: F.pad(x, (1, 1), "mirror")),
    (NotImplementedError, "Padding size 4 is not supported", ROWS, lambda x: F.pad(x, (1,) * 4, "reflect")),
    (RuntimeError, "less than the corresponding input", LINE, lambda x: F.pad(x, (6, 0), "reflect")),
    (RuntimeError, "wrapping around more than once", LINE, lambda x: F.pad(x, (7, 0), "circular")),
    (RuntimeError, "resulting in an empty dimension", LINE, lambda x: F.pad(x, (-4, -4), "circular")),
    (RuntimeError, "is too small for padding", LINE, lambda x: F.pad(x, (-6, 0), "replicate")),
    (RuntimeError, "doesn't take in value argument", LINE, lambda x: F.pad(x, (1, 0), "reflect", 1.0)),
    (RuntimeError, "at least 3 dimensions", ROWS, lambda x: F.pixel_shuffle(x, 2)),
    (RuntimeError, "positive upscale_factor", IMAGE, lambda x: F.pixel_shuffle(x, 0)),
    (RuntimeError, "square of upscale_factor", IMAGE, lambda x: F.pixel_shuffle(x, 2)),
    (RuntimeError, "at least 3 dimensions", ROWS, lambda x: F.pixel_unshuffle(x, 2)),
    (RuntimeError, "positive downscale_factor", IMAGE, lambda x: F.pixel_unshuffle(x, 0)),
    (RuntimeError, "divisible by downscale_factor", IMAGE, lambda x: F.pixel_unshuffle(x, 3)),
    (RuntimeError, "input with > 2 dims", ROWS, lambda x: F.channel_shuffle(x, 1)),
    (RuntimeError, "must be positive", CHANNELS, lambda x: F.channel_shuffle(x, 0)),
    (RuntimeError, "must be divisible by groups", CHANNELS, lambda x: F.channel_shuffle(x, 4)),
    # pooling
    (RuntimeError, "tuple of two ints", IMAGE, lambda x: F.max_pool2d(x, (1, 1, 1))),
    (RuntimeError, "Output size is too small", IMAGE, lambda x: F.avg_pool2d(x, 5)),
    (RuntimeError, "max_pool1d: Expected 2D or 3D", np.ones(3), lambda x: F.max_pool1d(x, 1)),
    (RuntimeError, "Expected 2 to 3 dimensions", np.ones(3), lambda x: F.avg_pool1d(x, 1)),
    (RuntimeError, "non-empty 4D or 5D", ROWS, lambda x: F.avg_pool3d(x, 1)),
    (RuntimeError, "optional 0 dim batch size", EMPTY, lambda x: F.avg_pool2d(x, 1)),
    (RuntimeError, "stride should not be zero", IMAGE, lambda x: F.max_pool2d(x, 1, 0)),
    (RuntimeError, "kernel size should be greater", IMAGE, lambda x: F.max_pool2d(x, 0, 1)),
    (RuntimeError, "dilation should be greater", IMAGE, lambda x: F.max_pool2d(x, 1, dilation=0)),
    (RuntimeError, "pad must be non-negative", IMAGE, lambda x: F.max_pool2d(x, 1, padding=-1)),
    (RuntimeError, "at most half of effective", IMAGE, lambda x: F.max_pool2d(x, 2, padding=2)),
    (RuntimeError, "padding must be non-negative", LINE, lambda x: F.max_pool1d(x, 1, padding=-1)),
    (RuntimeError, "stride must be greater than zero", LINE, lambda x: F.max_pool1d(x, 1, 0)),
    (RuntimeError, "at most half of kernel size", LINE, lambda x: F.max_pool1d(x, 2, padding=2)),
    (RuntimeError, "Invalid computed output size", LINE, lambda x: F.max_pool1d(x, 7)),
    (RuntimeError, "all its taps in the padding", IMAGE, lambda x: F.max_pool2d(x, 2, 3, 1, 5, True)),
    (IndexError, "Dimension out of range", ROWS, lambda x: F.avg_pool2d(x, 1)),
    (RuntimeError, "divisor must be not zero", IMAGE, lambda x: F.avg_pool2d(x, 1, divisor_override=0)),
    (RuntimeError, "should contain one int", LINE, lambda x: F.adaptive_avg_pool1d(x, (1, 2))),
    (RuntimeError, "output_size must be 2", IMAGE, lambda x: F.adaptive_avg_pool2d(x, (1, 2, 3))),
    (RuntimeError, "greater than or equal to 0", IMAGE, lambda x: F.adaptive_avg_pool2d(x, -1)),
    (RuntimeError, "Expected 3D or 4D tensor", ROWS, lambda x: F.adaptive_avg_pool2d(x, 1)),
    (RuntimeError, "being empty", np.ones((1, 2, 0, 2)), lambda x: F.adaptive_avg_pool2d(x, 1)),
    (ValueError, "containing 1 or 3 elements", LINE, lambda x: unpooled(x, (1, 2))),
    (ValueError, "invalid output_size", LINE, lambda x: unpooled(x, (99,))),
    (RuntimeError, "invalid max index", LINE, lambda x: F.max_unpool1d(x, np.full((1, 1, 6), 99), 2)),
    # images of other sizes
    (ValueError, "align_corners option", LINE, lambda x: F.interpolate(x, 3, align_corners=True)),
    (ValueError, "only one of size or scale_factor", LINE, lambda x: F.interpolate(x, 3, 2.0)),
    (ValueError, "either size or scale_factor", LINE, lambda x: F.interpolate(x)),
    (ValueError, "output size of (1, 2)", LINE, lambda x: F.interpolate(x, (1, 2))),
    (ValueError, "scale_factor of shape", LINE, lambda x: F.interpolate(x, None, (1.0, 2.0))),
    (NotImplementedError, "Only 3D, 4D and 5D", LINE, lambda x: F.interpolate(x, 3, mode="best")),
    (NotImplementedError, "mode needs 4D input", LINE, lambda x: F.interpolate(x, 3, mode="bilinear")),
    (RuntimeError, "should be greater than 0", LINE, lambda x: F.interpolate(x, 0)),
    # convolution
    (RuntimeError, "list of 2 values", IMAGE, lambda x: F.conv2d(x, x, stride=(1, 1, 1))),
    (RuntimeError, "Invalid padding string", IMAGE, lambda x: F.conv2d(x, x, padding="full")),
    (RuntimeError, "for strided convolutions", IMAGE, lambda x: F.conv2d(x, x, stride=2, padding="same")),
    (RuntimeError, "negative padding", IMAGE, lambda x: F.conv2d(x, x, padding=-1)),
    (RuntimeError, "4-dimensional weight", IMAGE, lambda x: F.conv2d(x, LINE)),
    (RuntimeError, "Expected 3D (unbatched)", ROWS, lambda x: F.conv2d(x, IMAGE)),
    (RuntimeError, "non-positive groups", IMAGE, lambda x: F.conv2d(x, x, groups=0)),
    (RuntimeError, "kernel size should be greater", IMAGE, lambda x: F.conv2d(x, np.ones((1, 1, 0, 1)))),
    (RuntimeError, "at dimension 0", CHANNELS, lambda x: F.conv2d(x, np.ones((3, 3, 1, 1)), groups=2)),
    (RuntimeError, "to have 1 channels", CHANNELS, lambda x: F.conv2d(x, np.ones((1, 1, 1, 1)))),
    (RuntimeError, "expected bias", IMAGE, lambda x: F.conv2d(x, x, np.ones(2))),
    (RuntimeError, "non-positive stride", IMAGE, lambda x: F.conv2d(x, x, stride=0)),
    (RuntimeError, "dilation should be greater", IMAGE, lambda x: F.conv2d(x, x, dilation=0)),
    (RuntimeError, "greater than actual input", IMAGE, lambda x: F.conv2d(x, np.ones((1, 1, 5, 5)))),
    # losses
    (IndexError, "Target 7 is out of bounds", ROWS, lambda x: F.nll_loss(x, np.array([7, 0]))),
    (IndexError, "target out of range", ROWS, lambda x: F.multi_margin_loss(x, np.array([7, 0]))),
]
tridiagonal = scipy.linalg.eigvalsh_tridiagonal


# What has no derivative here.
DERIVATIVES: list[tuple[str, np.ndarray, Program]] = [
    ("dropout in the attention", ROWS, lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=0.5)),
    ("antialias=True", IMAGE, lambda x: F.interpolate(x, 2, antialias=True)),
    ("second derivative of ctc_loss", ROWS, lambda x: ast_ad.grad(lambda y: ctc(y, 1))(x)),
    ("logspace with an array of bases", ROWS, lambda x: np.logspace(0.0, 1.0, 3, base=x[0])),
    ("qr(mode='raw')", ROWS, lambda x: np.linalg.qr(x.T, mode="raw")[0]),
    ("quantiles by the method", ROWS, lambda x: np.quantile(x, 0.3, method="closest_observation")),
    ("quantiles past NaN", ROWS, lambda x: np.nanquantile(x, np.full((2, 2), 0.3), axis=(0, 1))),
    ("scipy.ndimage.zoom(grid_mode=True)", ROWS, lambda x: scipy.ndimage.zoom(x, 2, grid_mode=True)),
    ("steps of another rank", ROWS, lambda x: np.trapezoid(x, dx=x[0, :2])),
    ("np.corrcoef of complex numbers", ROWS, lambda x: np.abs(np.corrcoef(x * 1j))),
    ("an axis given twice", ROWS, lambda x: np.real(np.fft.fftn(x, (3, 2), (0, 0)))),
    (
        "scipy.linalg.solve(assume_a='tridiagonal')",
        SQUARE,
        lambda x: scipy.linalg.solve(x, x, assume_a="tridiagonal"),
    ),
    ("eigh with two matrices", SQUARE, lambda x: scipy.linalg.eigh(x, np.eye(2))[0]),
    ("eigvalsh with two matrices", SQUARE, lambda x: scipy.linalg.eigvalsh(x, np.eye(2))),
    ("scipy.linalg.eig with", SQUARE, lambda x: np.abs(scipy.linalg.eig(x, left=True, right=False)[1])),
    ("scipy.linalg.eigvals with", SQUARE, lambda x: np.abs(scipy.linalg.eigvals(x, np.eye(2)))),
    (
        "scipy.linalg.eigh_tridiagonal of some",
        ROWS,
        lambda x: scipy.linalg.eigh_tridiagonal(x[0], x[0, 1:], True, "i", (0, 1)),
    ),
    ("scipy.linalg.lu of other than", ROWS, lambda x: scipy.linalg.lu(x)[2]),
    ("scipy.linalg.lu_factor of several", SQUARES, lambda x: scipy.linalg.lu_factor(x)[0]),
    (
        "scipy.linalg.lu_solve of several",
        SQUARES,
        lambda x: scipy.linalg.lu_solve((x, PIVOTS), x),
    ),
    (
        "scipy.linalg.cho_factor of several",
        SQUARES,
        lambda x: scipy.linalg.cho_solve((x, LOWER), x),
    ),
    ("scipy.linalg.solve_banded of several", SQUARES, lambda x: scipy.linalg.solve_banded((1, 0), x, x)),
    ("scipy.linalg.lstsq of several", SQUARES, lambda x: scipy.linalg.lstsq(x, x)[0]),
    ("scipy.linalg.toeplitz of several", ROWS, lambda x: scipy.linalg.toeplitz(x)),
    ("scipy.linalg.circulant of several", ROWS, lambda x: scipy.linalg.circulant(x)),
    (
        "scipy.linalg.eigvalsh_tridiagonal of several",
        ROWS,
        lambda x: tridiagonal(x, x[:, 1:]),
    ),
    ("scipy.linalg.qr(mode='r')", SQUARE, lambda x: scipy.linalg.qr(x, mode="r")[0]),
    ("mode='nearest', prefilter=False", ROWS, lambda x: nearest(x, prefilter=False)),
    ("map_coordinates with output=", ROWS, lambda x: nearest(x, output=np.float64)),
    ("map_coordinates(order=4", ROWS, lambda x: nearest(x, order=4)),
    ("spline_filter1d with output=", ROWS, lambda x: scipy.ndimage.spline_filter1d(x, output=np.float32)),
    ("on complex numbers", ROWS, lambda x: np.abs(scipy.ndimage.correlate1d(x * 1j, [1.0, 2.0]))),
    ("with output= or axes=", ROWS, lambda x: scipy.ndimage.correlate1d(x, [1.0, 2.0], output=float)),
]


HELPERS = "ctc", "unpooled", "nearest"


def ctc(x: np.ndarray, label: int) -> Any:
    log_probs = x.reshape(2, 1, 3)
    return F.ctc_loss(log_probs, np.array([[label]]), np.array([2]), np.array([1]))


def unpooled(x: np.ndarray, size: tuple[int, ...]) -> Any:
    return F.max_unpool1d(x, np.arange(6).reshape(1, 1, 6), 2, output_size=size)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("error, word, x, function", FUNCTIONS, ids=[case[1] for case in FUNCTIONS])
def test_what_the_function_refuses(
    error: type[Exception], word: str, x: np.ndarray, function: Program
) -> None:
    with pytest.raises(error) as raised:
        function(x)
    assert type(raised.value) is error and word in str(raised.value)
    refused(function, x, error)


@pytest.mark.parametrize("word, x, function", DERIVATIVES, ids=[case[0] for case in DERIVATIVES])
def test_what_has_no_rule(word: str, x: np.ndarray, function: Program) -> None:
    error = refused(function, x, ast_ad.UnsupportedError)
    assert word in error.construct + error.why  # the whole would show the case's own line


def refused(function: Program, x: np.ndarray, error: type[Exception]) -> Any:
    """What the derivative raises: an error that names a line of the function, or what the function raises."""
    with pytest.raises((ast_ad.UnsupportedError, error)) as caught:
        ast_ad.grad(lambda x: np.sum(function(x)), fallback="error")(x)
    if isinstance(caught.value, ast_ad.UnsupportedError):
        span, code = caught.value.span, function.__code__
        assert span is not None and span.filename == code.co_filename
        assert span.line in {line for _, _, line in code.co_lines()} or span.function in HELPERS
    return caught.value


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize(
    "word, function",
    [
        ("np.reshape(order='A')", lambda x: np.reshape(x, 6, order="A")),
        ("np.ravel(order='K')", lambda x: np.ravel(x, order="K")),
    ],
)
def test_what_has_no_rule_in_a_trace(word: str, function: Program) -> None:
    """The compiler knows such orders, or refuses them itself."""

    def traced(x: np.ndarray) -> Any:
        with threading.Lock():
            return np.sum(function(x))

    with pytest.raises(ast_ad.UnsupportedError) as caught:
        ast_ad.grad(traced)(ROWS)
    assert word in caught.value.construct


def test_what_compiled_code_does_not_write() -> None:
    """The compiler refuses these before, or never writes them."""
    with pytest.raises(ValueError, match="from 3 to 2"):
        containers.list_set_slice([1.0, 2.0, 3.0], 0, 2, None, [5.0])
    with pytest.raises(TypeError, match="a cotangent of list and one of float"):
        containers.list_add([1.0], 2.0)
    with pytest.raises(ValueError, match="has a rule already"):
        registry.alias(np.sin, np.cos)
    with pytest.raises(ValueError, match="reduce argument must be"):
        gather.scatter_reduce(ROWS, 0, INDEX, ROWS, "max")


def test_pieces_of_a_tensor_that_are_functions() -> None:
    x = ast_ad.tensor(ROWS, requires_grad=True)
    with pytest.raises(ast_ad.UnsupportedError, match="np.piecewise with functions"):
        np.piecewise(x, [x > 0.5], [lambda v: v * v, 0.0]).sum().backward()


@pytest.mark.parametrize("part", ["real", "imag"])
@pytest.mark.parametrize("view", [lambda t: t.unfold(0, 2, 1)[0], lambda t: t.expand(2, 4)[0]])
def test_parts_of_complex_tensors_in_views_that_show_elements_twice(
    view: Callable[[ast_ad.Tensor], ast_ad.Tensor], part: str
) -> None:
    x = ast_ad.tensor(np.array([1 + 1j, 2, 3, 4j]), requires_grad=True)
    whole = x * 1
    with pytest.raises(ast_ad.UnsupportedError, match="(?s)shows elements twice.*whole elements.*clone"):
        getattr(view(whole), part).mul_(2.0)
        whole.abs().sum().backward()


@pytest.mark.parametrize("added", [np.polyadd, np.polysub])
def test_sums_of_polynomials_that_are_stretched_matrices(added: Callable[..., np.ndarray]) -> None:
    def stretched(x: np.ndarray) -> float:
        return np.sum(added(x, np.ones((2, 3))) ** 2)

    for derivative in (ast_ad.grad(stretched), ast_ad.grad(stretched, fallback="error")):
        with (
            warnings.catch_warnings(),
            pytest.raises(ast_ad.UnsupportedError, match="matrix of coefficients"),
        ):
            warnings.simplefilter("ignore", ast_ad.FallbackWarning)
            derivative(np.ones((2, 1)))
    np.testing.assert_allclose(
        ast_ad.grad(stretched)(np.zeros((2, 3))), np.full((2, 3), 2.0 * added(0.0, 1.0))
    )
