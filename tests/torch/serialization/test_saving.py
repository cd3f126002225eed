"""Is what is saved what is loaded, by any reader, and are files written completely or not at all?"""

import io
import os
import pickle
import pickletools
import stat
import zipfile
from collections import Counter, OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import FileFormatError, UnsavableError
from ast_ad.torch.nn.parameter import Buffer, Parameter

from .describing import described

DTYPES = """float16 float32 float64 complex64 complex128 bool
    uint8 uint16 uint32 uint64 int8 int16 int32 int64""".split()


def saved(obj):
    file = io.BytesIO()
    ast_ad.save(obj, file)
    return file.getvalue()


def again(obj):
    return ast_ad.load(io.BytesIO(saved(obj)))


def check(obj):
    found = again(obj)
    assert described(found) == described(obj)
    return found


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(name):
    dtype = getattr(ast_ad, name)
    check(
        {
            "w": ast_ad.arange(4).to(dtype),
            "0-d": ast_ad.tensor(1).to(dtype),
            "none": ast_ad.empty(0, 3, dtype=dtype),
        }
    )
    assert again(dtype) is dtype


def test_special_numbers():
    found = check(
        [ast_ad.tensor([float("inf"), -float("inf"), -0.0]), float("inf"), -0.0, 5e-324, 2**64, -(2**600)]
    )
    assert np.signbit(found[0]._array[2])
    assert np.isnan(again(ast_ad.tensor(float("nan"))).item()) and np.isnan(again(float("nan")))


def test_plain_data():
    check(
        [
            None,
            True,
            False,
            0,
            255,
            256,
            65535,
            65536,
            -1,
            2**31,
            -(2**31),
            1.5,
            1 - 2j,
            "",
            "é",
            "\ud800",
            b"",
            b"\xff",
        ]
    )
    check({"a": {"b": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)]}, 3: "x", (1, "a"): None, 1.5: 0, True: 1})
    check([{1, "a"}, set(), OrderedDict(a=1), Counter("aab"), bytearray(b"x"), ast_ad.Size([2, 3, 4, 5])])
    check([ast_ad.device("cpu"), ast_ad.device("cpu", 0), ast_ad.strided, ast_ad.float16])
    check([list(range(3000)), {str(i): i for i in range(3000)}])


def test_parameters_and_attributes():
    parameter = Parameter(ast_ad.ones(2))
    parameter.partition = 3
    tensor = ast_ad.ones(2)
    tensor.note = "kept"
    result = ast_ad.ones(2, requires_grad=True) * 2
    buffer = Buffer(ast_ad.ones(1), persistent=False)
    number = Parameter(ast_ad.tensor(1.0))
    found = check([parameter, Parameter(ast_ad.ones(1), requires_grad=False), tensor, result, buffer, number])
    assert found[3].is_leaf and isinstance(found[4], Buffer) and found[0].is_leaf


def test_what_is_one_stays_one():
    base = ast_ad.arange(12.0).reshape(3, 4)
    data = [1]
    obj = {"base": base, "same": base, "t": base.t(), "slice": base[1:, ::2], "data": data, "again": data}
    found = check(obj)
    assert found["same"] is found["base"] and found["again"] is found["data"]
    found["base"][1, 2] = 100
    assert found["t"][2, 1] == 100 and found["slice"][0, 1] == 100
    assert found["slice"].storage_offset() == 4


def test_odd_memory():
    array = np.arange(6.0, dtype=np.float32)
    fields = np.zeros(3, [("a", "i1"), ("b", "f4")])
    fields["b"] = [1, 2, 3]
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    odd = [
        array[::-1],
        fields["b"],
        np.asfortranarray(array.reshape(2, 3)),
        np.broadcast_to(array[:1], (2, 3)),
        frozen,
    ]
    odd += [np.frombuffer(bytes(range(8)), "i4"), np.frombuffer(bytes(range(9)), "u1")[1:].view("i4")]
    for each in odd:
        assert again(ast_ad.Tensor._of(each)).tolist() == each.tolist()
    assert again(ast_ad.Tensor._of(odd[2])).stride() == (1, 2)


def test_one_memory_as_two_types():
    array = np.zeros(4, np.float32)
    with pytest.raises(UnsavableError, match=r"obj\[1\] is a tensor that shares memory") as caught:
        saved([ast_ad.from_numpy(array), ast_ad.from_numpy(array.view(np.int32))])
    assert "view the same data as different types" in str(caught.value)


