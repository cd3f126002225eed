"""What is the text of a tensor?

PyTorch's, character for character. The elements that will be shown decide on one number format for all of
them (``_Column``); the rows are then laid out to the line width (``_layout``), and what else is to be said
(dtype, ``requires_grad``, ``grad_fn``) follows the numbers (``_with_suffixes``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from ast_ad.eager.dtypes import bool_, dtype_of, get_default_dtype, int64

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(slots=True, frozen=True)
class PrintOptions:
    """How tensors are printed; the arguments of ``set_printoptions``."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed from now on.

    Args:
        precision: digits after the point.
        threshold: with more elements than this, only the edges are shown.
        edgeitems: how many elements are shown at each edge then.
        linewidth: characters in a line.
        profile: 'default', 'short' or 'full', which the other arguments adapt.
        sci_mode: whether to use scientific notation; None, and so if not given, leaves it to the numbers.
    """
    global _options
    changes = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    base = _options
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"profile must be one of {', '.join(_PROFILES)}, not {profile!r}")
        base = _PROFILES[profile]
    given: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    _options = replace(base, **given, sci_mode=sci_mode)


def get_printoptions() -> dict[str, Any]:
    """The present options, as keyword arguments for ``set_printoptions``."""
    return asdict(_options)


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """``set_printoptions(**kwargs)`` for the body of a ``with`` block."""
    global _options
    before = _options
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        _options = before


def tensor_text(
    array: Array,
    *,
    requires_grad: bool = False,
    grad_fn: str | None = None,
    extra: Sequence[str] = (),
    prefix: str = "tensor(",
    indent: int = 0,
) -> str:
    """The text of a tensor.

    Args:
        array: its elements.
        requires_grad: whether it is a leaf that requires a gradient.
        grad_fn: the class name of its node, if it has one.
        extra: further suffixes, put last (``"tangent=..."``).
        prefix: what the text begins with: the class's name and a parenthesis.
        indent: the column in which the text begins; the first line is not indented by it.

    Errors:
        TypeError for elements that tensors do not have.

    >>> print(tensor_text(np.array([1.0, 2.5]), requires_grad=True))
    tensor([1.0000, 2.5000], dtype=torch.float64, requires_grad=True)
    """
    suffixes = _described(array)
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    suffixes += extra
    column = indent + len(prefix)
    text = " " * indent + prefix + (_numbers(array, column) if array.size else "[]")
    return _with_suffixes(text, suffixes, column)[indent:]


def _described(array: Array) -> list[str]:
    """What the numbers don't tell: the size of an empty tensor, a dtype that is not a default."""
    dtype = dtype_of(array.dtype)
    default = get_default_dtype()
    suffixes = []
    unsaid = {default}
    if array.size:
        unsaid |= {int64, bool_, default.to_complex()}
    if array.ndim != 1 if not array.size else not _options.edgeitems:
        suffixes.append(f"size={array.shape}")
    if dtype not in unsaid:
        suffixes.append(f"dtype={dtype!r}")
    return suffixes


def _with_suffixes(text: str, suffixes: Sequence[str], column: int) -> str:
    """The text with its suffixes, each on a line of its own if the last line would become too long."""
    length = len(text) - text.rfind("\n") + 1  # as PyTorch counts: two more than there are
    for suffix in suffixes:
        if length + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * column
            length = column
        else:
            text += ", "
            length += 2
        text += suffix
        length += len(suffix)
    return text + ")"


# ---- the numbers ----------------------------------------------------------------------------------------


def _numbers(array: Array, column: int) -> str:
    edge = _options.edgeitems
    cut = [False] * array.ndim
    if array.size > _options.threshold:
        cut = [length > 2 * edge for length in array.shape]
        array = _corners(array, cut, edge)
    element = _Complex(array) if array.dtype.kind == "c" else _column(array)
    return _layout(array, cut, column, element)


def _corners(array: Array, cut: list[bool], edge: int) -> Array:
    """Only what is shown of an array: the first and last ``edge`` along every axis that is cut."""
    kept = [
        np.r_[:edge, length - edge : length] if is_cut else np.arange(length)
        for length, is_cut in zip(array.shape, cut, strict=True)
    ]
    shown: Array = array[np.ix_(*kept)]
    return shown


def _layout(array: Array, cut: list[bool], column: int, element: _Column | _Complex) -> str:
    """The array's text in brackets, beginning in ``column``."""
    if array.ndim == 0:
        return element.text(array.item())
    edge = _options.edgeitems
    if array.ndim == 1:
        texts = [element.text(value) for value in array.tolist()]
        if cut[0]:
            texts.insert(edge, " ..." if edge else "...")
        per_line = max(1, (_options.linewidth - column) // (element.width + 2))
        lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
        return "[" + (",\n" + " " * (column + 1)).join(lines) + "]"
    blocks = [_layout(each, cut[1:], column + 1, element) for each in array]
    if cut[0]:
        blocks.insert(edge, "...")
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (column + 1)).join(blocks) + "]"


def _column(array: Array) -> _Column:
    if array.dtype.kind == "f":
        return _Floats(array)
    return _Column(max((len(str(value)) for value in array.ravel().tolist()), default=0))


class _Column:
    """The common format of some elements, here of ints or bools: how each is written, to a common width."""

    def __init__(self, width: int) -> None:
        self.width = max(1, width)

    def text(self, value: Any) -> str:
        return str(value).rjust(self.width)


class _Floats(_Column):
    """The format of floats: plain, whole (``2.``) or scientific, as the finite numbers but 0 demand.

    The width is theirs too: nan, inf and 0 may be wider, and are then not aligned.
    """

    def __init__(self, array: Array) -> None:
        values = array.ravel().astype(np.float64)
        values = values[np.isfinite(values) & (values != 0)]
        self.whole = bool(np.all(values == np.ceil(values)))
        forced = _options.sci_mode if values.size else None
        self.scientific = _is_scientific(values, self.whole) if forced is None else forced
        super().__init__(max((len(self.number(value)) for value in values.tolist()), default=0))

    def number(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{_options.precision}e}"
        if self.whole:
            return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
        return f"{value:.{_options.precision}f}"

    def text(self, value: Any) -> str:
        return self.number(value).rjust(self.width)


def _is_scientific(values: Array, whole: bool) -> bool:
    """Whether plain digits would hide too much: a wide range, or numbers too large or too small."""
    if not values.size:
        return False
    sizes = np.abs(values)
    largest, smallest = float(sizes.max()), float(sizes.min())
    return largest / smallest > 1000.0 or largest > 1.0e8 or (not whole and smallest < 1.0e-4)


class _Complex:
    """The format of complex numbers: one for the real parts, one for the imaginary."""

    def __init__(self, array: Array) -> None:
        self.real, self.imaginary = _Floats(array.real), _Floats(array.imag)
        self.width = self.real.width + self.imaginary.width + 1

    def text(self, value: complex) -> str:
        imaginary = self.imaginary.text(value.imag).lstrip()
        sign = "" if imaginary.startswith("-") else "+"
        return f"{self.real.text(value.real)}{sign}{imaginary}j"
