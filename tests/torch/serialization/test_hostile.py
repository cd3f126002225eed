"""Can a file do harm? Whatever is in it, it is refused with the documented error, soon and cheaply."""

import io
import pickle
import random
import time
import tracemalloc

import pytest

import ast_ad
from ast_ad.errors import FileFormatError
from ast_ad.torch.serialization import allowed, machine

from .attacks import ATTACKS
from .describing import described
from .forge import HOOKS, call, checkpoint, items, name, number, parameter, storage, tensor, tensor3, text

MEMORY = 32 << 20  # besides the file itself
SECONDS = 10  # on a machine that does other things too


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """Nothing in a file is called: such a call would leave a file here."""
    monkeypatch.chdir(tmp_path)
    yield
    assert not list(tmp_path.iterdir())


def load(content):
    return ast_ad.load(io.BytesIO(content))


@pytest.mark.parametrize("title", ATTACKS)
def test_is_refused(title, monkeypatch):
    if title.startswith("copies"):
        monkeypatch.setattr(machine, "MAX_OBJECTS", machine.MAX_OBJECTS // 100)
        monkeypatch.setattr(machine, "MAX_STEPS", machine.MAX_STEPS // 100)
    content = ATTACKS[title]
    tracemalloc.start()
    start = time.perf_counter()
    try:
        with pytest.raises(FileFormatError) as caught:
            load(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEMORY + 3 * len(content)
    assert time.perf_counter() - start < SECONDS
    assert isinstance(caught.value, pickle.UnpicklingError)
    assert caught.value.fix and len(str(caught.value)) < 1000


def test_there_are_many_attacks():
    assert len(ATTACKS) > 200


def test_the_forge_makes_checkpoints():
    """Without it, every attack might be refused for another reason than its own."""
    assert load(checkpoint(tensor())).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert load(checkpoint(tensor3("float32"))).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert load(checkpoint(tensor(offset=1, size=(2, 2), stride=(1, 3)))).tolist() == [[1, 4], [2, 5]]
    assert load(checkpoint(tensor(size=(0, 3), stride=(1, 1), offset=100))).shape == (0, 3)
    assert load(checkpoint(tensor(size=(1,), stride=(1 << 62,)))).tolist() == [0]
    assert isinstance(load(checkpoint(parameter(tensor()))), ast_ad.nn.parameter.Parameter)
    assert load(checkpoint(items(storage()[:0], text("a"), number(3), HOOKS))) == ("a", 3, {})
    assert load(checkpoint(call("builtins", "set", b"](" + number(1) + text("a") + b"e"))) == {1, "a"}
    assert load(checkpoint(name("torch", "float32"))) is ast_ad.float32


def test_names_stand_for_functions_of_this_package_only():
    for (module, _), meaning in allowed.ALLOWED.items():
        if isinstance(meaning, allowed.Maker):
            assert meaning.make.__module__ == allowed.__name__
        else:
            assert isinstance(meaning, allowed.Kind | ast_ad.dtype), module


def test_the_reader_does_not_import_what_could_call():
    """No pickle, no import machinery, no evaluation in the modules that read."""
    import ast
    import pathlib

    for path in pathlib.Path(allowed.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text())
        imported = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not imported & {"pickle", "importlib", "zipfile", "marshal", "copyreg", "subprocess"}, path
        assert not used & {"eval", "exec", "compile", "__import__", "globals", "getattr_static"}, path


# ----- damage


def sample():
    """A checkpoint of every kind of object, and what is in it."""
    base = ast_ad.arange(6.0).reshape(2, 3)
    obj = {
        "weights": {
            "a": base,
            "b": base.t(),
            "p": ast_ad.nn.parameter.Parameter(ast_ad.ones(2)),
            "c": ast_ad.tensor([1j]),
        },
        "kinds": [ast_ad.tensor([True, False]), ast_ad.tensor(3), ast_ad.zeros(2, dtype=ast_ad.uint16)],
        "plain": ("text", 1.5, 2**40, -3, None, {1, 2}, b"bytes", ast_ad.float32, True),
    }
    file = io.BytesIO()
    ast_ad.save(obj, file)
    return file.getvalue(), described(obj)


def check_damaged(content, expected):
    """It loads the same data, or is refused."""
    try:
        found = load(content)
    except FileFormatError:
        return 0
    assert described(found) == expected
    return 1


def test_files_that_end_early():
    content, expected = sample()
    assert check_damaged(content, expected)
    for end in range(0, len(content), 7):
        assert not check_damaged(content[:end], expected)


def test_files_that_begin_late():
    content, expected = sample()
    for start in range(1, len(content), 61):
        assert not check_damaged(content[start:], expected)


@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_changed(seed):
    content, expected = sample()
    rng = random.Random(seed)
    for _ in range(150):
        changed = bytearray(content)
        for _ in range(rng.choice([1, 1, 2, 10])):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        check_damaged(bytes(changed), expected)


def mutants(seed, count):
    """Descriptions with instructions changed, moved and doubled, whose checksums are right."""
    rng = random.Random(seed)
    pieces = [
        tensor(),
        parameter(tensor()),
        HOOKS,
        storage(),
        b"}",
        b"]",
        b"N",
        b"(",
        b"t",
        b"R",
        b"b",
        b"u",
        b"s",
        b"a",
        b"e",
        b"\x85",
        b"\x86",
        b"q\x00",
        b"h\x00",
        b"Q",
        text("storage"),
        number(-1),
        number(1 << 62),
        name("torch", "Size"),
        name("torch", "FloatStorage"),
        name("builtins", "set"),
        name("torch", "Tensor"),
        name("torch._tensor", "_rebuild_from_type_v2"),
        name("collections", "Counter"),
        b"\x88",
        b"X",
    ]
    body = items(tensor(), parameter(tensor()), HOOKS, call("torch", "Size", items(number(2))), text("a"))
    for _ in range(count):
        changed = bytearray(body)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(changed))
            length = rng.choice([0, 0, 1, 1, 3])
            insert = rng.choice([b"", bytes([rng.randrange(256)]), rng.choice(pieces)])
            changed[at : at + length] = insert
        yield checkpoint(bytes(changed))


@pytest.mark.parametrize("seed", range(3))
def test_random_descriptions(seed):
    """Nothing but the documented error comes out, and what is loaded can be described."""
    for content in mutants(seed, 200):
        try:
            found = load(content)
        except FileFormatError:
            continue
        described(found)