# ----- what can't be saved

Pair = namedtuple("Pair", "a b")


class Text(str):
    pass


class Module:
    def state_dict(self):
        return {}


class Special(ast_ad.Tensor):
    pass


def cyclic():
    a = []
    a.append([a])
    return a


def deep(levels):
    return [deep(levels - 1)] if levels else 0


@pytest.mark.parametrize(
    "obj, message",
    [
        ({"a": [0, 1, 2, print]}, r"obj\['a'\]\[3\] is of type builtins.builtin_function"),
        ({"a": ({1: Module()},)}, r"obj\['a'\]\[0\]\[1\] is of type .*Module(.|\n)*state_dict"),
        (np.ones(2), "from_numpy"),
        ([np.float64(1)], r"number.item\(\)"),
        ([np.int32(1)], r"number.item\(\)"),
        (frozenset([1]), r"set\(...\)"),
        (defaultdict(int), r"dict\(...\)"),
        (Pair(1, 2), r"tuple\(...\)"),
        (Text("a"), r"str\(...\)"),
        (range(3), r"list\(...\)"),
        (slice(1), "slice"),
        (int, "type"),
        (lambda: 0, "function"),
        ({(1, (2, 3)): 0}, "key of type tuple"),
        ({frozenset(): 0}, "key of type frozenset"),
        ({2**64: 0}, "key of type int"),
        (2 ** (8 * 255), "integer of more than 255 bytes"),
        (cyclic(), r"obj\[0\]\[0\]"),
        (deep(101), "more than 100"),
        (Special._of(np.ones(1)), r"detach\(\)"),
        (ast_ad.contiguous_format, "memory_format"),
    ],
)
def test_the_place_is_named(obj, message, tmp_path):
    with pytest.raises(UnsavableError, match=message) as caught:
        ast_ad.save(obj, tmp_path / "x.pth")
    assert isinstance(caught.value, (TypeError, pickle.PicklingError))
    assert not list(tmp_path.iterdir())


def test_attributes_that_are_no_data():
    tensor = ast_ad.ones(1)
    tensor.helper = [1]
    with pytest.raises(UnsavableError, match="'helper'"):
        saved([tensor])
    state = OrderedDict()
    state.extra = 3
    with pytest.raises(UnsavableError, match="_metadata"):
        saved(state)


def test_what_is_as_deep_as_allowed_can_be_read():
    assert again(deep(100)) == deep(100)


