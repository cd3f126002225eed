"""Where do conversions between SciPy's sparse formats put each stored number, and which do they add up?

The functions of ``scipy.sparse`` that do it are compiled. Where one moves numbers it is run on their places
in place of them, and tells so where each has come from; what it adds up is added by the indices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import _sparsetools
from scipy.sparse._bsr import _bsr_base
from scipy.sparse._compressed import _cs_matrix

from ..helpers import add_at
from ..numpy.gather import refuse
from ..standing import stands_for


def stored(a: Any) -> Any:
    """The rows, the columns and the numbers of what a matrix stores."""
    if a.format == "csr":
        return majors(a.indptr), a.indices, a.data
    if a.format == "csc":
        return a.indices, majors(a.indptr), a.data
    if a.format == "coo":
        return a.coords[0], a.coords[1], a.data
    if a.format in ("dia", "bsr"):
        return stored(a.tocsr())
    return refuse(f"a sparse matrix in the format {a.format}", "its places are not read", "use tocsr()")


def majors(starts: Any) -> Any:
    """The row, of a matrix stored by rows, in which each stored number is.

    >>> majors(np.array([0, 2, 2, 3]))
    array([0, 0, 2])
    """
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def places(count: Any) -> Any:
    """Numbers that tell where they have come from: none is 0, which some conversions leave out."""
    return np.arange(1.0, count + 1.0)


def taken(numbers: Any, moved: Any) -> Any:
    """The numbers whose places have been moved."""
    return numbers[np.asarray(moved, int) - 1]


# ----- numbers moved


def tool(name: str) -> Any:
    """A compiled function, or None in versions of SciPy that have none of this name."""
    return getattr(_sparsetools, name, None)


def in_place_of(name: str) -> Any:
    """The same as ``stands_for``, where there is such a function."""
    return stands_for(tool(name)) if tool(name) is not None else lambda program: program


bsr_tocsr, bsr_transpose, dia_matmat = tool("bsr_tocsr"), tool("bsr_transpose"), tool("dia_matmat")
coo_tocsr, csr_tocsc, dia_tocsr = tool("coo_tocsr"), tool("csr_tocsc"), tool("dia_tocsr")
csr_sort_indices, get_csr_submatrix = tool("csr_sort_indices"), tool("get_csr_submatrix")
csr_row_index, csr_row_slice = tool("csr_row_index"), tool("csr_row_slice")
csr_column_index2, csr_sum_duplicates = tool("csr_column_index2"), tool("csr_sum_duplicates")
csr_eliminate_zeros, csr_matmat, csr_hstack = (
    tool("csr_eliminate_zeros"),
    tool("csr_matmat"),
    tool("csr_hstack"),
)


@in_place_of("coo_tocsr")
def by_rows(rows, columns, count, row, column, numbers, starts, indices, out):
    moved = np.empty(count)
    coo_tocsr(rows, columns, count, row, column, places(count), starts, indices, moved)
    out[:] = taken(numbers, moved)


@in_place_of("csr_tocsc")
def by_columns(rows, columns, starts, indices, numbers, new_starts, new_indices, out):
    moved = np.empty(len(indices))
    csr_tocsc(rows, columns, starts, indices, places(len(indices)), new_starts, new_indices, moved)
    out[:] = taken(numbers, moved[: len(out)])


@in_place_of("dia_tocsr")
def of_diagonals(rows, columns, count, length, offsets, numbers, order, out, indices, starts):
    moved = np.zeros(len(out))
    given = np.reshape(places(count * length), (count, length))
    stored_ones = dia_tocsr(rows, columns, count, length, offsets, given, order, moved, indices, starts)
    out[:stored_ones] = taken(np.reshape(numbers, -1), moved[:stored_ones])
    return stored_ones


@in_place_of("bsr_tocsr")
def of_blocks(rows, columns, high, wide, starts, indices, numbers, new_starts, new_indices, out):
    moved, given = np.empty(len(out)), np.reshape(places(numbers.size), np.shape(numbers))
    bsr_tocsr(rows, columns, high, wide, starts, indices, given, new_starts, new_indices, moved)
    out[:] = taken(np.reshape(numbers, -1), moved)


@in_place_of("bsr_transpose")
def of_blocks_turned(rows, columns, high, wide, starts, indices, numbers, new_starts, new_indices, out):
    moved, given = np.empty(np.shape(out)), np.reshape(places(numbers.size), np.shape(numbers))
    bsr_transpose(rows, columns, high, wide, starts, indices, given, new_starts, new_indices, moved)
    out[...] = taken(np.reshape(numbers, -1), moved)


@in_place_of("csr_sort_indices")
def sorted_by_column(rows, starts, indices, numbers):
    moved = places(len(indices))
    csr_sort_indices(rows, starts, indices, moved)
    numbers[: len(moved)] = taken(numbers, moved)


@in_place_of("csr_row_index")
def of_rows(count, chosen, starts, indices, numbers, new_indices, out):
    moved = np.empty(len(new_indices))
    csr_row_index(count, chosen, starts, indices, places(len(indices)), new_indices, moved)
    out[:] = taken(numbers, moved)


@in_place_of("csr_row_slice")
def of_row_slice(start, stop, step, starts, indices, numbers, new_indices, out):
    moved = np.empty(len(new_indices))
    csr_row_slice(start, stop, step, starts, indices, places(len(indices)), new_indices, moved)
    out[:] = taken(numbers, moved)


@in_place_of("csr_column_index2")
def of_columns(order, offsets, count, indices, numbers, new_indices, out):
    moved = np.empty(len(new_indices))
    csr_column_index2(order, offsets, count, indices, places(len(indices)), new_indices, moved)
    out[:] = taken(numbers, moved)


@in_place_of("get_csr_submatrix")
def submatrix(rows, columns, starts, indices, numbers, row, row_end, column, column_end):
    given = rows, columns, starts, indices, places(len(indices)), row, row_end, column, column_end
    new_starts, new_indices, moved = get_csr_submatrix(*given)
    return new_starts, new_indices, taken(numbers, moved)


@in_place_of("csr_hstack")
def beside_each_other(count, rows, columns, starts, indices, numbers, new_starts, new_indices, out):
    moved = np.empty(len(new_indices))
    given = places(len(indices))
    csr_hstack(count, rows, columns, starts, indices, given, new_starts, new_indices, moved)
    out[:] = taken(numbers, moved)


@in_place_of("csr_eliminate_zeros")
def without_zeros(rows, columns, starts, indices, numbers):
    kept = np.flatnonzero(numbers)
    csr_eliminate_zeros(rows, columns, starts, indices, np.asarray(numbers != 0, float))
    numbers[: len(kept)] = numbers[kept]


# ----- numbers added up


@in_place_of("csr_sum_duplicates")
def without_duplicates(rows, columns, starts, indices, numbers):
    """Equal places follow each other: they have been sorted."""
    keys = majors(starts) * columns + indices[: starts[-1]]
    number = np.cumsum(np.diff(keys, prepend=-1) != 0) - 1
    total = add_at(np.zeros(len(numbers), numbers.dtype), number, numbers[: len(number)])
    csr_sum_duplicates(rows, columns, starts, indices, np.ones(len(indices)))
    numbers[:] = total


@in_place_of("csr_todense")
def into_rows(rows, columns, starts, indices, numbers, out):
    out[...] = add_at(out, (majors(starts), indices[: starts[-1]]), numbers[: starts[-1]])


@in_place_of("coo_todense")
def into_dense(rows, columns, count, row, column, numbers, out, by_columns):
    at = np.asarray(row, int) + rows * np.asarray(column, int) if by_columns else None
    at = np.asarray(row, int) * columns + np.asarray(column, int) if at is None else at
    out[...] = add_at(out, at, numbers)


@in_place_of("coo_todense_nd")
def into_dense_nd(strides, count, rank, coordinates, numbers, out, by_columns):
    at = np.asarray(strides, int) @ np.reshape(np.asarray(coordinates, int), (rank, count))
    out[...] = add_at(out, at, numbers)


@in_place_of("csr_diagonal")
def on_diagonal(k, rows, columns, starts, indices, numbers, out):
    row, column = majors(starts), indices[: starts[-1]]
    on = np.flatnonzero(column - row == k)
    out[:] = add_at(np.zeros(len(out), out.dtype), row[on] - max(-k, 0), numbers[on])


@in_place_of("csr_sample_values")
def at_places(rows, columns, starts, indices, numbers, count, row, column, out):
    """The sum of what is stored at a place; 0 where nothing is."""
    keys, number = np.unique(majors(starts) * columns + indices[: starts[-1]], return_inverse=True)
    asked = np.asarray(row, int) % rows * columns + np.asarray(column, int) % columns
    found = np.minimum(np.searchsorted(keys, asked), max(len(keys) - 1, 0))
    sums = add_at(np.zeros(max(len(keys), 1), numbers.dtype), number, numbers[: starts[-1]])
    there = keys[found] == asked if len(keys) else np.zeros(count, bool)
    out[:] = np.where(there, sums[found], 0)


@in_place_of("csr_matmat")
def product_by_rows(
    rows, columns, starts, indices, numbers, starts2, indices2, numbers2, starts3, indices3, out
):
    """Each number meets those of the other's row; of ones no sum is 0, which would be left out."""
    ones = np.ones(len(indices)), np.ones(len(indices2)), np.empty(len(indices3))
    csr_matmat(
        rows, columns, starts, indices, ones[0], starts2, indices2, ones[1], starts3, indices3, ones[2]
    )
    met = np.diff(starts2)[indices]
    first = np.repeat(np.arange(len(indices)), met)
    within = np.arange(len(first)) - np.repeat(np.cumsum(met) - met, met)
    second = np.asarray(starts2[indices], int)[first] + within
    keys = majors(starts3) * columns + indices3[: starts3[-1]]
    order = np.argsort(keys)
    asked = majors(starts)[first] * columns + indices2[second]
    at = order[np.searchsorted(keys, asked, sorter=order)]
    out[:] = add_at(np.zeros(len(out), out.dtype), at, numbers[first] * numbers2[second])


