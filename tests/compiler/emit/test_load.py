"""Do generated modules behave like files written by hand, in every process, whatever happens to the files?"""

import gc
import importlib
import inspect
import json
import linecache
import os
import pickle
import stat
import subprocess
import sys
import threading
import traceback
import warnings
from pathlib import Path
from unittest import mock

import pytest

from ast_ad.calls.store.compilations import CompileCache
from ast_ad.compiler.emit import load as load_file, storage
from ast_ad.compiler.emit.load import PACKAGE, add_user_note, load_module, module_name
from ast_ad.compiler.frontend.source.functions import find_source
from ast_ad.compiler.ir.ops import Span

ROOT = str(Path(__file__).resolve().parents[3])
TEXT = "def loss_backward(x):\n    y = x * 2\n    return 1 / y\n"


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("AST_AD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("AST_AD_CACHE", raising=False)
    yield tmp_path / "cache" / f"v{storage.FORMAT}"
    forget()


def forget():
    for name in [name for name in sys.modules if name.startswith(PACKAGE + ".")]:
        del sys.modules[name]
    load_file._bound.clear()


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": ROOT, **environment},
        capture_output=True,
        text=True,
    )


def test_a_real_private_file(directory):
    module = load_module(TEXT, {}, "loss")
    path = directory / (module.__name__.rpartition(".")[2] + ".py")
    assert Path(module.__file__) == path and path.read_text() == TEXT
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    details = json.loads(path.with_suffix(".json").read_text())
    assert {"format", "ast_ad", "numpy", "python", "source_map"} <= set(details)
    assert not [p for p in directory.iterdir() if p.suffix == ".part"]


def test_the_same_text_is_the_same_module():
    assert load_module(TEXT, {}, "loss") is load_module(TEXT, {}, "loss")
    assert load_module(TEXT + "\n", {}, "loss") is not load_module(TEXT, {}, "loss")


@pytest.mark.parametrize("switched_off", [False, True])
def test_inspect_tracebacks_and_our_own_front_end(switched_off, monkeypatch):
    if switched_off:
        monkeypatch.setenv("AST_AD_CACHE", "0")
    function = load_module(TEXT, {}, "loss").loss_backward
    for clear in (linecache.checkcache, linecache.clearcache):
        with mock.patch.dict(linecache.cache):  # other tests' functions have their only text there
            clear()
            assert inspect.getsource(function) == TEXT
            assert inspect.getmodule(function).__name__ == function.__module__
    assert find_source(function).text == TEXT
    with pytest.raises(ZeroDivisionError) as caught:
        function(0)
    assert "return 1 / y" in "".join(traceback.format_exception(caught.value))


def test_pickle_within_and_across_processes():
    function = load_module(TEXT, {}, "loss").loss_backward
    data = pickle.dumps(function)
    assert pickle.loads(data) is function
    done = run(f"import pickle, inspect; f = pickle.loads({data!r}); print(f(2), inspect.getsource(f))")
    assert done.stdout.startswith("0.25 def loss_backward"), done.stderr


@pytest.mark.parametrize("damage", [b"", TEXT[:10].encode(), b"import os\n", b"\xff\xfe"])
def test_damaged_files_are_rebuilt_and_never_run(directory, damage):
    name = load_module(TEXT, {}, "loss").__name__
    path = directory / f"{name.rpartition('.')[2]}.py"
    path.write_bytes(damage)
    forget()
    with pytest.raises(ModuleNotFoundError, match="damaged"):
        importlib.import_module(name)
    assert load_module(TEXT, {}, "loss").loss_backward(2) == 0.25
    assert path.read_text() == TEXT


def test_a_link_in_the_cache_is_not_followed(directory, tmp_path):
    name = load_module(TEXT, {}, "loss").__name__.rpartition(".")[2]
    path = directory / f"{name}.py"
    (tmp_path / "other.py").write_text(TEXT)
    path.unlink()
    path.symlink_to(tmp_path / "other.py")
    forget()
    assert load_module(TEXT, {}, "loss").loss_backward(2) == 0.25
    assert not path.is_symlink()


def test_unknown_modules():
    with pytest.raises(ModuleNotFoundError, match="not in the cache"):
        importlib.import_module(f"{PACKAGE}.nothing_00")


def test_bound_objects_belong_to_the_process(directory):
    text = "def f(x):\n    return helper(x)\n"
    one, two = load_module(text, {"helper": abs}, "f"), load_module(text, {"helper": str}, "f")
    assert one.f(-1) == 1 and two.f(-1) == "-1" and one is not two
    assert load_module(text, {"helper": abs}, "f") is one
    assert pickle.loads(pickle.dumps(two.f)) is two.f
    assert len(list(directory.glob("*.py"))) == 1
    done = run(f"import pickle; pickle.loads({pickle.dumps(one.f)!r})")
    assert "belongs to the process" in done.stderr


def test_bound_modules_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(load_file, "_MOST_BOUND", 5)
    functions = [load_module("def f(): return k", {"k": k}, "f").f for k in map(float, range(20))]
    gc.collect()
    assert [f() for f in functions] == list(range(20))
    assert len([n for n in sys.modules if n.startswith(PACKAGE + ".f_")]) == 5


def test_a_failing_module_leaves_nothing():
    with pytest.raises(ZeroDivisionError):
        load_module("1 / 0", {}, "bad")
    assert not [n for n in sys.modules if n.startswith(PACKAGE + ".bad")]


