"""Which options of an operation does its node show? ``_saved_dim``, ``_saved_self_sym_sizes`` and so on.

They are read off what the node keeps anyway; nothing is stored for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules.networks.convolution import transposed_convolution
from ..rules.networks.windows import numbers
from .saved import (
    FREED,
    FREED_BEFORE_HOOKS,
    HOOKED_BEFORE,
    NONE_FORBIDDEN,
    SavedTensor,
    SavedValue,
    check_hooks,
)
from .tensor import Tensor

Reader = Callable[[Any], Any]


def _arg(i: int, convert: Callable[[Any], Any] = lambda value: value) -> Reader:
    """The argument at place ``i`` of the call, 0 the first."""

    def read(node: Any) -> Any:
        if node.values is None:
            raise RuntimeError(FREED)
        return convert(node.values[i + 1])

    return read


def _as_tensor(found: Any) -> Any:
    return Tensor._of(found) if isinstance(found, np.ndarray) else found


def _option(name: str, default: Any = None, convert: Any = lambda value: value) -> Reader:
    return lambda node: convert(node.options.get(name, default))


def _size_of(i: int = 0) -> Reader:
    """The shape of the argument at place ``i``."""

    def read(node: Any) -> tuple[int, ...]:
        if i < len(node._edges) and node._edges[i][0] is not None:
            target, nr = node._edges[i]
            return tuple(target._meta_of(nr)[0])
        return tuple(_arg(i, np.shape)(node))

    return read


def _length_of(i: int, axis: int) -> Reader:
    return lambda node: _size_of(i)(node)[axis]


def _softmax_axis(node: Any) -> int:
    """The axis, by name or by position; the last one where it is left out."""
    if "axis" in node.options:
        return int(node.options["axis"])
    values: Any = node.values or ()
    return int(values[2]) if len(values) > 2 else max(len(node._meta_of(0)[0]) - 1, 0)


def _several(axis: Any) -> Any:
    return axis if axis is None or isinstance(axis, tuple) else (axis,)


def _place(subscript: tuple[Any, ...]) -> int:
    """The dimension that a subscript selects from: the first that it does not pass on whole."""
    for i, part in enumerate(subscript):
        if not (isinstance(part, slice) and part == slice(None)):
            return i
    return 0


def _of_slice(name: str, default: int) -> Reader:
    def read(subscript: tuple[Any, ...]) -> int:
        part = subscript[_place(subscript)]
        found = getattr(part, name) if isinstance(part, slice) else None
        return default if found is None else int(found)

    return _arg(1, read)


def _removed(node: Any) -> int:
    """The dimension of length 1 that is missing in the result."""
    before, after = _size_of()(node), node._meta_of(0)[0]
    return next((i for i, n in enumerate(before) if n == 1 and before[:i] + before[i + 1 :] == after), 0)


def _strides_of(i: int) -> Reader:
    """The strides of a factor at place ``i``, if it has a gradient.

    Raises:
        AttributeError: the factor is not kept, since only the other one's value is needed.
    """

    def read(node: Any) -> tuple[int, ...]:
        target, array = node._edges[i][0], _arg(i)(node)
        if target is None:
            return ()
        if isinstance(array, SavedValue):
            array = array.tensor(node)._array
        if array is None:
            array = getattr(getattr(target, "variable", None), "_array", None)
        if array is None:
            raise AttributeError(
                f"'{type(node).__name__}' object keeps no strides of a factor it does not need"
            )
        return tuple(n // array.itemsize for n in array.strides)

    return read


def _of_windows(place: int, default: int = 0) -> Reader:
    """An option of a convolution, a number for each axis."""

    def read(node: Any) -> tuple[int, ...]:
        rank = len(node._meta_of(0)[0]) - 2
        given = default if place < 0 else _arg(place)(node)
        if given == "valid":
            return (0,)
        if given == "same":
            taps = _size_of(1)(node)[2:]
            spaces = _of_windows(5)(node)
            return tuple(d * (n - 1) // 2 for d, n in zip(spaces, taps, strict=True))
        return numbers(given, rank)

    return read


def _is_transposed(node: Any) -> bool:
    return node.operation.fn is transposed_convolution


def _either(plain: Reader, transposed: Reader) -> Reader:
    return lambda node: transposed(node) if _is_transposed(node) else plain(node)


def _bias_sizes(node: Any) -> tuple[int, ...]:
    """The shape of the bias, ``(0,)`` if there is none."""
    return (node._meta_of(0)[0][1],) if len(node._edges) > 2 else (0,)


def _inverse_deviation(node: Any) -> Any:
    """One over the square root of a variance and ``eps``."""
    var, eps = _arg(4)(node), _arg(5 if "Batch" in type(node).__name__ else 6)(node)
    return _as_tensor(1 / np.sqrt(var + eps))


def _axis_of_gather(node: Any) -> int:
    return int(node.options["axis"]) if "axis" in node.options else int(_arg(1)(node))


def _moment_of_batch(read: Reader) -> Reader:
    """A moment of the batch; in evaluation there is none."""

    def moment(node: Any) -> Any:
        training = _shown("training")(node)
        return read(node) if training else _as_tensor(np.zeros(0, node._meta_of(0)[1]))

    return moment


def _indices(node: Any) -> tuple[Any, ...]:
    """The index tensors, None for a dimension that is passed on whole."""

    def shown(part: Any) -> Any:
        if isinstance(part, SavedValue):
            return part.tensor(node)
        return Tensor._of(part) if isinstance(part, np.ndarray) else None

    found: tuple[Any, ...] = _arg(1, lambda subscript: tuple(map(shown, subscript)))(node)
    return found


_SIZES = {"self_sym_sizes": _size_of()}
_DIM = {"dim": _option("axis"), "keepdim": _option("keepdims", False)}
_DIMS = {"dim": _option("axis", None, _several), "keepdim": _option("keepdims", False)}
_MOMENT = {**_DIMS, "correction": _option("ddof", 0)}
_ALONG = {"dim": _option("axis")}
_JOIN = {"dim": _arg(1)}
_SPLIT = {"dim": _arg(2), "split_size": _arg(1, lambda sizes: sizes[0]), **_SIZES}
_NUMEL = {"self_sym_numel": lambda node: math.prod(_size_of()(node))}
_BATCHES = {
    "batch1_sym_argsize_0": _length_of(1, 0),
    "batch1_sym_argsize_1": _length_of(1, 1),
    "batch2_sym_argsize_2": _length_of(2, 2),
}
_NUMBER = {"alpha": _option("alpha", 1), "beta": _option("beta", 1)}
_VALUE = {"value": _option("value", 1)}

OPTIONS: dict[str, dict[str, Reader]] = {
    "SumBackward0": _SIZES,
    "SumBackward1": {**_DIMS, **_SIZES},
    "MeanBackward0": {**_SIZES, **_NUMEL},
    "MeanBackward1": {**_DIMS, **_SIZES, **_NUMEL},
    "ProdBackward1": _DIM,
    "VarBackward0": _MOMENT,
    "StdBackward0": _MOMENT,
    "VarMeanBackward0": _MOMENT,
    "StdMeanBackward0": _MOMENT,
    **{f"{name}Backward0": {**_DIM, **_SIZES} for name in ("Max", "Min", "Kthvalue", "Mode", "Aminmax")},
    "MedianBackward1": {**_DIM, **_SIZES},
    "NanmedianBackward1": {**_DIM, **_SIZES},
    **{f"{name}Backward0": {**_ALONG, **_SIZES} for name in ("Sort", "Topk")},
    **{f"{name}Backward0": _DIMS for name in ("Amax", "Amin", "Logsumexp")},
    **{f"{name}Backward0": _ALONG for name in ("Cumsum", "Cumprod", "Logcumsumexp", "LinalgCross")},
    **{f"{name}Backward0": {"dim": _softmax_axis} for name in ("Softmax", "LogSoftmax")},
    "LinalgVectorNormBackward0": {**_DIMS, "ord": _option("p")},
    "SelectBackward0": {
        "dim": _arg(1, _place),
        "index": _arg(1, lambda subscript: int(subscript[_place(subscript)])),
        **_SIZES,
    },
    "SliceBackward0": {
        "dim": _arg(1, _place),
        "start": _of_slice("start", 0),
        "end": _of_slice("stop", 2**63 - 1),
        "step": _of_slice("step", 1),
        **_SIZES,
    },
    "IndexBackward0": {"indices": _indices, **_SIZES},
    **{
        f"{name}Backward0": _SIZES
        for name in ("View", "UnsafeView", "Expand", "Squeeze", "IndexSelect", "Trace")
    },
    "SqueezeBackward1": {"dim": _removed, **_SIZES},
    "UnsqueezeBackward0": {"dim": _arg(1, lambda subscript: subscript.index(None))},
    "TransposeBackward0": {"dim0": _arg(1), "dim1": _arg(2)},
    "PermuteBackward0": {"dims": _arg(1)},
    "DiagonalBackward0": {"offset": _arg(1), "dim1": _arg(2), "dim2": _arg(3), **_SIZES},
    "UnfoldBackward0": {"dimension": _arg(1), "size": _arg(2), "step": _arg(3), **_SIZES},
    "RepeatBackward0": {"repeats": _arg(1), **_SIZES},
    "CatBackward0": _JOIN,
    "StackBackward0": _JOIN,
    "UnbindBackward0": _JOIN,
    "SplitBackward0": _SPLIT,
    "FlipBackward0": {"dims": _arg(1)},
    "RollBackward0": {"shifts": _arg(1), "dims": _arg(2)},
    "TrilBackward0": {"diagonal": _arg(1)},
    "TriuBackward0": {"diagonal": _arg(1)},
    "AddBackward0": {"alpha": lambda node: 1},
    "SubBackward0": {"alpha": lambda node: 1},
    "LogitBackward0": {"eps": _option("eps")},
    "ThresholdBackward0": {"threshold": _option("limit")},
    "AddmmBackward0": {**_NUMBER, "mat1_sym_sizes": _size_of(1), "mat2_sym_sizes": _size_of(2)},
    "AddbmmBackward0": {**_NUMBER, **_BATCHES},
    "BaddbmmBackward0": _NUMBER,
    "MmBackward0": {
        "self_sym_sizes": _size_of(0),
        "mat2_sym_sizes": _size_of(1),
        "self_sym_strides": _strides_of(0),
        "mat2_sym_strides": _strides_of(1),
    },
    "ConvolutionBackward0": {
        "stride": _of_windows(3),
        "padding": _of_windows(4),
        "dilation": _either(_of_windows(5), _of_windows(7)),
        "output_padding": _either(_of_windows(-1), _of_windows(5)),
        "groups": _arg(6),
        "transposed": _is_transposed,
        "bias_sym_sizes_opt": _bias_sizes,
    },
    "NativeLayerNormBackward0": {
        "normalized_shape": _arg(5),
        "result1": _arg(3, _as_tensor),
        "result2": _inverse_deviation,
    },
    "NativeBatchNormBackward0": {
        "eps": _arg(5),
        "result1": _moment_of_batch(_arg(3, _as_tensor)),
        "result2": _moment_of_batch(_inverse_deviation),
    },
    "AddcmulBackward0": _VALUE,
    "AddcdivBackward0": _VALUE,
    "GatherBackward0": {"dim": _axis_of_gather, "sparse_grad": lambda node: False},
    "LinalgQrBackward0": {"mode": _option("mode")},
    "LinalgSvdBackward0": {"full_matrices": _option("full_matrices")},
    "LinalgCholeskyExBackward0": {"upper": _option("upper")},
    "LinalgSolveExBackward0": {"left": lambda node: True},
}


def options_of(node: Any) -> dict[str, Reader]:
    """The readers of a node's options, by name."""
    return {**OPTIONS.get(type(node).__name__, {}), **{name: _shown(name) for name in node.shown}}


