"""Are safetensors files read and written as the library does it for PyTorch?"""

import io
import json
import struct
import subprocess
import sys

import numpy as np
import pytest

import ast_ad
import ast_ad.torch.safetensors as st
from ast_ad.errors import FileFormatError, InputTypeError, InputValueError, SharedMemoryError

safetensors = pytest.importorskip("safetensors.numpy")

DTYPES = "float16 float32 float64 complex64 bool uint8 uint16 uint32 uint64 int8 int16 int32 int64".split()


def content(**tensors):
    """The bytes of a file with tensors given as (type, shape, bytes)."""
    header, data = {}, b""
    for name, (kind, shape, part) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(name, tmp_path):
    dtype = getattr(ast_ad, name)
    tensors = {
        "w": ast_ad.arange(4).to(dtype).reshape(2, 2),
        "0-d": ast_ad.tensor(1).to(dtype),
        "none": ast_ad.empty(0, 3),
    }
    for found in (st.load(st.save(tensors)), through_a_file(tensors, tmp_path / "x.safetensors")):
        assert list(found) == sorted(tensors)
        for key, tensor in tensors.items():
            assert found[key].dtype is tensor.dtype and found[key].shape == tensor.shape
            assert found[key].tolist() == tensor.tolist()
            found[key].zero_()  # they may be written to


def through_a_file(tensors, path):
    st.save_file(tensors, path)
    return st.load_file(path)


def test_the_library_reads_what_is_written(tmp_path):
    path = tmp_path / "x.safetensors"
    st.save_file(
        {"a": ast_ad.ones(2), "p": ast_ad.ones(1, requires_grad=True)}, path, metadata={"steps": "3"}
    )
    found = safetensors.load_file(path)
    assert found["a"].tolist() == [1, 1] and found["p"].tolist() == [1]
    assert path.read_bytes() == st.save({"a": ast_ad.ones(2), "p": ast_ad.ones(1)}, {"steps": "3"})
    with st.safe_open(path, framework="pt", device="cpu") as file:
        assert file.metadata() == {"steps": "3"} and sorted(file.keys()) == sorted(file) == ["a", "p"]
        assert file.get_tensor("a").tolist() == [1, 1]
        with pytest.raises(InputValueError, match="no tensor 'b'"):
            file.get_tensor("b")


@pytest.mark.parametrize("library", ["with ml_dtypes", "without"])
def test_bfloat16_becomes_float32(library, tmp_path, monkeypatch):
    if library == "without":
        monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    numbers = np.array([1, -2.5, np.inf, 3.140625], np.float32)
    data = content(
        a=("BF16", [2, 2], (numbers.view(np.uint32) >> 16).astype("<u2").tobytes()), b=("I8", [1], b"\7")
    )
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    for found in (st.load(data), st.load_file(path), ast_ad.load(path)):
        assert found["a"].dtype is ast_ad.float32
        assert found["a"].tolist() == numbers.reshape(2, 2).tolist() and found["b"].tolist() == [7]


def test_load_and_save_know_the_format(tmp_path):
    path = tmp_path / "x.safetensors"
    ast_ad.save({"w": ast_ad.ones(2)}, path)
    assert path.read_bytes() == st.save({"w": ast_ad.ones(2)})
    other = path.rename(tmp_path / "x.bin")
    assert ast_ad.load(other)["w"].tolist() == [1, 1]
    assert ast_ad.load(other, mmap=True)["w"].tolist() == [1, 1]
    assert ast_ad.load(io.BytesIO(other.read_bytes()))["w"].tolist() == [1, 1]


def test_memory_must_not_be_shared():
    x = ast_ad.arange(4.0)
    with pytest.raises(SharedMemoryError, match="'a' and 'b' share memory") as caught:
        st.save({"a": x, "b": x[1:]})
    assert isinstance(caught.value, RuntimeError)
    found = st.load(st.save({"a": x[:2], "b": x[2:], "c": x[:0], "d": x[1:1]}))
    assert found["b"].tolist() == [2, 3]


@pytest.mark.parametrize(
    "tensors, error, message",
    [
        ([ast_ad.ones(1)], InputTypeError, "a dict of tensors"),
        ({"a": 3}, InputTypeError, "'a' is of type int"),
        ({"a": {"b": ast_ad.ones(1)}}, InputTypeError, "'a' is of type dict"),
        ({"a": np.ones(1)}, InputTypeError, "'a' is of type ndarray"),
        ({1: ast_ad.ones(1)}, InputTypeError, "names of tensors are texts"),
        ({"a": ast_ad.ones(2, 3).t()}, InputValueError, r"contiguous\(\)"),
        ({"a": ast_ad.ones(1, dtype=ast_ad.complex128)}, InputValueError, "no such type"),
    ],
)
def test_what_is_refused(tensors, error, message, tmp_path):
    for save in (
        st.save,
        lambda t: st.save_file(t, tmp_path / "x"),
        lambda t: ast_ad.save(t, tmp_path / "x.safetensors"),
    ):
        with pytest.raises(error, match=message):
            save(tensors)
    assert not list(tmp_path.iterdir())


