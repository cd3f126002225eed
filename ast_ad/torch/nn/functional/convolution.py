"""How do tensors convolve? ``conv1d`` to ``conv3d`` and their transposes, each recorded as one operation."""

from __future__ import annotations

from typing import Any

from ....eager.checks import type_name
from ....eager.dispatch import Operation, apply
from ....eager.tensor import Tensor
from ....rules.networks import convolution as rules
from ....rules.networks.windows import check_rank, numbers
from .surface import functional

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]

SAVED = ("input", "weight", "bias")
CONVOLUTION = Operation(rules.convolution, "ConvolutionBackward0", SAVED, images=True)
TRANSPOSED = Operation(
    rules.transposed_convolution, "ConvolutionBackward0", (*SAVED, "", "", "output_padding"),
    keeps=("output_padding",), images=True,
)  # fmt: skip


def _convolved(op: Operation, rank: int, name: str, x: Any, w: Any, b: Any, *how: Any) -> Any:
    """Run the operation, after a check of what the tensors are; one image counts as a batch of one."""
    for place, t in enumerate((x, w)):
        if not isinstance(t, Tensor):
            raise TypeError(
                f"{name}() received an invalid combination of arguments: argument '{SAVED[place]}' must be "
                f"Tensor, not {type_name(t)}"
            )
    _check_types(x, w, b)
    check_rank(w._array, rank, name)
    if x._array.ndim == rank + 1:
        return apply(op, (x.unsqueeze(0), w, b, *how)).squeeze(0)
    if x._array.ndim != rank + 2:
        raise RuntimeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {name}, but got input of "
            f"size: {list(x._array.shape)}"
        )
    return apply(op, (x, w, b, *how))


def _check_types(x: Tensor, w: Tensor, b: Tensor | None) -> None:
    if x._array.dtype != w._array.dtype:
        raise RuntimeError(f"expected scalar type {_type_name(x)} but found {_type_name(w)}")
    if b is not None and b._array.dtype != x._array.dtype:
        types = f"Input type ({_type_name(x).lower()}) and bias type ({_type_name(b).lower()})"
        raise RuntimeError(f"{types} should be the same")


def _type_name(t: Tensor) -> str:
    from ....eager.dtypes import scalar_name

    return scalar_name(t._array.dtype)


@functional(rules.of_rank(rules.convolution, 1, "conv1d"))
def conv1d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """The convolution of sequences with kernels (a cross-correlation); see ``conv2d``.

    Shapes: ``(N, C, L), (O, C // groups, K), (O) -> (N, O, L_out)`` with
    ``L_out = (L + 2 * padding - dilation * (K - 1) - 1) // stride + 1``; ``N`` may be missing.

    >>> import ast_ad
    >>> conv1d(ast_ad.ones(1, 1, 4), ast_ad.ones(1, 1, 2))
    tensor([[[2., 2., 2.]]])
    """
    return _convolved(CONVOLUTION, 1, "conv1d", input, weight, bias, stride, padding, dilation, groups)


@functional(rules.of_rank(rules.convolution, 2, "conv2d"))
def conv2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """The convolution of images with kernels: at each place the sum of the pixels weighted by the kernel.

    Shapes: ``(N, C, H, W), (O, C // groups, KH, KW), (O) -> (N, O, H_out, W_out)`` with
    ``H_out = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1``, ``W_out`` likewise; ``N`` may be
    missing.

    Args:
        input: images, of shape (N, C, H, W), or one of shape (C, H, W): a tensor or an array.
        weight: kernels, of shape (O, C / groups, KH, KW).
        bias: a number to add for each kernel, of shape (O,).
        stride: by how many pixels the kernels move: a number, or one for each of the two axes.
        padding: zeros around the images, likewise; "valid": none; "same": as many as keep the size.
        dilation: how far apart the taps of a kernel are.
        groups: the channels are divided among so many groups of kernels.

    Raises:
        RuntimeError: shapes or dtypes that don't fit each other.

    >>> import ast_ad
    >>> conv2d(ast_ad.ones(1, 1, 3, 3), ast_ad.ones(1, 1, 3, 3), padding=1)
    tensor([[[[4., 6., 4.],
              [6., 9., 6.],
              [4., 6., 4.]]]])
    """
    return _convolved(CONVOLUTION, 2, "conv2d", input, weight, bias, stride, padding, dilation, groups)


