"""What do margins of arrays stand for in kernels? Slices that are written from others.

As in ``definitions``: the parameters are those for which it holds, what it is not meant for it refuses.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from ....rules.numpy import margins as rule
from ....rules.numpy.gather import refuse


def margins(n, pad_width):
    """How much is put before and behind each of ``n`` axes, as far as that is written out."""
    if isinstance(pad_width, int):
        return [(pad_width, pad_width)] * n
    if not isinstance(pad_width, (tuple, list)) or len(pad_width) == 0:
        refuse("this call")
    if len(pad_width) == 2 and all([isinstance(width, int) for width in pad_width]):
        return [(pad_width[0], pad_width[1])] * n
    if len(pad_width) not in (1, n) or not all([isinstance(pair, (tuple, list)) for pair in pad_width]):
        refuse("this call")
    pairs = [(pair[0], pair[-1]) for pair in pad_width]
    return pairs * n if len(pairs) == 1 else pairs


def along(n, axis, part, others):
    """The index of a part of one axis; the axes behind it keep to what is there already."""
    return tuple([part if i == axis else slice(None) if i < axis else others[i] for i in range(n)])


def pad(array, pad_width, mode="constant", constant_values=0):
    n = np.ndim(array)
    if array.dtype.kind != "f" or np.ndim(constant_values) != 0:
        refuse("this call")
    sides, lengths = margins(n, pad_width), np.shape(array)
    shape = [lengths[i] + sides[i][0] + sides[i][1] for i in range(n)]
    inner = [slice(sides[i][0], sides[i][0] + lengths[i]) for i in range(n)]
    if mode == "constant":
        out = np.full(shape, constant_values, array.dtype)
        out[tuple(inner)] = array
        return out
    if mode not in rule.MODES:
        refuse("this call")
    out = np.empty(shape, array.dtype)
    out[tuple(inner)] = array
    for axis in range(n):
        before, behind = sides[axis]
        end = before + lengths[axis]
        assert mode == "edge" or before <= lengths[axis] - int(mode == "reflect") >= behind
        assert lengths[axis] > 0 or before + behind == 0  # nothing is there that could be repeated
        turned = mode == "reflect" or mode == "symmetric"
        if before > 0:
            source = out[along(n, axis, source_before(mode, before, end), inner)]
            out[along(n, axis, slice(None, before), inner)] = np.flip(source, axis) if turned else source
        if behind > 0:
            source = out[along(n, axis, source_behind(mode, before, behind, end), inner)]
            out[along(n, axis, slice(end, None), inner)] = np.flip(source, axis) if turned else source
    return out


def source_before(mode, before, end):
    """What the margin before an axis repeats; the array lies between ``before`` and ``end``."""
    if mode == "edge":
        return slice(before, before + 1)
    if mode == "wrap":
        return slice(end - before, end)
    first = before + int(mode == "reflect")
    return slice(first, first + before)


def source_behind(mode, before, behind, end):
    """What the margin behind an axis repeats."""
    if mode == "edge":
        return slice(end - 1, end)
    if mode == "wrap":
        return slice(before, before + behind)
    last = end - int(mode == "reflect")
    return slice(last - behind, last)


def unpadded(g, x, pad_width):
    n = np.ndim(x)
    sides, lengths = margins(n, pad_width), np.shape(x)
    return g[tuple([slice(sides[i][0], sides[i][0] + lengths[i]) for i in range(n)])]


def folded(g, x, pad_width, mode):
    n = np.ndim(x)
    sides, lengths = margins(n, pad_width), np.shape(x)
    whole = [slice(None)] * n
    for axis in range(n):
        before, behind = sides[axis]
        length = lengths[axis]
        end, skipped = before + length, int(mode == "reflect")
        assert mode == "edge" or before <= length - skipped >= behind
        out = np.copy(g[along(n, axis, slice(before, end), whole)])
        first = g[along(n, axis, slice(None, before), whole)]
        last = g[along(n, axis, slice(end, None), whole)]
        if mode == "edge":
            out[along(n, axis, slice(None, 1), whole)] += np.sum(first, axis=axis, keepdims=True)
            out[along(n, axis, slice(length - 1, None), whole)] += np.sum(last, axis=axis, keepdims=True)
        elif mode == "wrap":
            out[along(n, axis, slice(length - before, None), whole)] += first
            out[along(n, axis, slice(None, behind), whole)] += last
        else:
            stop = length - skipped
            out[along(n, axis, slice(skipped, skipped + before), whole)] += np.flip(first, axis)
            out[along(n, axis, slice(stop - behind, stop), whole)] += np.flip(last, axis)
        g = out
    return g


DEFINITIONS = {np.pad: pad, rule.unpadded: unpadded, rule.folded: folded}