@pytest.mark.parametrize("hint", ["a b", "f():\n import os #", "λ", "class", "1x", "", "../../x", "x" * 500])
def test_any_hint_gives_a_module_name(hint):
    name = module_name(hint, "")
    assert name.isidentifier() and name.isascii() and len(name) < 80
    load_module("", {}, hint)


@pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing on Windows")
def test_a_directory_open_to_others_is_refused(directory):
    directory.mkdir(parents=True)
    directory.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="other users"):
        module = load_module(TEXT, {}, "loss")
    assert not list(directory.iterdir())
    assert stat.S_IMODE(Path(module.__file__).parent.stat().st_mode) == 0o700
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_module(TEXT + "#", {}, "loss")


def test_a_link_for_a_directory_is_refused(directory, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    directory.parent.mkdir()
    directory.symlink_to(tmp_path / "elsewhere")
    with pytest.warns(RuntimeWarning, match="link"):
        load_module(TEXT, {}, "loss")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_directory_that_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AST_AD_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert load_module(TEXT, {}, "loss").loss_backward(2) == 0.25
    script = "from ast_ad.compiler.emit.storage import cache_directory as c; print(c())"
    left = run(script, AST_AD_CACHE_DIR=str(tmp_path / "file")).stdout.strip()
    assert left and not os.path.exists(left)  # the temporary one goes with its process


def test_a_directory_that_vanishes(directory):
    load_module(TEXT, {}, "loss")
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()
    assert Path(load_module(TEXT + "# 2\n", {}, "loss").__file__).parent == directory


def test_notes_name_the_users_line():
    places = {2: Span("user.py", 7, 0, 5, "y = x + x", "loss")}
    function = load_module(TEXT, {}, "loss", places).loss_backward
    for source_map in (None, places):
        with pytest.raises(ZeroDivisionError) as caught:
            function(0)
        add_user_note(caught.value, source_map)
        add_user_note(caught.value, source_map)
        assert caught.value.__notes__ == [
            "while computing the gradient: line 7 of user.py in loss: y = x + x"
        ]


def test_no_note_without_generated_code():
    with pytest.raises(ZeroDivisionError) as caught:
        1 / 0  # noqa: B018
    add_user_note(caught.value)
    assert not hasattr(caught.value, "__notes__")


def test_the_source_map_survives_import():
    places = {2: Span("user.py", 7, 0, 5, "y = x + x", "loss")}
    name = load_module(TEXT, {}, "loss", places).__name__
    forget()
    assert importlib.import_module(name).__source_map__ == places


def test_equal_text_from_two_places():
    one, two = ({2: Span(name, 7, 0, 5, "y = x + x", "loss")} for name in ("a.py", "b.py"))
    first, second = load_module(TEXT, {}, "loss", one), load_module(TEXT, {}, "loss", two)
    assert first is not second and first.__file__ == second.__file__
    assert load_module(TEXT, {}, "loss", one) is first and load_module(TEXT, {}, "loss", two) is second
    assert second.__source_map__ == two and pickle.loads(pickle.dumps(second.loss_backward))


def test_threads_get_one_module():
    found = []
    threads = [threading.Thread(target=lambda: found.append(load_module(TEXT, {}, "loss"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(map(id, found))) == 1


KEY = "ab" * 32


def test_compile_cache(directory, monkeypatch):
    cache = CompileCache()
    assert cache.get(KEY) is None
    cache.put(KEY, TEXT, {"names": ["a", "b"]})
    entry = CompileCache().get(KEY)
    assert (entry.text, entry.metadata) == (TEXT, {"names": ["a", "b"]})
    monkeypatch.setenv("AST_AD_CACHE", "0")
    assert cache.get(KEY) is None
    cache.put(KEY, "", {})
    monkeypatch.delenv("AST_AD_CACHE")
    assert cache.get(KEY).text == TEXT
    for bad in ("../x", "ab", KEY.upper()):
        with pytest.raises(ValueError):
            cache.get(bad)


@pytest.mark.parametrize(
    "change", [lambda d: d[:-5], lambda d: d.replace(b"x * 2", b"x * 3"), lambda d: b"[]"]
)
def test_damaged_entries_count_as_missing(directory, change):
    cache = CompileCache()
    cache.put(KEY, TEXT)
    path = directory / f"{KEY}.entry"
    path.write_bytes(change(path.read_bytes()))
    assert cache.get(KEY) is None and not path.exists()


def test_entries_of_other_versions_count_as_missing(monkeypatch):
    cache = CompileCache()
    cache.put(KEY, TEXT)
    monkeypatch.setattr("ast_ad.__version__", "0.0")
    assert cache.get(KEY) is None


def test_an_entry_under_another_key_is_refused(directory):
    cache = CompileCache()
    cache.put(KEY, TEXT)
    (directory / f"{KEY}.entry").rename(directory / f"{'cd' * 32}.entry")
    assert cache.get("cd" * 32) is None


def test_numba_caches_generated_code(directory):
    pytest.importorskip("numba")
    text = "import numba\n@numba.njit(cache=True)\ndef f(x):\n    return x * 2\n"
    code = f"""
from ast_ad.compiler.emit.load import load_module
f = load_module({text!r}, {{}}, "f").f
print(f(1.5), f.stats)
"""
    first, second = run(code), run(code)
    assert "cache_misses=Counter({(float64,): 1})" in first.stdout, first.stderr
    assert "cache_hits=Counter({(float64,): 1})" in second.stdout, second.stderr