@pytest.mark.parametrize(
    "obj",
    [
        [[] for _ in range(2000)],
        {(i,): 0 for i in range(100)},
        {(i,) for i in range(100)},
        [{1, 2} for _ in range(500)],
        [b"x"] * 1000,
        [(1,) for _ in range(2000)],
        {i: {} for i in range(2000)},
        [ast_ad.ones(1)[:] for _ in range(300)],
        [ast_ad.Size([1] * i) for i in range(60)],
        Counter(range(4000)),
        [str(i) for i in range(8000)],
        [Parameter(ast_ad.ones(1)) for _ in range(300)],
    ],
)
def test_the_reader_s_limits_are_the_writer_s(obj, monkeypatch):
    """What one may write the other can read, wherever the limits are."""
    from ast_ad.torch.serialization import emitter, machine

    refused = 0
    for limit in (3, 30, 100, 300, 1000, 3000, 10_000):
        for module in (emitter, machine):
            monkeypatch.setattr(module, "MAX_OBJECTS", limit)
            monkeypatch.setattr(module, "MAX_TUPLE_KEYS", limit // 10)
        try:
            content = saved(obj)
        except UnsavableError:
            refused += 1
        else:
            assert described(ast_ad.load(io.BytesIO(content))) == described(obj)
    assert 0 < refused < 7


def test_what_could_not_be_read_is_not_written():
    """Each text is in the description, which has a limit."""
    with pytest.raises(UnsavableError, match="put long lists"):
        saved("x" * (64 << 20))


@pytest.mark.parametrize(
    "options", [{"pickle_protocol": 4}, {"pickle_module": pickle}, {"_use_new_zipfile_serialization": 0}]
)
def test_other_formats_are_not_offered(options):
    with pytest.raises(ast_ad.AdError, match="PyTorch's own format"):
        ast_ad.save({}, io.BytesIO(), **options)


# ----- files


def test_any_reader_can_read_it(tmp_path):
    path = tmp_path / "my model.v2.pth"
    ast_ad.save({"w": ast_ad.ones(3), "b": ast_ad.zeros(100, dtype=ast_ad.float64)}, path)
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        names = file.namelist()
        assert names == [f"my model.v2/{n}" for n in ("data.pkl", "byteorder", "data/0", "data/1", "version")]
        assert file.read("my model.v2/data/0") == np.ones(3, np.float32).tobytes()
        instructions = list(pickletools.genops(file.read("my model.v2/data.pkl")))
        assert max(kind.proto for kind, *_ in instructions) == 2
        for info in file.infolist():  # PyTorch maps such files
            header = path.read_bytes()[info.header_offset :][:30]
            start = info.header_offset + 30 + int.from_bytes(header[26:28], "little")
            assert (start + int.from_bytes(header[28:30], "little")) % 64 == 0


def test_equal_objects_give_equal_files():
    assert saved({"w": ast_ad.ones(3)}) == saved({"w": ast_ad.ones(3)})


def test_a_file_that_takes_little_at_a_time():
    class Slow(io.RawIOBase):
        content = b""

        def writable(self):
            return True

        def write(self, data):
            self.content += bytes(data[:7])
            return min(len(data), 7)

    file = Slow()
    ast_ad.save({"w": ast_ad.arange(5)}, file)
    assert ast_ad.load(io.BytesIO(file.content))["w"].tolist() == [0, 1, 2, 3, 4]


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.pth"
    ast_ad.save({"w": ast_ad.ones(2)}, path)
    before = path.read_bytes()
    with pytest.raises(UnsavableError):
        ast_ad.save({"w": print}, path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: 1 / 0)  # the disk is full
        with pytest.raises(ZeroDivisionError):
            ast_ad.save({"w": ast_ad.zeros(2)}, path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        ast_ad.save({}, tmp_path / "nowhere" / "x.pth")


def test_the_new_file_is_as_the_old_one(tmp_path):
    path, link = tmp_path / "x.pth", tmp_path / "link.pth"
    ast_ad.save(1, path)
    path.chmod(0o640)
    link.symlink_to(path)
    ast_ad.save(2, str(link))
    assert link.is_symlink() and ast_ad.load(path) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    ast_ad.save(3, os.devnull)


def test_files_that_are_read_can_be_replaced(tmp_path):
    """Tensors that look into a file keep what they show when another file takes its name."""
    path = tmp_path / "x.pth"
    ast_ad.save(ast_ad.arange(3), path)
    mapped = ast_ad.load(path, mmap=True)
    mapped[0] = 7
    ast_ad.save(mapped, path)
    assert mapped.tolist() == [7, 1, 2] and ast_ad.load(path).tolist() == [7, 1, 2]


def test_large_archives_have_large_numbers(monkeypatch):
    """Sizes and places that don't fit 32 bits, with a lower limit of what fits."""
    from ast_ad.torch.serialization import archive, archive_writer

    for module in (archive, archive_writer):
        monkeypatch.setattr(module, "FULL32", 100)
    content = io.BytesIO()
    members = [("data.pkl", b"\x80\x02K\x07."), ("data/0", bytes(200)), ("data/1", bytes(3))]
    with pytest.MonkeyPatch.context() as patch:  # what stands in the short fields must be the real marker
        patch.setattr(archive_writer, "LOCAL", _Marked(archive.LOCAL))
        patch.setattr(archive_writer, "CENTRAL", _Marked(archive.CENTRAL))
        patch.setattr(archive_writer, "END", _Marked(archive.END))
        archive_writer.write_archive(content, "x", members)
    monkeypatch.undo()
    assert ast_ad.load(io.BytesIO(content.getvalue())) == 7
    with zipfile.ZipFile(content) as file:
        assert file.read("x/data/0") == bytes(200) and file.testzip() is None


class _Marked:
    """A structure that writes the marker of 32 bits for the lowered limit."""

    def __init__(self, real):
        self.real, self.size = real, real.size

    def pack(self, *fields):
        return self.real.pack(*[0xFFFFFFFF if f == 100 else f for f in fields])


def test_numbers_of_large_archives_that_are_missing():
    content = bytearray(saved(1))
    at = content.index(b"PK\x01\x02")
    content[at + 24 : at + 28] = b"\xff" * 4
    with pytest.raises(FileFormatError, match="size of a large member"):
        ast_ad.load(io.BytesIO(bytes(content)))
