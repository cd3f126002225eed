"""Do sizes, layouts, memory formats and devices behave as in PyTorch?"""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from ast_ad.eager import metadata


def test_size_is_a_tuple_that_stays_a_size() -> None:
    size = metadata.Size([2, np.int64(3)])
    assert size == (2, 3) and hash(size) == hash((2, 3)) and size.numel() == 6
    assert repr(size) == str(size) == f"{size}" == "torch.Size([2, 3])"
    results = [size + (4,), (4,) + size, size[:1], size[::-1], size * 2, 2 * size, copy.deepcopy(size)]
    results += [pickle.loads(pickle.dumps(size)), metadata.size_of((1, 2)), metadata.Size()]
    assert all(type(each) is metadata.Size for each in results)
    assert (size * 2, (4,) + size, metadata.Size().numel()) == ((2, 3, 2, 3), (4, 2, 3), 1)
    assert type(size[0]) is int and np.zeros(size).shape == (2, 3)


@pytest.mark.parametrize("items, kind", [([2.5], "float"), (["a"], "str"), ([2, None], "NoneType")])
def test_size_of_other_than_ints(items: list[Any], kind: str) -> None:
    with pytest.raises(TypeError, match=f"takes an iterable of 'int' .*'{kind}'"):
        metadata.Size(items)


def test_size_adds_tuples_only() -> None:
    with pytest.raises(TypeError, match="only concatenate tuple"):
        metadata.Size([1]) + [2]
    with pytest.raises(TypeError, match="unsupported operand"):
        2 + metadata.Size([1])


def test_constants_print_as_their_names() -> None:
    names = ["strided", "contiguous_format", "preserve_format", "channels_last", "channels_last_3d"]
    for name in names:
        constant = getattr(metadata, name)
        assert repr(constant) == f"torch.{name}"
        assert pickle.loads(pickle.dumps(constant)) is constant and copy.deepcopy(constant) is constant


def test_device() -> None:
    cpu = metadata.device("cpu")
    assert (repr(cpu), str(cpu), cpu.type, cpu.index) == ("device(type='cpu')", "cpu", "cpu", None)
    assert repr(metadata.device("cpu:0")) == repr(metadata.device("cpu", 0)) == "device(type='cpu', index=0)"
    assert metadata.device(cpu) == cpu == pickle.loads(pickle.dumps(cpu)) and hash(cpu) == hash(
        metadata.device("cpu")
    )
    assert cpu != metadata.device("cpu:0") and cpu != "cpu"
    with cpu as entered:
        assert entered is cpu


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("cuda",), RuntimeError),
        (("meta",), RuntimeError),
        (("",), RuntimeError),
        (("cpu:x",), RuntimeError),
        (("cpu:-1",), RuntimeError),
        (("cpu", -1), RuntimeError),
        (("cpu:0", 1), RuntimeError),
        ((metadata.device("cpu"), 1), TypeError),
        ((0,), TypeError),
        ((None,), TypeError),
    ],
)
def test_other_devices_are_errors(arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        metadata.device(*arguments)