def _shown(name: str) -> Reader:
    def read(node: Any) -> Any:
        if node.values is None:
            raise RuntimeError(FREED)
        found = node.shown[name]
        return _as_tensor(found() if callable(found) else found)

    return read


class SavedIndex(SavedTensor):
    """One of the index tensors that a node keeps; hooks may be set for it."""

    def __init__(self, node: Any, i: int) -> None:
        super().__init__(node, 2)
        self._item = i

    @property
    def data(self) -> Any:
        """The tensor as it is kept: packed, if there are hooks."""
        kept = self._node.values[2][self._item]
        return kept.packed if isinstance(kept, SavedValue) else self.unpack()

    def unpack(self) -> Any:
        """The index tensor, None for a dimension that is passed on whole."""
        return _indices(self._node)[self._item]

    def register_hooks(self, *hooks: Callable[[Any], Any]) -> None:
        """As ``SavedTensor.register_hooks``."""
        node = self._node
        check_hooks(self, hooks)
        if node.values is None:
            raise RuntimeError(FREED_BEFORE_HOOKS)
        if isinstance(node.values[2][self._item], SavedValue):
            raise RuntimeError(HOOKED_BEFORE)
        tensor = self.unpack()
        if tensor is None:
            raise RuntimeError(NONE_FORBIDDEN)
        kept = list(node.values[2])
        kept[self._item] = SavedValue(tensor, hooks, node)
        node.take_the_long_way()
        node.values[2], node.packed = tuple(kept), True


def raw_indices(node: Any) -> tuple[SavedIndex, ...]:
    """The index tensors as they are kept."""
    if node.values is None:
        raise RuntimeError(FREED)
    return tuple(SavedIndex(node, i) for i in range(len(node.values[2])))
