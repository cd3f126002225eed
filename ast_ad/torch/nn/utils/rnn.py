"""How do sequences of different lengths share a batch? Padded, or packed step by step."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ....eager.dispatch import apply
from ....eager.dtypes import NAMESPACE
from ....eager.operations.creation import as_tensor, full
from ....eager.table import Operation
from ....eager.tensor import Tensor
from ....rules.registry import lookup

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

NOT_SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
    "do not need ONNX exportability."
)


class _Fields(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(_Fields):
    """Sequences of a batch, step by step: all first elements, then all second ones, and so on.

    Attributes:
        data: the elements, one after the other.
        batch_sizes: how many sequences have an element at each step.
        sorted_indices: the order of the sequences, by decreasing length; None if they were in it.
        unsorted_indices: the inverse of that permutation.

    Made by ``pack_sequence`` and ``pack_padded_sequence``; recurrent modules take it as input.
    """

    __slots__ = ()

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> Any:
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return _Fields.__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({fields})"

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """The sequences with their data converted as ``Tensor.to`` does; itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def cpu(self, *args: Any, **kwargs: Any) -> Any:
        return self

    def pin_memory(self) -> Any:
        return self

    @property
    def is_cuda(self) -> bool:
        return False

    def is_pinned(self) -> bool:
        return False


def _converter(name: str) -> Any:
    def convert(self: PackedSequence) -> Any:
        return self.to(dtype=NAMESPACE[name])

    convert.__name__, convert.__doc__ = name, f"The sequences with their data in the dtype {name}."
    return convert


_NAMED = {"char": "int8", "byte": "uint8"}
for _name in ("double", "float", "half", "long", "int", "short", "char", "byte"):
    setattr(PackedSequence, _name, _converter(_NAMED.get(_name, _name)))


def invert_permutation(permutation: Any) -> Any:
    """The permutation that undoes another; None of None.

    >>> import ast_ad
    >>> invert_permutation(ast_ad.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    return None if permutation is None else Tensor._of(np.argsort(permutation._array, kind="stable"))


# ----- packing


@functools.cache
def _pack_operation() -> Operation:
    """``x[steps, columns]``, under the name of PyTorch's operation."""
    primitive = lookup(operator.getitem)
    assert primitive is not None
    return Operation(operator.getitem, "PackPaddedSequenceBackward0", ("input",), rule=primitive.rule)


def _check_lengths(lengths: np.ndarray, steps: int, batch: int) -> None:
    if lengths.ndim != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.ndim}D cpu Long tensor"
        )
    if len(lengths) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={batch})"
        )
    if (np.diff(lengths) > 0).any():
        raise RuntimeError(NOT_SORTED)
    if (lengths <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if lengths.max() > steps:
        raise RuntimeError(f"a sequence can't be longer than the input: {lengths.max()} > {steps}")


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences that are padded to one length.

    Args:
        input: of shape (steps, batch, ...), or (batch, steps, ...) if ``batch_first``.
        lengths: of the sequences; a list or a tensor of integers.
        batch_first: which of the two comes first.
        enforce_sorted: whether the lengths must decrease; otherwise the sequences are sorted.

    Raises:
        RuntimeError: lengths that are not sorted, not positive, too many or few, or too long.

    >>> import ast_ad
    >>> padded = ast_ad.tensor([[1, 2, 3], [4, 5, 0]])
    >>> pack_padded_sequence(padded, [3, 2], batch_first=True).data
    tensor([1, 4, 2, 5, 3])
    """
    lengths = as_tensor(lengths, dtype=NAMESPACE["int64"])
    order = None
    if not enforce_sorted:
        lengths, order = lengths.sort(descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    x = input._array
    if x.size == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    batch, steps = x.shape[:2] if batch_first else x.shape[1::-1]
    _check_lengths(lengths._array, steps, batch)
    at, sequence = np.nonzero(np.arange(lengths._array.max())[:, None] < lengths._array)
    places = (sequence, at) if batch_first else (at, sequence)
    packed: PackedSequence = PackedSequence(
        apply(_pack_operation(), (input, places)), Tensor._of(np.bincount(at)), order
    )
    return packed


def pack_sequence(sequences: Sequence[Any], enforce_sorted: bool = True) -> PackedSequence:
    """Pack tensors of different lengths, each of shape (length, ...).

    >>> import ast_ad
    >>> pack_sequence([ast_ad.tensor([1, 2, 3]), ast_ad.tensor([4, 5])]).batch_sizes
    tensor([2, 2, 1])
    """
    lengths = [s.size(0) for s in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


# ----- padding


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Any, Any]:
    """The inverse of ``pack_padded_sequence``.

    Args:
        sequence: what was packed.
        batch_first: whether the result has shape (batch, steps, ...) or (steps, batch, ...).
        padding_value: fills the rest.
        total_length: the number of steps; that of the longest sequence by default.

    Returns:
        The padded tensor, and the lengths of the sequences.

    Raises:
        ValueError: ``total_length`` is too short.
    """
    sizes = sequence.batch_sizes._array
    steps = len(sizes)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    padded = sequence.data.new_full((steps, int(sizes[0]), *sequence.data.shape[1:]), padding_value)
    starts = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(sizes)]
    offset = 0
    for start, end in zip(starts, starts[1:], strict=False):  # steps with equally many sequences
        n, span = int(sizes[start]), end - start
        part = sequence.data[offset : offset + n * span].view(span, n, *sequence.data.shape[1:])
        padded[start:end, :n].copy_(part)
        offset += n * span
    lengths = Tensor._of((sizes[:, None] > np.arange(sizes[0])).sum(0))
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is None:
        return padded, lengths
    order = sequence.unsorted_indices
    return padded.index_select(0 if batch_first else 1, order), lengths[order]


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Stack tensors of shape (length, ...) along a new dimension, padded to the longest.

    Args:
        sequences: the tensors; of one shape but for the first dimension.
        batch_first: whether the result has shape (batch, steps, ...) or (steps, batch, ...).
        padding_value: fills the rest.
        padding_side: where it goes, "right" or "left".

    >>> import ast_ad
    >>> pad_sequence([ast_ad.ones(3), ast_ad.ones(2)], batch_first=True)
    tensor([[1., 1., 1.],
            [1., 1., 0.]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    found = tuple(sequences)
    if not found:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if any(s.ndim == 0 for s in found):
        raise RuntimeError("pad_sequence: the sequences must have at least one dimension")
    longest, rest = max(s.size(0) for s in found), found[0].shape[1:]
    shape = (len(found), longest, *rest) if batch_first else (longest, len(found), *rest)
    padded = full(shape, padding_value, dtype=found[0].dtype)
    for i, s in enumerate(found):
        n = s.size(0)
        where = slice(longest - n, longest) if padding_side == "left" else slice(0, n)
        (padded[i, where] if batch_first else padded[where, i]).copy_(s)
    return padded


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The inverse of ``pad_sequence``: a list of tensors of the given lengths."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    steps = Tensor._of(np.arange(rows.shape[1]))
    return [row[steps < n] for row, n in zip(rows, lengths, strict=True)]


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """The inverse of ``pack_sequence``: a list of tensors."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
