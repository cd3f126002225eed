"""Does reading and writing many tensors take work in proportion to their number? It is counted."""

import io
import sys

import pytest

import ast_ad
import ast_ad.torch.safetensors as st
from ast_ad.torch.serialization import tensors_only

pytest.importorskip("safetensors.numpy")
FEW, MANY = 500, 4000


class Counted(io.BytesIO):
    """A file that counts the bytes that are asked of it and given to it."""

    def __init__(self, *content):
        super().__init__(*content)
        self.count = 0

    def read(self, *size):
        found = super().read(*size)
        self.count += len(found)
        return found

    def readinto(self, memory):
        count = super().readinto(memory)
        self.count += count
        return count

    def write(self, data):
        self.count += len(data)
        return super().write(data)


class Library:
    """The safetensors library, with a count of the names that it hands out."""

    def __init__(self, library, files):
        self.library, self.files = library, files

    def __getattr__(self, name):
        return getattr(self.library, name)

    def safe_open(self, *args, **options):
        made = File(self.library.safe_open(*args, **options))
        self.files.append(made)
        return made


class File:
    def __init__(self, file):
        self.file, self.count = file, 0

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __exit__(self, *problem):
        self.file.__exit__(*problem)

    def keys(self):
        names = self.file.keys()
        self.count += len(names)
        return names


def calls_of(run):
    """How many functions, of Python and of C, are called."""
    count = 0

    def seen(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def model(count):
    return {f"layer.{i}.weight": ast_ad.ones(2) for i in range(count)}


def each(path):
    with st.safe_open(path) as file:
        return [file.get_tensor(name) for name in file]


def work(way, count, directory, monkeypatch):
    """Calls, bytes and names that one way takes for so many tensors."""
    tensors, data, files = model(count), None, []
    plain, pth = directory / f"{count}.safetensors", directory / f"{count}.pth"
    st.save_file(tensors, plain)
    ast_ad.save(tensors, pth)
    monkeypatch.setattr(tensors_only, "_library", lambda: Library(LIBRARY, files))
    ways = {
        "st.save": lambda: st.save(tensors),
        "st.save_file": lambda: st.save_file(tensors, directory / "written.safetensors"),
        "st.load": lambda: st.load(plain.read_bytes()),
        "st.load_file": lambda: st.load_file(plain),
        "st.safe_open": lambda: each(plain),
        "load of safetensors": lambda: ast_ad.load(plain),
        "save to a path": lambda: ast_ad.save(tensors, directory / "written.pth"),
        "save to a file": lambda: ast_ad.save(tensors, data),
        "load of a path": lambda: ast_ad.load(pth),
        "load of a map": lambda: ast_ad.load(pth, mmap=True),
        "load of a file": lambda: ast_ad.load(data),
    }
    data = Counted(pth.read_bytes()) if way == "load of a file" else Counted()
    calls = calls_of(ways[way])
    return calls, data.count, sum(file.count for file in files)


LIBRARY = tensors_only._library()
WAYS = [
    "st.save", "st.save_file", "st.load", "st.load_file", "st.safe_open", "load of safetensors",
    "save to a path", "save to a file", "load of a path", "load of a map", "load of a file",
]  # fmt: skip


@pytest.mark.drawn(of=10)
@pytest.mark.parametrize("way", WAYS)
def test_work_is_in_proportion(way, tmp_path, monkeypatch):
    work(way, 10, tmp_path, monkeypatch)  # what is loaded at the first use
    few, many = (work(way, count, tmp_path, monkeypatch) for count in (FEW, MANY))
    for less, more in zip(few, many, strict=True):
        assert more <= 1.2 * MANY / FEW * less


def test_the_count_sees_what_is_quadratic(tmp_path, monkeypatch):
    """As reading was once: all names for each tensor."""

    def slow(self, name):
        assert name in self._file.keys()

    monkeypatch.setattr(tensors_only.safe_open, "get_tensor", slow)
    few, many = (work("st.safe_open", count, tmp_path, monkeypatch) for count in (50, 400))
    assert many[2] > 40 * few[2]
