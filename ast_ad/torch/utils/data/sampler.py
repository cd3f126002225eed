"""In which order are samples taken? Samplers yield numbers of samples; a batch sampler lists of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from ....eager.namespace import NAMES
from ....eager.operations.randomness import Generator, default_generator

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T_co = TypeVar("T_co", covariant=True)


def _positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def _boolean(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise (TypeError if name == "replacement" else ValueError)(
            f"{name} should be a boolean value, but got {name}={value}"
        )


class Sampler(Generic[T_co]):
    """What yields numbers of samples: a subclass defines ``__iter__`` and, where it is known, ``__len__``."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All samples in their order.

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Samples in random order.

    Args:
        data_source: what has the samples' number as its length.
        replacement: draw each sample from all; by default each comes once before any comes again.
        num_samples: how many to draw (default: as many as there are).
        generator: the source of random numbers; by default one that starts from a seed drawn from the common
            source, so that ``manual_seed`` decides the order and what is drawn in between does not.

    >>> sorted(RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        _positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many samples are drawn."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n, wanted = len(self.data_source), self.num_samples
        source = self.generator or Generator().manual_seed(int(default_generator.numbers.integers(2**62)))
        if self.replacement:
            yield from source.numbers.integers(n, size=wanted).tolist()
            return
        rounds = (source.numbers.permutation(n).tolist() for _ in itertools.count())
        yield from itertools.islice(itertools.chain.from_iterable(rounds), wanted)

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The samples at ``indices``, each once, in random order.

    >>> sorted(SubsetRandomSampler([4, 2]))
    [2, 4]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in (self.generator or default_generator).numbers.permutation(len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Samples drawn with probabilities proportional to ``weights``.

    Args:
        weights: a weight for every sample; they need not sum to 1.
        num_samples: how many to draw.
        replacement: whether a sample may come more than once.
        generator: the source of random numbers; the common one by default.

    >>> list(WeightedRandomSampler([0.0, 1.0], 3))
    [1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        _positive("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = NAMES["as_tensor"](weights, dtype=NAMES["float64"])
        if self.weights.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        multinomial = NAMES["multinomial"]
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """What ``sampler`` yields, in lists of ``batch_size``.

    Args:
        sampler: the numbers of samples.
        batch_size: how many make a batch.
        drop_last: leave out a last batch that is smaller.

    >>> list(BatchSampler(range(5), 2, False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        _positive("batch_size", batch_size)
        _boolean("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return whole if self.drop_last else whole + bool(rest)
