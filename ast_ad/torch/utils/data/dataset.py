"""What does a model learn from? Samples found by number, or one after the other."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ....eager.operations.randomness import Generator, generator as source
from ....eager.tensor import Tensor

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T_co = TypeVar("T_co", covariant=True)
SIZES = "Sum of input lengths does not equal the length of the input dataset!"


class Dataset(Generic[T_co]):
    """Samples found by number: a subclass defines ``__getitem__`` and, for most samplers, ``__len__``.

    A subclass may define ``__getitems__``, which returns the list of samples of a list of numbers, where many
    together are found faster than one by one. ``a + b`` is a ``ConcatDataset``.

    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, index):
    ...         return index**2
    >>> (Squares() + Squares())[4]
    1
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """Samples that come one after the other: a subclass defines ``__iter__``.

    ``a + b`` is a ``ChainDataset``.

    >>> class Letters(IterableDataset):
    ...     def __iter__(self):
    ...         return iter("ab")
    >>> list(Letters() + Letters())
    ['a', 'b', 'a', 'b']
    """

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Sample ``i`` is the tuple of what is at ``i`` along the first dimension of each tensor.

    Args:
        *tensors: tensors with the same first dimension (else ``AssertionError``).

    >>> import ast_ad
    >>> TensorDataset(ast_ad.ones(3, 2), ast_ad.arange(3))[1]
    (tensor([1., 1.]), tensor(1))
    """

    tensors: tuple[Any, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(t.size(0) != tensors[0].size(0) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].size(0))


class StackDataset(Dataset[Any]):
    """Sample ``i`` is the tuple (or, of named data sets, the dictionary) of each data set's sample ``i``.

    Args:
        *args, **kwargs: data sets of one length (else ``ValueError``), all without names or all with.

    >>> StackDataset(image=["a", "b"], label=[0, 1])[1]
    {'image': 'b', 'label': 1}
    """

    datasets: tuple[Any, ...] | dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or"
                "``dict``- (via ``kwargs``) like input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        lengths = {len(part) for part in (args or kwargs.values())}
        if len(lengths) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths.pop()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: part[index] for name, part in self.datasets.items()}
        return tuple(part[index] for part in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """The samples of several data sets, those of the first before those of the second.

    Args:
        datasets: data sets with a length (else ``AssertionError``: none, or an ``IterableDataset``).

    >>> ConcatDataset(["ab", "cde"])[-1]
    'e'
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(part, IterableDataset) for part in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Sequence[Any]) -> list[int]:
        """How many samples there are up to the end of each data set."""
        return list(itertools.accumulate(len(part) for part in sequence))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        part = bisect.bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[part - 1] if part else 0
        found: T_co = self.datasets[part][idx - before]
        return found


class ChainDataset(IterableDataset[Any]):
    """The samples of several ``IterableDataset``\\ s, those of the first before those of the second.

    Args:
        datasets: the data sets; another kind is an ``AssertionError`` when its turn comes.
    """

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = datasets

    def _parts(self) -> Iterator[Any]:
        for part in self.datasets:
            if not isinstance(part, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield part

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self._parts())

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts())


class Subset(Dataset[T_co]):
    """The samples of ``dataset`` at ``indices``.

    >>> Subset("abcd", [3, 1])[0]
    'd'
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> T_co:
        chosen = [self.indices[i] for i in idx] if isinstance(idx, list) else self.indices[idx]
        found: T_co = self.dataset[chosen]
        return found

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        """The samples at several places."""
        chosen = [self.indices[i] for i in indices]
        several = getattr(self.dataset, "__getitems__", None)
        return list(several(chosen)) if callable(several) else [self.dataset[i] for i in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[float], generator: Generator | None = None
) -> list[Subset[Any]]:
    """Share the samples out at random.

    Args:
        dataset: what to share out; it has a length.
        lengths: how many samples each part gets, or (where they sum to at most 1) which fractions; samples
            left over by rounding go one each to the first parts.
        generator: the source of random numbers; the common one by default.

    Errors: ``ValueError`` where the lengths do not sum to the data set's.

    >>> [len(part) for part in random_split(range(10), [0.75, 0.25])]
    [8, 2]
    """
    if sum(lengths) <= 1 or math.isclose(sum(lengths), 1):
        lengths = _counts(len(dataset), lengths)
    if sum(lengths) != len(dataset):
        raise ValueError(SIZES)
    order = source(generator).permutation(len(dataset)).tolist()
    ends = itertools.accumulate(int(n) for n in lengths)
    return [Subset(dataset, order[end - int(n) : end]) for n, end in zip(lengths, ends, strict=True)]


def _counts(total: int, fractions: Sequence[float]) -> list[int]:
    """How many of ``total`` samples belong to each fraction."""
    for i, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    counts = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(counts)):
        counts[i % len(counts)] += 1
    for i, count in enumerate(counts):
        if count == 0:
            warnings.warn(
                f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=3
            )
    return counts


def _renamed(self: ConcatDataset[Any]) -> list[int]:
    warnings.warn(
        "`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2
    )
    return self.cumulative_sizes


ConcatDataset.cummulative_sizes = property(_renamed)  # type: ignore[attr-defined]
