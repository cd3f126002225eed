"""Are batches made as PyTorch's ``torch.utils.data`` makes them? Expectations are PyTorch's answers."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import ast_ad as torch
from ast_ad.torch.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    random_split,
)

X = torch.arange(10.0).view(5, 2)
PAIRS = TensorDataset(X, torch.arange(5))
Point = collections.namedtuple("Point", "a b")


class Stream(IterableDataset):
    def __iter__(self) -> Any:
        return iter(range(5))


class Sized(Stream):
    def __len__(self) -> int:
        return 3


class Together(Dataset):
    def __len__(self) -> int:
        return 5

    def __getitems__(self, indices: list[int]) -> list[int]:
        return [10 * i for i in indices]


BATCHES = [
    ([1, 2], "tensor([1, 2])"),
    ([1.5, 2], "tensor([1.5000, 2.0000], dtype=ast_ad.float64)"),
    ([True, False], "tensor([ True, False])"),
    (["a", "b"], "['a', 'b']"),
    ([X[0], X[1]], "tensor([[0., 1.],\n        [2., 3.]])"),
    ([np.ones(2), np.zeros(2)], "tensor([[1., 1.],\n        [0., 0.]], dtype=ast_ad.float64)"),
    ([np.float32(1), np.float32(2)], "tensor([1., 2.])"),
    ([np.float64(1)], "tensor([1.], dtype=ast_ad.float64)"),
    ([{"a": 1}, {"a": 2}], "{'a': tensor([1, 2])}"),
    ([Point(1, 2), Point(3, 4)], "Point(a=tensor([1, 3]), b=tensor([2, 4]))"),
    ([(1, X[0]), (2, X[0])], "[tensor([1, 2]), tensor([[0., 1.],\n        [0., 1.]])]"),
    ([[1, 2], [3, 4]], "[tensor([1, 3]), tensor([2, 4])]"),
    ([collections.OrderedDict(a=1)], repr(collections.OrderedDict(a=X[0])).replace("[0., 1.]", "[1]")),
    ([range(2), range(2)], "[tensor([0, 0]), tensor([1, 1])]"),
]


@pytest.mark.parametrize(("samples", "batch"), BATCHES)
def test_collate(samples: Any, batch: str) -> None:
    assert repr(default_collate(samples)).replace("dtype=torch", "dtype=ast_ad") == batch


NO_BATCH = [
    (
        [None],
        TypeError,
        "must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'NoneType'>",
    ),
    ([np.array(["a"])], TypeError, "must contain tensors, numpy arrays, numbers, dicts or lists; found <U1"),
    ([[1, 2], [3]], RuntimeError, "each element in list of batch should be of equal size"),
    (
        [X[0], X[:1]],
        RuntimeError,
        "stack expects each tensor to be equal size, but got [2] at entry 0 and [1, 2]",
    ),
    ([{"a": 1}, {"b": 2}], KeyError, "a"),
]


@pytest.mark.parametrize(("samples", "error", "text"), NO_BATCH)
def test_collate_refuses(samples: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as told:
        default_collate(samples)
    assert text in str(told.value)


def test_convert() -> None:
    found = default_convert({"x": np.ones(2, np.float32), "y": [1, (2, "s")], "p": Point(1, np.zeros(1))})
    assert found["x"].dtype == torch.float32 and found["y"] == [1, [2, "s"]]
    assert isinstance(found["p"], Point) and found["p"].b.dtype == torch.float64


def test_datasets() -> None:
    both = ConcatDataset([PAIRS, PAIRS])
    assert len(both) == 10 and both[9][1] == 4 and both[-10][1] == 0
    with pytest.raises(ValueError, match="absolute value of index should not exceed dataset length"):
        both[-11]
    with pytest.raises(IndexError):
        both[10]
    with pytest.warns(FutureWarning, match="renamed"):
        assert both.cummulative_sizes == [5, 10]
    assert isinstance(PAIRS + PAIRS, ConcatDataset) and list(Stream() + Stream()) == [*range(5), *range(5)]
    assert len(ChainDataset([Sized(), Sized()])) == 6
    assert StackDataset(X, PAIRS)[1][1][1] == 1 and set(StackDataset(a=X, b=X)[0]) == {"a", "b"}
    part = Subset(PAIRS, [3, 1])
    assert len(part) == 2 and part[1][1] == 1 and part[[0, 1]][1].tolist() == [3, 1]
    assert [label.item() for _, label in part.__getitems__([0])] == [3]


def test_random_split() -> None:
    assert [len(part) for part in random_split(PAIRS, [0.5, 0.5])] == [3, 2]
    with pytest.warns(UserWarning, match="Length of split at index 0 is 0"):
        assert [len(part) for part in random_split(PAIRS, [0.0, 1.0])] == [0, 5]
    parts = random_split(PAIRS, [2, 3], generator=torch.Generator().manual_seed(1))
    again = random_split(PAIRS, [2, 3], generator=torch.Generator().manual_seed(1))
    assert sorted([*parts[0].indices, *parts[1].indices]) == [0, 1, 2, 3, 4]
    assert parts[0].indices == again[0].indices
    with pytest.raises(
        ValueError, match="Sum of input lengths does not equal the length of the input dataset!"
    ):
        random_split(PAIRS, [3, 3])
    with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
        random_split(PAIRS, [-0.5, 1.5])


def test_samplers() -> None:
    assert list(SequentialSampler(PAIRS)) == sorted(RandomSampler(PAIRS)) == [0, 1, 2, 3, 4]
    twelve = list(RandomSampler(PAIRS, num_samples=12))
    assert sorted(twelve[:5]) == sorted(twelve[5:10]) == [0, 1, 2, 3, 4] and len(twelve) == 12
    assert len(list(RandomSampler(PAIRS, True, 40))) == 40
    assert sorted(SubsetRandomSampler([4, 2])) == [2, 4]
    assert set(WeightedRandomSampler([0, 0.9], 4)) == {1}
    assert (
        list(BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
        and len(BatchSampler(range(5), 2, False)) == 3
    )
    with pytest.raises(ValueError, match="weights should be a 1d sequence but given weights have shape"):
        WeightedRandomSampler([[0.1]], 2)  # type: ignore[list-item]
    with pytest.raises(TypeError, match="replacement should be a boolean value, but got replacement=1"):
        RandomSampler(PAIRS, replacement=1)  # type: ignore[arg-type]


def labels(**options: Any) -> list[Any]:
    return [batch[1].tolist() for batch in DataLoader(PAIRS, **options)]


def test_loader() -> None:
    assert labels(batch_size=2) == [[0, 1], [2, 3], [4]]
    assert labels(batch_size=2, drop_last=True) == [[0, 1], [2, 3]]
    assert labels(batch_sampler=[[0, 1], [3]]) == [[0, 1], [3]]
    assert labels(batch_size=2, sampler=[4, 3, 2]) == [[4, 3], [2]]
    assert labels(batch_size=None) == [0, 1, 2, 3, 4]
    assert list(DataLoader(PAIRS, 2, collate_fn=len)) == [2, 2, 1]
    assert [b.tolist() for b in DataLoader(Together(), 2)] == [[0, 10], [20, 30], [40]]
    assert [b.tolist() for b in DataLoader(Stream(), 2)] == [[0, 1], [2, 3], [4]]
    assert list(DataLoader(Stream(), None)) == [0, 1, 2, 3, 4]
    assert (
        len(DataLoader(PAIRS, 2)) == 3
        and len(DataLoader(Sized(), 2)) == 2
        and len(iter(DataLoader(PAIRS))) == 5
    )


def test_order_is_reproducible() -> None:
    torch.manual_seed(3)
    first, second = labels(shuffle=True), labels(shuffle=True)
    torch.manual_seed(3)
    assert first == labels(shuffle=True) and first != second and sorted(first) == sorted(second)
    seeded = torch.Generator().manual_seed(5)
    first = labels(shuffle=True, generator=seeded)
    seeded.manual_seed(5)
    assert first == labels(shuffle=True, generator=seeded)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"shuffle": True, "sampler": [1]}, "sampler option is mutually exclusive with shuffle"),
    ({"batch_sampler": [[1]], "batch_size": 3}, "batch_sampler option is mutually exclusive with batch_size"),
    ({"batch_size": None, "drop_last": True}, "batch_size=None option disables auto-batching"),
    ({"batch_size": 0}, "batch_size should be a positive integer value, but got batch_size=0"),
    ({"timeout": -1}, "timeout option should be non-negative"),
    ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
    ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiprocessing"),
]


@pytest.mark.parametrize(("options", "text"), REFUSED)
def test_loader_refuses(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        DataLoader(PAIRS, **options)


def test_loader_limits() -> None:
    with pytest.raises(NotImplementedError, match="num_workers=0"):
        DataLoader(PAIRS, num_workers=2)
    with pytest.raises(ValueError, match="expected unspecified shuffle option, but got shuffle=True"):
        DataLoader(Stream(), shuffle=True)
    loader = DataLoader(PAIRS)
    with pytest.raises(
        ValueError, match="batch_size attribute should not be set after DataLoader is initialized"
    ):
        loader.batch_size = 3
    with pytest.warns(UserWarning, match="no accelerator is found"):
        next(iter(DataLoader(PAIRS, pin_memory=True)))