def test_metadata_are_texts():
    with pytest.raises(InputTypeError, match="dict of texts"):
        st.save({"a": ast_ad.ones(1)}, {"steps": 3})


@pytest.mark.parametrize(
    "data",
    [
        b"", b"abc", bytes(9), st.save({"a": ast_ad.ones(3)})[:-1], st.save({"a": ast_ad.ones(3)}) + b"x",
        content(a=("F32", [2], bytes(4))), content(a=("F32", [-1], bytes(4))),
        content(a=("F32", [1 << 62, 4], bytes(4))),
        content(a=("F32", [0, 1 << 63], b"")), content(a=("F32", [1 << 62, 0, 2], b"")),
        content(a=("BF16", [0, (1 << 63) - 1], b"")), content(a=("C64", [0, 1 << 60], b"")),
        content(a=("U8", [1] * 65, b"x")), content(a=("BOOL", [0] * 70, b"")),
        content(a=("BF16", [1] * 65, bytes(2))),
        content(a=("F99", [1], bytes(4))), content(a=("F8_E4M3", [4], bytes(4))),
        content(a=("F32", [1], bytes(4))).replace(b"[0, 4]", b"[0, 9]"),
        content(a=("F32", [1], bytes(4)), b=("F32", [1], bytes(4))).replace(b"[4, 8]", b"[0, 4]"),
    ],
)  # fmt: skip
def test_damaged_files(data, tmp_path):
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    for read in (lambda: st.load(data), lambda: st.load_file(path), lambda: ast_ad.load(path)):
        with pytest.raises(FileFormatError):
            read()


def described(rng):
    """A file that is nearly right: types, shapes, places, the text or its length may be off."""
    kinds = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "C64": 8, "BOOL": 1, "I16": 2, "U8": 1, "F8_E4M3": 1}
    odd = [0, 0, 1, 1 << 31, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, -1, 1.0, "2", None]
    header, data = {}, b""
    for _ in range(rng.integers(4)):
        kind = list(kinds)[rng.integers(len(kinds))]
        rank = [0, 1, 2, 3, 64, 65][rng.integers(6)]
        few = [int(n) for n in rng.integers(0, 3, rank)] if rank < 10 else [1] * rank
        shape = [odd[rng.integers(len(odd))] if rng.random() < 0.2 else n for n in few]
        size = kinds[kind]
        for length in shape:
            size = size * length if isinstance(length, int) and 0 <= size * length < 99 else 4
        size += [0, 0, 0, 0, 1, 4][rng.integers(6)]
        place = [len(data), len(data) + size]
        if rng.random() < 0.1:
            place = [place[::-1], [0, size], [place[0]], [*place, 1], [1 << 63, 1 << 64], None][
                rng.integers(6)
            ]
        name = ["a", "b", "", "\0", "é", "__metadata__"][rng.integers(6)]
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": place}
        data += rng.bytes(size)
    text = bytearray(json.dumps(header).encode())
    for _ in range(rng.integers(3) if rng.random() < 0.3 else 0):
        text[rng.integers(len(text))] ^= 1 << rng.integers(8)
    length = (
        len(text) if rng.random() < 0.9 else [0, 1, len(text) - 1, 1 << 32, (1 << 64) - 1][rng.integers(5)]
    )
    whole = struct.pack("<Q", length) + bytes(text) + data
    return whole[: rng.integers(len(whole))] if rng.random() < 0.1 else whole


@pytest.mark.parametrize("seed", range(5))
def test_files_that_are_nearly_right(seed, tmp_path):
    """They are read, by all ways alike, or they are refused: nothing else comes through."""
    rng, path, seen = np.random.default_rng(seed), tmp_path / "x.safetensors", set()
    for _ in range(400):
        data = described(rng)
        path.write_bytes(data)
        found = []
        for read in (lambda: st.load(data), lambda: st.load_file(path), lambda: ast_ad.load(path)):  # noqa: B023
            try:
                found.append(repr(read()))
            except FileFormatError:
                found.append("refused")
        assert len(set(found)) == 1, data
        seen.add(found[0] == "refused")
    assert seen == {True, False}


def test_places():
    with pytest.raises(RuntimeError, match="not available"):
        st.load_file("x", device="cuda")
    with pytest.raises(FileNotFoundError):
        st.load_file("nowhere.safetensors")


def test_without_the_library():
    code = (
        "import sys; sys.modules['safetensors'] = None\n"
        "import ast_ad, ast_ad.safetensors\n"
        "try: ast_ad.safetensors.save({'a': ast_ad.ones(1)})\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'ast_ad[io]'" in done.stdout


def test_the_library_is_loaded_when_it_is_needed():
    code = "import sys, ast_ad.safetensors; ast_ad.load; print('safetensors' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
