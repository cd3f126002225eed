"""Are PyTorch's files read as PyTorch reads them? Files that it wrote, and what it says is in them."""

import io
import json
import pathlib
import shutil
import sys
from collections import OrderedDict

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import FileFormatError, InputError

from .describing import described
from .forge import archive, checkpoint, items, storage, tensor, tensor3

RECORDED = pathlib.Path(__file__).parent / "recorded"
EXPECTED = json.loads((RECORDED / "expected.json").read_text())


def plain(description):
    """A description as JSON gives it back."""
    return json.loads(json.dumps(description))


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_in_it(name, mmap):
    assert plain(described(ast_ad.load(RECORDED / f"{name}.pth", mmap=mmap))) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_it_can_be_written_again(name):
    file = io.BytesIO()
    ast_ad.save(ast_ad.load(RECORDED / f"{name}.pth"), file)
    assert plain(described(ast_ad.load(io.BytesIO(file.getvalue())))) == EXPECTED[name]


def test_all_kinds_of_paths_and_files(tmp_path):
    path = RECORDED / "tensor.pth"
    for f in (path, str(path), io.BytesIO(path.read_bytes())):
        assert ast_ad.load(f).tolist() == [0, 1, 2]
    with open(path, "rb") as file:
        assert ast_ad.load(file, "cpu", weights_only=True).tolist() == [0, 1, 2]
    with open(path, "rb", buffering=0) as file:
        assert ast_ad.load(file).tolist() == [0, 1, 2]

    class Plain:  # a file that can do no more than it must
        def __init__(self):
            file = io.BytesIO(path.read_bytes())
            self.read, self.seek, self.tell = file.read, file.seek, file.tell

    assert ast_ad.load(Plain()).tolist() == [0, 1, 2]
    later = io.BytesIO(b"before" + path.read_bytes())
    later.seek(6)
    assert ast_ad.load(later).tolist() == [0, 1, 2]


@pytest.mark.parametrize("mmap", [False, True])
def test_tensors_share_what_they_shared(mmap):
    found = ast_ad.load(RECORDED / "views.pth", mmap=mmap)
    assert found["same"] is found["base"]
    found["base"][1, 2] = 100
    assert found["transposed"][2, 1] == found["row"][2] == found["column"][1] == 100
    assert found["single"].tolist() == [[100]]
    first, second = found["two"]
    found["flat"][1] = -1
    assert first.tolist() == [0, -1] and second.tolist() == [-1, 2]
    assert found["transposed"].stride() == (1, 4) and found["expanded"].stride() == (0,)
    assert ast_ad.load(RECORDED / "views.pth")["base"][1, 2] == 6  # the file is not changed


def test_containers_that_were_one_are_one():
    found = ast_ad.load(RECORDED / "plain.pth")
    assert found["shared"][0] is found["shared"][1]
    state = ast_ad.load(RECORDED / "state_dict.pth")
    assert type(state) is OrderedDict and state._metadata["1"] == {"version": 2}


def test_parameters_are_parameters():
    found = ast_ad.load(RECORDED / "special.pth")
    assert isinstance(found["parameter"], ast_ad.nn.parameter.Parameter) and found["parameter"].requires_grad
    assert isinstance(found["frozen"], ast_ad.nn.parameter.Parameter) and not found["frozen"].requires_grad
    assert found["with state"].partition == 3 and found["tensor with state"].note == "kept"
    found["leaf"].sum().backward()
    assert found["leaf"].grad.tolist() == [1, 1]


