"""How large are the results of pooling, and which sizes are refused? In PyTorch's words.

Sizes are tuples with a number per spatial axis, of which there are ``rank``, the last axes of a shape.
"""

from __future__ import annotations

from typing import Any

Numbers = tuple[int, ...]
WORDS = {1: "one", 2: "two", 3: "three"}


def each(name: str, what: str, given: Any, rank: int) -> Numbers:
    """A number for each axis."""
    if not isinstance(given, (tuple, list)):
        return (int(given),) * rank
    if len(given) == 1:
        return (int(given[0]),) * rank
    if len(given) != rank:
        ints = "ints" if rank > 1 else "int"
        raise RuntimeError(
            f"{name}{rank}d: {what} must either be a single int, or a tuple of {WORDS[rank]} {ints}"
        )
    return tuple(map(int, given))


def lengths(
    name: str, rank: int, kernel_size: Any, stride: Any, padding: Any, *dilation: Any
) -> tuple[Numbers, ...]:
    """The options with a number per axis; no stride is the kernel's size.

    >>> lengths("avg_pool", 2, 3, None, 1)
    ((3, 3), (3, 3), (1, 1))
    """
    taps = each(name, "kernel_size", kernel_size, rank)
    absent = stride is None or (isinstance(stride, (tuple, list)) and not stride)
    strides = taps if absent else each(name, "stride", stride, rank)
    rest = zip(("padding", "dilation"), (padding, *dilation), strict=False)
    return taps, strides, *(each(name, what, given, rank) for what, given in rest)


def pooled_size(n: int, taps: int, stride: int, pad: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows there are along an axis of length ``n``; none begins in the padding behind it.

    >>> pooled_size(6, 3, 2, 0, 1, False), pooled_size(6, 3, 2, 0, 1, True)
    (2, 3)
    """
    count = (n + 2 * pad - dilation * (taps - 1) - 1 + (stride - 1 if ceil_mode else 0)) // stride + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= n + pad else count


def pooled_sizes(
    shape: Any, taps: Numbers, stride: Numbers, pad: Numbers, dilation: Numbers, ceil_mode: bool, rank: int
) -> Numbers:
    """The sizes of the result.

    Raises:
        RuntimeError: there is no room for a window.
    """
    pixels = shape[len(shape) - rank :]
    options = zip(pixels, taps, stride, pad, dilation, strict=True)
    found = tuple(pooled_size(*o, ceil_mode) for o in options)
    if min(found) < 1:
        channels = shape[len(shape) - rank - 1]
        lead = "x1" if rank == 1 else ""
        before, after = ("x".join(map(str, sizes)) for sizes in (pixels, [max(n, 0) for n in found]))
        raise RuntimeError(
            f"Given input size: ({channels}{lead}x{before}). Calculated output size: "
            f"({channels}{lead}x{after}). Output size is too small"
        )
    return found


def check_rank(name: str, shape: Any, rank: int) -> None:
    """Refuse what is neither a sample nor a batch of samples, or has no elements in a sample."""
    shape = list(shape)
    fits = len(shape) in (rank + 1, rank + 2)
    if name == "max_pool" and rank == 1 and (not fits or 0 in shape[len(shape) - 2 :]):
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{shape}"
        )
    if not fits:
        if rank == 1:
            raise RuntimeError(
                f"Expected 2 to 3 dimensions, but got {len(shape)}-dimensional tensor for argument #1 'self' "
                f"(while checking arguments for {name}1d)"
            )
        raise RuntimeError(f"non-empty {rank + 1}D or {rank + 2}D (batch mode) tensor expected for input")
    if 0 in shape[len(shape) - rank - 1 :] and not name.startswith("adaptive"):
        if rank == 1:
            shape.insert(-1, 1)
        raise RuntimeError(
            f"Expected {max(rank, 2) + 1}D or {max(rank, 2) + 2}D (batch mode) tensor with optional 0 dim "
            f"batch size for input, but got:{shape}"
        )


def check_windows(taps: Numbers, stride: Numbers, padding: Numbers, dilation: Numbers) -> None:
    if min(stride) <= 0:
        raise RuntimeError("stride should not be zero")
    names = ("dilationT", "dilationH", "dilationW")[3 - len(taps) :]
    if min(taps) <= 0:
        names = ("kT", "kH", "kW")[3 - len(taps) :]
        shown = " ".join(f"{n}: {k}" for n, k in zip(names, taps, strict=True))
        raise RuntimeError(f"kernel size should be greater than zero, but got {shown}")
    if min(dilation) <= 0:
        shown = " ".join(f"{n}: {d}" for n, d in zip(names, dilation, strict=True))
        raise RuntimeError(f"dilation should be greater than zero, but got {shown}")
    for k, p, d in zip(taps, padding, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )


def check_maximum(
    shape: Any, taps: Numbers, stride: Numbers, padding: Numbers, dilation: Numbers, rank: int
) -> None:
    """Refuse what ``max_pool`` can't be computed of."""
    if rank > 1 and len(shape) in (rank + 1, rank + 2):
        check_windows(taps, stride, padding, dilation)
    check_rank("max_pool", shape, rank)
    options = (("kernel_size", taps), ("stride", stride), ("padding", (1,)), ("dilation", dilation))
    for what, given in options if rank == 1 else ():
        if what == "padding" and padding[0] < 0:
            raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding[0]}")
        if given[0] <= 0:
            raise RuntimeError(f"max_pool1d() {what} must be greater than zero, but got {given[0]}")
    if rank == 1 and padding[0] > taps[0] // 2:
        raise RuntimeError(
            "max_pool1d() padding should be at most half of kernel size, but got "
            f"padding={padding[0]} and kernel_size={taps[0]}"
        )
    if rank == 1:
        size = pooled_size(shape[-1], taps[0], stride[0], padding[0], dilation[0], False)
        if size < 1:
            raise RuntimeError(f"max_pool1d() Invalid computed output size: {size}")


