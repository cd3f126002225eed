"""What do functions stand for that lay out elements anew? Views, new shapes, and places that are gathered.

Part of the ``definitions``.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from typing import Any

import numpy as np

from ....rules.numpy import gather, indexing, joining, shapes
from ....rules.numpy.gather import refuse


def only(condition):
    """Refuse a call for which a condition does not hold: it is left to NumPy."""
    if not condition:
        refuse("this call")


def on_axis(n, axis, part):
    """The index of a part of one axis of ``n``."""
    return tuple([part if i == axis % n else slice(None) for i in range(n)])


def along_axis(n, axis):
    """The index by which a vector lies along one axis of ``n``, the others having length 1."""
    return tuple([slice(None) if i == axis else None for i in range(n)])


# ----- places
def positions(x):
    only(np.ndim(x) > 0)
    every = np.arange(np.size(x))
    return every if np.ndim(x) == 1 else np.reshape(every, np.shape(x))


def nowhere(x):
    only(np.ndim(x) > 0)
    return np.full(np.shape(x), -1)


def gathered(x, places):
    only(np.ndim(x) > 0)
    flat = x if np.ndim(x) == 1 else np.ravel(x)
    if np.ndim(places) == 0:
        return flat[max(int(places), 0)] if places >= 0 else x.dtype.type(0)
    return np.where(places < 0, 0, flat[np.maximum(places, 0)])


def scattered_to(x, places, g):
    only(np.ndim(x) > 0 and g.dtype.kind == "f")
    out = np.zeros(np.size(x), g.dtype)
    if np.ndim(places) == 0:
        if places >= 0:
            out[int(places)] += g
    else:
        np.add.at(out, np.maximum(places, 0), np.where(places < 0, 0, g))
    return out if np.ndim(x) == 1 else np.reshape(out, np.shape(x))


def take_along_axis(arr, indices, axis=-1):
    n = np.ndim(arr)
    only(isinstance(axis, int) and np.ndim(indices) == n)
    if n == 1:
        return arr[indices]
    lengths = np.shape(arr)
    places = [indices if i == axis % n else np.arange(lengths[i])[along_axis(n, i)] for i in range(n)]
    return arr[tuple(places)]


def chosen(condition, a, axis=None):
    only(np.ndim(condition) == 1 and np.ndim(a) == 1 and (axis is None or axis in (0, -1)))
    only(condition.dtype.kind == "b")
    return a[condition]


def argwhere(a):
    only(np.ndim(a) == 1)
    return np.flatnonzero(a)[:, None]


def isin(element, test_elements):
    tests = np.asarray(test_elements) if isinstance(test_elements, (list, tuple)) else test_elements
    only(np.ndim(element) > 0 and np.ndim(tests) == 1)
    return np.sum(element[..., None] == tests, axis=-1) > 0


def lexsort(keys):
    only(isinstance(keys, (list, tuple)) and len(keys) > 0 and all([np.ndim(key) == 1 for key in keys]))
    order = np.argsort(keys[0], kind="stable")
    for key in keys[1:]:
        assert len(key) == len(keys[0])
        order = order[np.argsort(key[order], kind="stable")]
    return order


# ----- elements repeated
def tile(A, reps):
    times = (reps,) if isinstance(reps, int) else tuple(reps)
    n = max(len(times), np.ndim(A))
    lead = n - np.ndim(A)
    times = (1,) * (n - len(times)) + times
    lengths = (1,) * lead + np.shape(A)
    spread = A[tuple([None if i < 2 * lead or i % 2 == 0 else slice(None) for i in range(2 * n)])]
    wide = [times[i // 2] if i % 2 == 0 else lengths[i // 2] for i in range(2 * n)]
    return np.reshape(np.broadcast_to(spread, wide), [times[i] * lengths[i] for i in range(n)])


def repeat(a, repeats, axis=None):
    only(isinstance(repeats, int) and np.ndim(a) > 0)
    if axis is None:
        a, axis = a if np.ndim(a) == 1 else np.ravel(a), 0
    n, lengths = np.ndim(a), np.shape(a)
    axis = axis % n
    spread = a[tuple([None if i == axis + 1 else slice(None) for i in range(n + 1)])]
    wide = [lengths[i] if i <= axis else repeats if i == axis + 1 else lengths[i - 1] for i in range(n + 1)]
    return np.reshape(
        np.broadcast_to(spread, wide), [lengths[i] * repeats if i == axis else lengths[i] for i in range(n)]
    )


def broadcast_arrays(*args):
    arrays = [x for x in args if np.ndim(x) > 0]
    only(len(arrays) == 1)
    return tuple([np.broadcast_to(x, np.shape(arrays[0])) for x in args])


def kron(a, b):
    n = np.ndim(a)
    only(n == np.ndim(b) and n > 0)
    first = a[tuple([slice(None) if i % 2 == 0 else None for i in range(2 * n)])]
    second = b[tuple([None if i % 2 == 0 else slice(None) for i in range(2 * n)])]
    return np.reshape(first * second, [np.shape(a)[i] * np.shape(b)[i] for i in range(n)])


# ----- meshes and triangles
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    n = len(xi)
    only(sparse is False and all([np.ndim(x) == 1 for x in xi]))
    order = [shapes.mesh_axis(i, n, indexing) for i in range(n)]
    lengths = [len(xi[order.index(k)]) for k in range(n)]
    return tuple([np.broadcast_to(xi[i][along_axis(n, order[i])], lengths) for i in range(n)])


def from_mesh(g, x, i, n, indexing):
    others = tuple([j for j in range(n) if j != shapes.mesh_axis(i, n, indexing)])
    return np.sum(g, axis=others) if others else g


def to_mesh(x, g, i, n, indexing):
    return np.broadcast_to(x[along_axis(n, shapes.mesh_axis(i, n, indexing))], np.shape(g))


def open_mesh(*args):
    arrays = [np.asarray(x) if isinstance(x, (list, tuple)) else x for x in args]
    only(all([np.ndim(x) == 1 and x.dtype.kind == "i" for x in arrays]))
    return tuple([arrays[i][along_axis(len(arrays), i)] for i in range(len(arrays))])


def triu_indices(n, k=0, m=None):
    return _triangle(n, n if m is None else m, k, True)


def tril_indices(n, k=0, m=None):
    return _triangle(n, n if m is None else m, k, False)


def triu_indices_from(arr, k=0):
    return _triangle(len(arr), np.shape(arr)[1], k, True)


def tril_indices_from(arr, k=0):
    return _triangle(len(arr), np.shape(arr)[1], k, False)


def _triangle(n, m, k, upper):
    count = 0
    for i in range(n):
        inside = min(max(i + k + (0 if upper else 1), 0), m)
        count += m - inside if upper else inside
    rows, columns = np.empty(count, int), np.empty(count, int)
    place = 0
    for i in range(n):
        inside = min(max(i + k + (0 if upper else 1), 0), m)
        for j in range(inside if upper else 0, m if upper else inside):
            rows[place] = i
            columns[place] = j
            place += 1
    return rows, columns


def diag_indices(n, ndim=2):
    return tuple([np.arange(n) for _ in range(ndim)])


# ----- one of several
def select(condlist, choicelist, default=0):
    only(len(condlist) == len(choicelist) and len(condlist) > 0)
    out = default
    for i in range(len(condlist)):
        out = np.where(condlist[-1 - i], choicelist[-1 - i], out)
    return out


def choose(a, choices, mode="raise"):
    only(mode == "raise" and np.ndim(a) > 0)
    if isinstance(choices, np.ndarray):
        only(np.ndim(choices) == 1)
        assert np.min(a) >= 0
        return choices[a]
    assert np.min(a) >= 0
    assert np.max(a) < len(choices)
    out = choices[-1]
    for i in range(len(choices) - 2, -1, -1):
        out = np.where(a == i, choices[i], out)
    return out


def chosen_parts(g, which, choices):
    only(isinstance(choices, (list, tuple)))
    return [_unbroadcast(np.where(which == i, g, 0), choices[i]) for i in range(len(choices))]


def _unbroadcast(g, x):
    from ....rules.helpers import unbroadcast

    return unbroadcast(g, x)


# ----- cut and joined
def array_split(ary, indices_or_sections, axis=0):
    n = np.ndim(ary)
    length = np.shape(ary)[axis]
    if isinstance(indices_or_sections, (list, tuple)):
        cuts = [0, *indices_or_sections]
        ends = [*indices_or_sections, None]
        return [ary[on_axis(n, axis, slice(cuts[i], ends[i]))] for i in range(len(cuts))]
    only(isinstance(indices_or_sections, int))
    count = indices_or_sections
    each, more = length // count, length % count
    starts = [i * each + min(i, more) for i in range(count + 1)]
    return [ary[on_axis(n, axis, slice(starts[i], starts[i + 1]))] for i in range(count)]


def split(ary, indices_or_sections, axis=0):
    if isinstance(indices_or_sections, int):
        assert np.shape(ary)[axis] % indices_or_sections == 0
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0 if np.ndim(ary) == 1 else 1)


def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 2)


def unsplit(parts, x, indices_or_sections, axis=0):
    n = np.ndim(x)
    if isinstance(indices_or_sections, (list, tuple)):
        only(all([isinstance(i, int) and i >= 0 for i in indices_or_sections]))
        before = [0, *indices_or_sections]
        only(all([before[i] <= before[i + 1] for i in range(len(before) - 1)]))
    out, start = np.zeros(np.shape(x), parts[0].dtype), 0
    for part in parts:
        only(np.ndim(part) == n)
        stop = start + np.shape(part)[axis]
        out[on_axis(n, axis, slice(start, stop))] = part
        start = stop
    assert start == np.shape(x)[axis]
    return out


def delete(arr, obj, axis=None):
    only(np.ndim(arr) == 1 and isinstance(obj, int))
    n = len(arr)
    assert -n <= obj < n
    place = obj + n if obj < 0 else obj
    return np.concatenate([arr[:place], arr[place + 1 :]])


def at_least(n, x):
    """With axes of length 1 as ``np.atleast_2d`` and ``np.atleast_3d`` have them."""
    if np.ndim(x) >= n:
        return x
    only(np.ndim(x) > 0)
    if n == 2:
        return x[None]
    return x[None, :, None] if np.ndim(x) == 1 else x[:, :, None]


def atleast_1d(*arys):
    only(len(arys) == 1)
    return at_least(1, arys[0])


def atleast_2d(*arys):
    only(len(arys) == 1)
    return at_least(2, arys[0])


def atleast_3d(*arys):
    only(len(arys) == 1)
    return at_least(3, arys[0])


def dstack(tup):
    return np.concatenate([at_least(3, x) for x in tup], 2)


def block(arrays):
    if any([isinstance(row, (list, tuple)) for row in arrays]):
        only(all([isinstance(row, (list, tuple)) for row in arrays]))
        only(all([np.ndim(x) == 2 for row in arrays for x in row]))
        return np.concatenate([np.concatenate(list(row), 1) for row in arrays], 0)
    only(all([np.ndim(x) == 1 for x in arrays]))
    return np.concatenate(list(arrays), 0)


def unblocked(g, arrays):
    found, start = [], 0
    if np.ndim(g) == 1:
        for x in arrays:
            only(not isinstance(x, (list, tuple)))
            found.append(g[start : start + len(x)])
            start = start + len(x)
        return found
    for row in arrays:
        only(isinstance(row, (list, tuple)))
        inner, left = [], 0
        height = np.shape(row[0])[0]
        for x in row:
            only(np.ndim(x) == 2)
            inner.append(g[start : start + height, left : left + np.shape(x)[1]])
            left = left + np.shape(x)[1]
        found.append(tuple(inner))
        start = start + height
    return found


# ----- axes
def moveaxis(a, source, destination):
    n = np.ndim(a)
    sources = [source] if isinstance(source, int) else list(source)
    targets = [destination] if isinstance(destination, int) else list(destination)
    only(len(sources) == len(targets))
    sources, targets = [i % n for i in sources], [i % n for i in targets]
    rest = [i for i in range(n) if i not in sources]
    kept = [i for i in range(n) if i not in targets]
    order = [sources[targets.index(i)] if i in targets else rest[kept.index(i)] for i in range(n)]
    return np.transpose(a, order)


def rollaxis(a, axis, start=0):
    n = np.ndim(a)
    axis, start = axis % n, start + n if start < 0 else start
    return moveaxis(a, axis, start - 1 if axis < start else start)


def unrolledaxis(g, axis, start=0):
    n = np.ndim(g)
    axis, start = axis % n, start + n if start < 0 else start
    return moveaxis(g, start - 1 if axis < start else start, axis)


def untransposed(g, axes):
    order = [i % np.ndim(g) for i in axes]
    return np.transpose(g, [order.index(i) for i in range(len(order))])


def rot90(m, k=1, axes=(0, 1)):
    n = np.ndim(m)
    only(isinstance(k, int))
    first, second = axes[0] % n, axes[1] % n
    order = [second if i == first else first if i == second else i for i in range(n)]
    if k % 4 == 0:
        return m[...]
    if k % 4 == 2:
        return np.flip(m, (first, second))
    if k % 4 == 1:
        return np.transpose(np.flip(m, second), order)
    return np.flip(np.transpose(m, order), second)


DEFINITIONS: dict[Any, Any] = {
    gather.positions: positions,
    gather.nowhere: nowhere,
    gather.gather: gathered,
    gather.scatter_to: scattered_to,
    np.take_along_axis: take_along_axis,
    np.compress: chosen,
    np.extract: chosen,
    np.argwhere: argwhere,
    np.isin: isin,
    np.lexsort: lexsort,
    np.tile: tile,
    np.repeat: repeat,
    np.kron: kron,
    np.broadcast_arrays: broadcast_arrays,
    np.meshgrid: meshgrid,
    shapes.from_mesh: from_mesh,
    shapes.to_mesh: to_mesh,
    np.ix_: open_mesh,
    np.triu_indices: triu_indices,
    np.tril_indices: tril_indices,
    np.triu_indices_from: triu_indices_from,
    np.tril_indices_from: tril_indices_from,
    np.diag_indices: diag_indices,
    np.select: select,
    np.choose: choose,
    indexing.chosen_parts: chosen_parts,
    np.array_split: array_split,
    np.split: split,
    np.hsplit: hsplit,
    np.vsplit: vsplit,
    np.dsplit: dsplit,
    joining.unsplit: unsplit,
    np.delete: delete,
    np.atleast_1d: atleast_1d,
    np.atleast_2d: atleast_2d,
    np.atleast_3d: atleast_3d,
    np.dstack: dstack,
    np.block: block,
    joining.unblocked: unblocked,
    np.moveaxis: moveaxis,
    np.rollaxis: rollaxis,
    shapes.unrolledaxis: unrolledaxis,
    shapes.untransposed: untransposed,
    np.rot90: rot90,
}
