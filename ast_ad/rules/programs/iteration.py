"""What do ``np.ndenumerate`` and ``np.nditer`` give, one element after the other?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import UnsupportedError
from ..standing import in_index_order, stands_for

KNOWN_FLAGS = (
    "multi_index",
    "c_index",
    "f_index",
    "zerosize_ok",
    "refs_ok",
    "external_loop",
    "copy_if_overlap",
    "common_dtype",
    "delay_bufalloc",
)
OPERAND_FLAGS = (
    "readonly",
    "readwrite",
    "writeonly",
    "allocate",
    "no_broadcast",
    "nbo",
    "aligned",
    "contig",
    "no_subtype",
)


@stands_for(np.ndenumerate)
def ndenumerate(arr):
    a = np.asarray(arr)
    for index in np.ndindex(*a.shape):
        yield index, a[index]


def makes_arrays(op: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether an array is yet to be made, into which something traced may be written."""
    return isinstance(op, (list, tuple)) and any(a is None for a in op)


@stands_for(np.nditer, also=makes_arrays)
class nditer:
    """The elements of arrays that are broadcast together, as arrays without axes, in the order of indices."""

    def __init__(
        self,
        op,
        flags=None,
        op_flags=None,
        op_dtypes=None,
        order="K",
        casting="safe",
        op_axes=None,
        itershape=None,
    ):
        self.flags = () if flags is None else tuple(flags)
        several = isinstance(op, (list, tuple))
        given = list(op) if several else [op]
        if any(flag not in KNOWN_FLAGS for flag in self.flags):
            raise not_followed("these flags")
        if op_axes is not None or itershape is not None or op_dtypes is not None:
            raise not_followed("op_axes, itershape or op_dtypes")
        arrays = [np.asarray(a) for a in given if a is not None]
        self.shape = np.broadcast_shapes(*[a.shape for a in arrays])
        self.ndim = len(self.shape)
        if order != "C" and not in_index_order(arrays):
            raise not_followed("arrays that don't lie row by row in memory")
        made = [None if a is None else np.asarray(a) for a in given]
        dtype = np.result_type(*arrays)
        self.operands = tuple([np.empty(self.shape, dtype) if a is None else a for a in made])
        self.several = several and len(given) != 1
        require_known(given, op_flags)
        self.itersize = 1
        for n in self.shape:
            self.itersize = self.itersize * n
        if self.itersize == 0 and "zerosize_ok" not in self.flags:
            raise ValueError("iteration of zero-sized operands is not enabled")
        if "external_loop" in self.flags and any(a.shape != self.shape for a in self.operands):
            raise not_followed("chunks of arrays that are broadcast")
        self.place = 0
        self.started = False
        self.length = min(self.itersize, 1) if "external_loop" in self.flags else self.itersize

    @property
    def nop(self):
        return len(self.operands)

    @property
    def iterindex(self):
        return self.place

    @property
    def finished(self):
        return self.place >= self.length

    @property
    def multi_index(self):
        if "multi_index" not in self.flags:
            raise ValueError("Iterator is not tracking a multi-index")
        return self.position()

    def position(self):
        rest = self.place
        found: tuple[Any, ...] = ()
        for n in self.shape[::-1]:
            found = (rest % n, *found)
            rest = rest // n
        return found

    @property
    def index(self):
        if "c_index" not in self.flags and "f_index" not in self.flags:
            raise ValueError("Iterator does not have an index")
        if "c_index" in self.flags:
            return self.place
        step = 1
        found = 0
        for place, n in zip(self.position(), self.shape, strict=True):
            found = found + place * step
            step = step * n
        return found

    @property
    def value(self):
        return self.items() if self.several else self[0]

    def items(self):
        return tuple([self.item(array) for array in self.operands])

    def __getitem__(self, i):
        return self.item(self.operands[i])

    def item(self, array):
        if "external_loop" in self.flags:
            return np.reshape(array, -1)
        index = self.position()
        own = index[self.ndim - array.ndim :]
        kept = tuple([0 if n == 1 else i for n, i in zip(array.shape, own, strict=True)])
        return array[(*kept, ...)]

    def __setitem__(self, i, value):
        self[i][...] = value

    def __len__(self):
        return len(self.operands)

    def __iter__(self):
        if self.started:
            self.place = self.place + 1
        while self.place < self.length:
            self.started = True
            yield self.items() if self.several else self[0]
            self.place = self.place + 1

    def __next__(self):
        if self.started:
            self.place = self.place + 1
        if self.finished:
            raise StopIteration
        self.started = True
        return self.value

    def iternext(self):
        self.place = self.place + 1
        return not self.finished

    def reset(self):
        self.place = 0
        self.started = False

    def close(self):
        return None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return None


def not_followed(what):
    return UnsupportedError(f"np.nditer with {what}", fix="write the loop out, over np.ndindex")


def require_known(given, op_flags):
    """Refuse flags of operands that change more than what may be written."""
    if op_flags is not None:
        lists = op_flags if isinstance(op_flags[0], (list, tuple)) else [op_flags for _ in given]
        for flags in lists:
            if any(flag not in OPERAND_FLAGS for flag in flags):
                raise not_followed("these op_flags")