@in_place_of("dia_matmat")
def product_of_diagonals(
    rows, inner, count, length, offsets, numbers, columns, count2, length2, offsets2, numbers2
):
    """In column ``j`` diagonal ``b`` has row ``j - offsets2[b]``: the column of what it meets."""
    ones = np.ones((count, length)), np.ones((count2, length2))
    given = (rows, inner, count, length, offsets, ones[0], columns, count2, length2, offsets2, ones[1])
    found, sums = dia_matmat(*given)
    out_length = sums.size // len(found)
    met = []
    for a in range(count):
        for b in range(count2):
            first, second = int(offsets[a]), int(offsets2[b])
            low = max(0, second, first + second)
            high = min(columns, length2, out_length, second + min(inner, length), rows + first + second)
            j = np.arange(low, max(low, high))
            place = np.flatnonzero(found == first + second)[:1].repeat(len(j))
            met.append(np.stack([a * length + j - second, b * length2 + j, place * out_length + j]))
    one, two, at = np.concatenate(met, axis=1)
    products = np.reshape(numbers, -1)[one] * np.reshape(numbers2, -1)[two]
    return found, add_at(np.zeros(sums.size, products.dtype), at, products)


@stands_for(_bsr_base._binopt)
def elementwise_of_blocks(self: Any, other: Any, op: str, in_shape: Any = None, out_shape: Any = None) -> Any:
    """The result is stored by rows."""
    return elementwise(self.tocsr(), other, op)


@stands_for(_bsr_base._matmul_sparse)
def product_of_blocks(self: Any, other: Any) -> Any:
    """The result is stored by rows."""
    return self.tocsr()._matmul_sparse(other)


@stands_for(_cs_matrix._binopt)
def elementwise(self: Any, other: Any, op: str) -> Any:
    """Sums, differences and products of elements. Places where nothing is left stay stored, as zeros."""
    a, b = self.tocoo(), self.__class__(other).tocoo()
    if op in ("_plus_", "_minus_"):
        at = tuple(np.concatenate(pair) for pair in zip(a.coords, b.coords, strict=True))
        numbers = np.concatenate([a.data, b.data if op == "_plus_" else -b.data])
    elif op == "_elmul_":
        numbers = a.data * np.reshape(self.__class__(other)[a.coords], -1)
        at = a.coords
    else:
        refuse(f"`{op.strip('_')}` of two sparse matrices", "there is no rule for it", "use their arrays")
    return self.__class__(self._coo_container((numbers, at), shape=self.shape))