def test_numbers_of_the_other_byte_order():
    numbers = np.arange(6, dtype=np.float32)
    order = {"little": "big", "big": "little"}[sys.byteorder].encode()
    swapped = {"0": numbers.byteswap().tobytes()}
    found = ast_ad.load(
        io.BytesIO(checkpoint(items(tensor(), tensor(size=(6,), stride=(1,))), swapped, order))
    )
    assert found[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    found[0][0, 1] = 7
    assert found[1][1] == 7
    for kind, dtype in {"ComplexDoubleStorage": "c16", "HalfStorage": "f2", "LongStorage": "i8"}.items():
        content = {"0": np.arange(6, dtype=dtype).byteswap().tobytes()}
        body = tensor(of=storage(kind))
        assert ast_ad.load(io.BytesIO(checkpoint(body, content, order)))._array.reshape(-1).tolist() == [
            *range(6)
        ]
    content = {"0": np.arange(6, dtype="u4").byteswap().tobytes()}
    found = ast_ad.load(io.BytesIO(checkpoint(tensor3("uint32"), content, order)))
    assert found.tolist() == [[0, 1, 2], [3, 4, 5]]
    bfloat16 = {"0": (numbers.view(np.uint32) >> 16).astype(np.uint16).byteswap().tobytes()}
    found = ast_ad.load(io.BytesIO(checkpoint(tensor(of=storage("BFloat16Storage")), bfloat16, order)))
    assert found.dtype is ast_ad.float32 and found.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_one_untyped_memory_as_two_types():
    untyped = storage("UntypedStorage", count=24, module="torch.storage")
    one = tensor3("uint32", of=untyped)
    two = tensor3("uint16", size=(12,), stride=(1,), of=untyped)
    a, b = ast_ad.load(io.BytesIO(checkpoint(items(one, two))))
    b[0] = 1
    b[1] = 0
    assert a[0, 0] == 1
    with pytest.raises(FileFormatError, match="different types share memory"):
        ast_ad.load(io.BytesIO(checkpoint(items(one, tensor3("bfloat16", of=untyped)))))


def test_memory_that_is_not_aligned(tmp_path):
    """Files from before there was an alignment can be mapped as well."""
    for root in ("a", "ab", "abc", "abcd"):
        records = [
            ("data.pkl", b"\x80\x02" + tensor() + b"."),
            ("data/0", np.arange(6, dtype="f4").tobytes()),
        ]
        path = tmp_path / f"{root}.pth"
        path.write_bytes(archive(records, root))
        found = ast_ad.load(path, mmap=True)
        assert found.tolist() == [[0, 1, 2], [3, 4, 5]] and found._array.flags.aligned
        found[0, 0] = 5


def test_the_name_does_not_matter(tmp_path):
    shutil.copy(RECORDED / "tensor.pth", tmp_path / "weights.safetensors")
    assert ast_ad.load(tmp_path / "weights.safetensors").tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "name, message",
    [
        ("legacy.pth", "before PyTorch 1.6"),
        ("script.pt", "TorchScript"),
        ("sparse.pth", "to_dense"),
        ("quantised.pth", "dequantize"),
        ("float8.pth", "NumPy has no such type"),
        ("numpy_number.pth", "save float"),
        ("module.pth", "torch.nn.modules.linear.Linear"),
        ("protocol4.pth", "another pickle protocol"),
    ],
)
def test_what_is_refused(name, message):
    with pytest.raises(FileFormatError, match=message):
        ast_ad.load(RECORDED / name)


@pytest.mark.parametrize(
    "place", [None, "cpu", "cpu:0", ast_ad.device("cpu"), {"cuda:0": "cpu"}, lambda s, l: s]
)
def test_all_tensors_are_in_main_memory(place):
    assert ast_ad.load(RECORDED / "tensor.pth", map_location=place).tolist() == [0, 1, 2]


@pytest.mark.parametrize("place", ["cuda", "meta", {"cpu": "cuda:1"}])
def test_other_memory_is_refused(place):
    with pytest.raises(RuntimeError, match="not available"):
        ast_ad.load(RECORDED / "tensor.pth", map_location=place)


@pytest.mark.parametrize(
    "options", [{"weights_only": False}, {"pickle_module": json}, {"map_location": 3}, {"weights_only": 0}]
)
def test_what_is_not_offered(options):
    with pytest.raises(InputError):
        ast_ad.load(RECORDED / "tensor.pth", **options)


def test_files_that_are_none():
    with pytest.raises(InputError, match="file path in order to use the mmap"):
        ast_ad.load(io.BytesIO(), mmap=True)
    with pytest.raises(InputError, match="no method 'read'"):
        ast_ad.load(3)
    with pytest.raises(InputError, match='mode "rb"'):
        ast_ad.load(io.StringIO("text"))
    with pytest.raises(FileNotFoundError):
        ast_ad.load(RECORDED / "nowhere.pth")
    with pytest.raises(FileFormatError, match="seek"):
        file = io.BytesIO()
        ast_ad.save({}, file)
        ast_ad.load(file)
