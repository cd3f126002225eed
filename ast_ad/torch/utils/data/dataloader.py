"""How are batches made of a data set? ``DataLoader`` takes samples in a sampler's order."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from ....eager.operations.randomness import Generator
from .collate import default_collate, default_convert
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T_co = TypeVar("T_co", covariant=True)
EXCLUSIVE = "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
ITERABLE = "DataLoader with IterableDataset: expected unspecified {0} option, but got {0}={1}"
PINNED = (
    "'pin_memory' argument is set as true but no accelerator is found, "
    "then device pinned memory won't be used."
)
WORKERS = (
    "DataLoader(num_workers={}): worker processes are not there: every batch is made in the process that "
    "asks for it. Pass num_workers=0 (the default)."
)
FIXED = {"batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"}


def get_worker_info() -> None:
    """What is known of the worker process: None, as in PyTorch where there is none."""
    return None


class _InfiniteSampler:
    """As many Nones as are asked for: an iterable data set chooses its samples itself."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class DataLoader(Generic[T_co]):
    """Batches of a data set, made in the calling process.

    Args:
        dataset: what has ``__getitem__`` and ``__len__``, or an ``IterableDataset``.
        batch_size: how many samples make a batch; None for single samples.
        shuffle: take them in a random order, another in every pass.
        sampler, batch_sampler: the order, in place of ``shuffle`` (and of ``batch_size`` and ``drop_last``).
        num_workers: 0; more is ``NotImplementedError``.
        collate_fn: makes a batch of a list of samples (default: ``default_collate``).
        drop_last: leave out a last batch that is smaller.
        generator: the source of random numbers for the order.
        pin_memory, timeout, worker_init_fn, multiprocessing_context, prefetch_factor, persistent_workers,
            pin_memory_device, in_order: checked as in PyTorch; without worker processes they change nothing.

    Errors: ``ValueError`` for options that contradict each other.

    >>> [batch.tolist() for batch in DataLoader(range(5), batch_size=2, drop_last=True)]
    [[0, 1], [2, 3]]
    """

    dataset: Dataset[T_co]
    _finished = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        elif sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(EXCLUSIVE)
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            sampler = self._order(bool(shuffle), generator)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.persistent_workers = persistent_workers
        self._finished = True

    def _order(self, shuffle: bool, generator: Generator | None) -> Iterable[Any]:
        if self._iterable:
            return _InfiniteSampler()
        source: Any = self.dataset
        return RandomSampler(source, generator=generator) if shuffle else SequentialSampler(source)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._finished and name in FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> _SingleProcessDataLoaderIter:
        return _SingleProcessDataLoaderIter(self)

    def __len__(self) -> int:
        if not self._iterable:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]
        length = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


class _SingleProcessDataLoaderIter:
    """One pass over a loader's batches."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        if loader.timeout:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if loader.pin_memory:
            warnings.warn(PINNED, stacklevel=3)
        self._loader = loader
        self._batches = _from_iterable(loader) if loader._iterable else _from_indices(loader)

    def __iter__(self) -> _SingleProcessDataLoaderIter:
        return self

    def __next__(self) -> Any:
        return next(self._batches)

    def __len__(self) -> int:
        return len(self._loader)


def _from_indices(loader: DataLoader[Any]) -> Iterator[Any]:
    dataset, collate = loader.dataset, loader.collate_fn
    if loader.batch_sampler is None:
        for index in loader.sampler:
            yield collate(dataset[index])
        return
    several = getattr(dataset, "__getitems__", None)
    for indices in loader.batch_sampler:
        yield collate(several(indices) if several else [dataset[i] for i in indices])


def _from_iterable(loader: DataLoader[Any]) -> Iterator[Any]:
    samples = iter(loader.dataset)
    if loader.batch_size is None:
        for sample in samples:
            yield loader.collate_fn(sample)
        return
    while batch := list(itertools.islice(samples, loader.batch_size)):
        if len(batch) == loader.batch_size or not loader.drop_last:
            yield loader.collate_fn(batch)


def _check_workers(workers: int, timeout: float, prefetch: Any, persistent: bool, context: Any) -> None:
    if workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if workers > 0:
        raise NotImplementedError(WORKERS.format(workers))
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if persistent:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if context is not None:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"num_workers={workers}"
        )


def _check_iterable(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise ValueError(ITERABLE.format(name, value))