@functional(rules.of_rank(rules.convolution, 3, "conv3d"))
def conv3d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """The convolution of volumes with kernels; see ``conv2d``.

    Shapes: ``(N, C, D, H, W), (O, C // groups, KD, KH, KW), (O) -> (N, O, D_out, H_out, W_out)`` with
    ``D_out = (D + 2 * padding - dilation * (KD - 1) - 1) // stride + 1``, ``H_out`` and ``W_out`` likewise;
    ``N`` may be missing.
    """
    return _convolved(CONVOLUTION, 3, "conv3d", input, weight, bias, stride, padding, dilation, groups)


@functional(rules.of_rank(rules.transposed_convolution, 1, "conv_transpose1d"))
def conv_transpose1d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """The transpose of ``conv1d``; see ``conv_transpose2d``.

    Shapes: ``(N, C, L), (C, O // groups, K), (O) -> (N, O, L_out)`` with
    ``L_out = (L - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1``; ``N`` may be
    missing.
    """
    return _transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@functional(rules.of_rank(rules.transposed_convolution, 2, "conv_transpose2d"))
def conv_transpose2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """The transposed convolution: each pixel adds the kernel, times its value, to a larger image.

    Shapes: ``(N, C, H, W), (C, O // groups, KH, KW), (O) -> (N, O, H_out, W_out)`` with
    ``H_out = (H - 1) * stride - 2 * padding + dilation * (KH - 1) + output_padding + 1``, ``W_out`` likewise;
    ``N`` may be missing.

    Args:
        input: images, of shape (N, C, H, W) or (C, H, W).
        weight: kernels, of shape (C, O / groups, KH, KW).
        bias: a number to add to each channel, of shape (O,).
        stride: how far apart the pixels' kernels are placed.
        padding: pixels cut off at each edge.
        output_padding: pixels added behind, less than ``stride`` or ``dilation``.

    Raises:
        RuntimeError: shapes or dtypes that don't fit each other.

    >>> import ast_ad
    >>> conv_transpose2d(ast_ad.ones(1, 1, 1, 2), ast_ad.ones(1, 1, 1, 2), stride=2)
    tensor([[[[1., 1., 1., 1.]]]])
    """
    return _transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


@functional(rules.of_rank(rules.transposed_convolution, 3, "conv_transpose3d"))
def conv_transpose3d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """The transpose of ``conv3d``; see ``conv_transpose2d``.

    Shapes: ``(N, C, D, H, W), (C, O // groups, KD, KH, KW), (O) -> (N, O, D_out, H_out, W_out)`` with
    ``D_out = (D - 1) * stride - 2 * padding + dilation * (KD - 1) + output_padding + 1``, ``H_out`` and
    ``W_out`` likewise; ``N`` may be missing.
    """
    return _transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def _transposed(
    rank: int, x: Any, w: Any, b: Any, stride: Any, padding: Any, more: Any, groups: int, dilation: Any
) -> Any:
    names = ("depth", "height", "width")[3 - rank :]
    strides, added, dilations = numbers(stride, rank), numbers(more, rank), numbers(dilation, rank)
    if any(n >= max(s, d) for n, s, d in zip(added, strides, dilations, strict=True)):
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, but got "
            + " ".join(
                f"{what}_{name}: {n}"
                for what, given in (("output_padding", added), ("stride", strides), ("dilation", dilations))
                for name, n in zip(names, given, strict=True)
            )
        )
    name = f"conv_transpose{rank}d"
    return _convolved(TRANSPOSED, rank, name, x, w, b, stride, padding, more, groups, dilation)
