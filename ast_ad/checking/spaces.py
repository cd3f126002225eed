"""Which real numbers can be varied in an argument, or differentiated in a result?

A value is a tree of numbers and arrays; its floats are a vector. Of a complex number there are two, its real
part and its imaginary one, so that the real product of two vectors is that of cotangents and tangents.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputTypeError
from ..extrapolation import Values
from ..trees import flatten


class Space:
    """The floats of a value, as a vector.

    Args:
        value: a tree of numbers and arrays.
        name: what the value is called.

    >>> space = Space({"w": np.array([1.0, 2.0]), "n": 3, "z": 1j}, "p")
    >>> space.vector()
    array([1., 2., 0., 1.])
    >>> space.tree(np.array([5.0, 6.0, 7.0, 8.0]))
    {'w': array([5., 6.]), 'n': 3, 'z': (7+8j)}
    >>> space.tree(np.ones(4), None)
    {'w': array([1., 1.]), 'n': None, 'z': (1+1j)}
    >>> space.name(1), space.name(3)
    ("p['w'][1]", "p['z'] (imaginary part)")
    """

    def __init__(self, value: Any, name: str) -> None:
        self.leaves, self.structure = flatten(value, name)
        if any(hasattr(type(leaf), "_is_eager_tensor") for leaf in self.leaves):
            raise InputTypeError(
                f"a check of `{name}`, which holds a tensor",
                why="functions of numbers and arrays are checked",
                fix="use ast_ad.autograd.gradcheck for functions of tensors",
            )
        self.floats = [i for i, leaf in enumerate(self.leaves) if np.result_type(leaf).kind in "fc"]
        self.sizes = [np.size(self.leaves[i]) * (1 + self._is_complex(i)) for i in self.floats]
        self.paths = self.structure.paths(name)

    def __len__(self) -> int:
        return sum(self.sizes)

    def _is_complex(self, i: int) -> bool:
        return np.result_type(self.leaves[i]).kind == "c"

    @property
    def eps(self) -> float:
        """The precision of the least precise leaf."""
        kinds = [np.result_type(self.leaves[i]) for i in self.floats]
        return max((float(np.finfo(kind).eps) for kind in kinds), default=0.0)

    def vector(self, value: Any = None) -> Values:
        """The floats of a value of this structure; by default, of the value itself.

        Raises:
            ValueError: it has another structure, or other shapes.
        """
        leaves = self.leaves if value is None else flatten(value)[0]
        if len(leaves) == len(self.leaves):
            leaves = [leaves[i] for i in self.floats]
        if len(leaves) != len(self.floats):
            raise ValueError(f"{len(leaves)} numbers and arrays for {len(self.floats)}")
        parts: list[Any] = [np.zeros(0)]
        for i, leaf in zip(self.floats, leaves, strict=True):
            if np.shape(leaf) != np.shape(self.leaves[i]):
                raise ValueError(f"shape {np.shape(leaf)} for {self.paths[i]}, {np.shape(self.leaves[i])}")
            if np.iscomplexobj(leaf) and not self._is_complex(i):
                raise ValueError(f"a complex number for {self.paths[i]}, which is real")
            parts += [np.ravel(np.real(leaf))] + [np.ravel(np.imag(leaf))] * self._is_complex(i)
        return np.concatenate(parts).astype(float)

    def matches(self, value: Any) -> bool:
        """Whether a value has this structure."""
        return flatten(value)[1] == self.structure

    def copy(self) -> Any:
        """The value itself, with arrays and containers of its own."""
        leaves = [leaf.copy("K") if isinstance(leaf, np.ndarray) else leaf for leaf in self.leaves]
        return self.structure.unflatten(leaves)

    def is_complex(self) -> bool:
        return any(map(self._is_complex, self.floats))

    def tree(self, vector: Values, *others: None, imaginary: Values | None = None) -> Any:
        """The value with these floats, in fresh arrays.

        Args:
            vector: the floats.
            others: None, if that is to stand for what is no float.
            imaginary: imaginary parts for floats that are real, with which they become complex.
        """
        leaves = [leaf.copy("K") if isinstance(leaf, np.ndarray) else leaf for leaf in self.leaves]
        if others:
            leaves = [None] * len(leaves)
        start = 0
        for i, size in zip(self.floats, self.sizes, strict=True):
            part = vector[start : start + size]
            if self._is_complex(i):
                part = part[: size // 2] + 1j * part[size // 2 :]
            elif imaginary is not None:
                part = part + 1j * imaginary[start : start + size]
            leaves[i] = _like(self.leaves[i], part)
            start += size
        return self.structure.unflatten(leaves)

    def magnitudes(self) -> Values:
        """The size of each float, where it is small or zero that of others of its array."""
        start, vector = 0, abs(self.vector())
        sizes = []
        for size in self.sizes:
            part = vector[start : start + size]
            largest = float(np.max(part, initial=0.0, where=np.isfinite(part)))
            sizes.append(np.maximum(part, 1e-3 * largest) if largest else np.ones(size))
            start += size
        return np.concatenate(sizes) if sizes else np.zeros(0)

    def name(self, position: int) -> str:
        """How a float is reached."""
        for i, size in zip(self.floats, self.sizes, strict=True):
            if position >= size:
                position -= size
                continue
            leaf, part = self.leaves[i], ""
            if self._is_complex(i):
                part = " (imaginary part)" if position >= size // 2 else " (real part)"
                position %= size // 2
            index = np.unravel_index(position, np.shape(leaf))
            return self.paths[i] + (f"[{', '.join(map(str, index))}]" if index else "") + part
        raise IndexError(position)


def _like(leaf: Any, numbers: Any) -> Any:
    """Numbers as a leaf of the type of another, or of the complex type that belongs to it."""
    if isinstance(leaf, np.ndarray):
        kind = np.result_type(leaf.dtype, np.complex64) if np.iscomplexobj(numbers) else leaf.dtype
        laid = np.empty_like(leaf, kind)
        laid[...] = np.reshape(numbers, leaf.shape)
        return laid
    number = numbers[0]
    if isinstance(leaf, np.generic):
        kind = np.result_type(leaf.dtype, np.complex64) if np.iscomplexobj(numbers) else leaf.dtype
        return kind.type(number)
    return complex(number) if np.iscomplexobj(numbers) else float(number)