def check_average(
    shape: Any, taps: Numbers, stride: Numbers, padding: Numbers, divisor: Any, rank: int
) -> None:
    """Refuse what ``avg_pool`` can't be computed of."""
    if rank == 2 and len(shape) < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{len(shape)}, {len(shape) - 1}], "
            "but got -3)"
        )
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    if len(shape) in (rank + 1, rank + 2):
        check_windows(taps, stride, padding, (1,) * rank)
    check_rank("avg_pool", shape, rank)


def check_adaptive(name: str, shape: Any, output_size: Any, rank: int) -> None:
    """Refuse what adaptive pooling can't be computed of."""
    shape, called = list(shape), f"{name}{rank}d"
    if isinstance(output_size, (tuple, list)) and len(output_size) not in (1, rank):
        if rank == 1:
            count = len(output_size)
            raise RuntimeError(f"{called}() argument 'output_size' should contain one int (got {count})")
        raise RuntimeError(f"{called}: output_size must be {rank}")
    wanted = output_size if isinstance(output_size, (tuple, list)) else (output_size,)
    if any(n is not None and n < 0 for n in wanted):
        raise RuntimeError(
            f"{called}: elements of output_size must be greater than or equal to 0 but received "
            f"{list(wanted)}"
        )
    if len(shape) not in (rank + 1, rank + 2):
        if rank == 1:
            check_rank(name, shape, rank)
        colon = ":" if "max" in name else ""
        raise RuntimeError(f"{called}(): Expected {rank + 1}D or {rank + 2}D tensor, but got{colon} {shape}")
    for i in range(len(shape) - rank - (rank == 3 or "max" in name), len(shape)):
        if not shape[i]:
            raise RuntimeError(
                f"{called}(): Expected input to have non-zero size for non-batch dimensions, but input has "
                f"sizes {shape} with dimension {i} being empty"
            )


def unpooled_sizes(
    shape: Any, kernel_size: Any, stride: Any, padding: Any, output_size: Any, rank: int
) -> Numbers:
    """The sizes of the result of ``max_unpool``.

    >>> unpooled_sizes((1, 2, 2), 2, None, 0, None, 2)
    (4, 4)
    """
    taps, stride, padding = lengths("max_unpool", rank, kernel_size, stride, padding)
    pixels = shape[len(shape) - rank :]
    default = tuple((n - 1) * s + k - 2 * p for n, s, k, p in zip(pixels, stride, taps, padding, strict=True))
    if output_size is None:
        return default
    asked = tuple(output_size)
    if len(asked) == rank + 2:
        asked = asked[2:]
    if len(asked) != rank:
        raise ValueError(
            f"output_size should be a sequence containing {rank} or {rank + 2} elements, but it has a length "
            f"of '{len(asked)}'"
        )
    low, high = (tuple(d + sign * s for d, s in zip(default, stride, strict=True)) for sign in (-1, 1))
    if any(not lo < n < hi for lo, n, hi in zip(low, asked, high, strict=True)):
        raise ValueError(f'invalid output_size "{asked}" (dim 0 must be between {low[0]} and {high[0]})')
    return asked
