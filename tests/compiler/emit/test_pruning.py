"""Does the cache stay within its bounds, with several processes, and touch nothing but its own files?"""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.emit import pruning, storage

ROOT = str(Path(__file__).resolve().parents[3])
DAY = 86_400


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("AST_AD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("AST_AD_CACHE", raising=False)
    yield storage.directory()
    storage._accepted.clear()


def put(home, number, size=1000, age=0.0):
    path = home.path / f"{number:064x}.entry"
    path.write_bytes(b"x" * size)
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def names(home):
    return sorted(int(p.stem, 16) for p in home.path.glob("*.entry"))


def test_old_files_go(home):
    put(home, 1, age=(pruning.MOST_DAYS + 1) * DAY)
    put(home, 2, age=(pruning.MOST_DAYS - 1) * DAY)
    put(home, 3)
    pruning.prune(home)
    assert names(home) == [2, 3]


def test_the_least_recently_used_go_first(home, monkeypatch):
    monkeypatch.setattr(pruning, "MOST_BYTES", 10_000)
    for number in range(20):
        put(home, number, age=DAY * (1 + (number * 7) % 20))  # by age in another order than by name
    pruning.prune(home)
    assert names(home) == sorted(sorted(range(20), key=lambda n: (n * 7) % 20)[:7])
    pruning.prune(home)
    assert len(names(home)) == 7


def test_files_in_bounds_stay(home, monkeypatch):
    monkeypatch.setattr(pruning, "MOST_BYTES", 10_000)
    for number in range(10):
        put(home, number, age=DAY)
    pruning.prune(home)
    assert len(names(home)) == 10


def test_what_was_just_written_stays(home, monkeypatch):
    """A module, its map and its machine code are written one after another."""
    monkeypatch.setattr(pruning, "MOST_BYTES", 100)
    put(home, 1, age=DAY)
    put(home, 2)
    put(home, 3, age=-3 * DAY)  # by a clock that was wrong
    pruning.prune(home)
    assert names(home) == [2]


def test_reading_counts_as_use(home):
    path = put(home, 1, age=30 * DAY)
    assert storage.read(path) == b"x" * 1000
    assert time.time() - path.stat().st_mtime < DAY
    before = path.stat().st_mtime_ns
    storage.read(path)
    assert path.stat().st_mtime_ns == before  # once a day


def test_nothing_else_is_touched(home, tmp_path):
    """The user's own files, should he keep any there, and what links lead to."""
    kept = [home.path / name for name in ("notes.txt", "model.py", "f_0.json", "x.entry", ".hidden", "a.nbc")]
    for path in kept:
        path.write_text("mine")
    (home.path / "folder").mkdir()
    (home.path / "folder" / f"{1:064x}.entry").write_text("mine")
    (tmp_path / "elsewhere").write_text("mine")
    (home.path / f"{2:064x}.entry").symlink_to(tmp_path / "elsewhere")
    (home.path / f"{3:064x}.entry").mkdir()
    for path in [*kept, tmp_path / "elsewhere"]:
        os.utime(path, (1e9, 1e9))
    pruning.prune(home)
    ast_ad.clear_cache()
    assert all(path.read_text() == "mine" for path in [*kept, tmp_path / "elsewhere"])
    assert (home.path / "folder" / f"{1:064x}.entry").exists() and (home.path / f"{3:064x}.entry").is_dir()


def test_files_of_crashed_writers_go(home):
    old, new = home.path / f".{'ab' * 8}.part", home.path / f".{'cd' * 8}.part"
    for path in (old, new):
        path.write_text("half")
    os.utime(old, (time.time() - 7200,) * 2)
    pruning.prune(home)
    assert not old.exists() and new.exists()


def test_every_so_many_writes(home, monkeypatch):
    looks = []
    monkeypatch.setattr(pruning, "prune", looks.append)
    home.writes = 0
    for number in range(2 * pruning.EVERY + 1):
        storage.write(home.path / f"{number:064x}.entry", b"")
    assert looks == [home] * 3


WRITER = """
import sys, time
from ast_ad.compiler.emit import pruning, storage
pruning.MOST_BYTES, pruning.EVERY, pruning._YOUNG = 40_000, 3, -1.0
home, who = storage.directory(), int(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
lost = 0
for number in range(300):
    path = home.path / f"{who * 1000 + number:064x}.entry"
    assert storage.write(path, bytes([who]) * 1000)
    found = storage.read(path)
    assert found in (None, bytes([who]) * 1000)
    lost += found is None
pruning.prune(home)
print("done", flush=True)
"""


def test_two_processes_at_once(home, monkeypatch):
    """They remove each other's files, and the same ones: neither fails, and what is read is whole."""
    environment = {**os.environ, "PYTHONPATH": ROOT}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    runs = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(who)], env=environment, text=True, **pipes)
        for who in (1, 2)
    ]
    for run in runs:
        assert run.stdout.readline() == "ready\n"
    for run in runs:
        run.stdin.write("\n")
        run.stdin.flush()
    for run in runs:
        out, errors = run.communicate(timeout=120)
        assert run.returncode == 0 and out == "done\n", errors
    monkeypatch.setattr(pruning, "MOST_BYTES", 40_000)
    monkeypatch.setattr(pruning, "_YOUNG", -1.0)
    pruning.prune(home)  # the last one of theirs may have met the other process at it, with an older list
    left = list(home.path.iterdir())
    assert sum(p.stat().st_size for p in left) <= 40_000 and left
    assert not [p for p in left if p.suffix == ".part"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_only_one_process_looks(home):
    import fcntl

    put(home, 1, age=999 * DAY)
    other = os.open(home.path, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        pruning.prune(home)
        assert names(home) == [1]
    finally:
        os.close(other)  # as when the other process ends
    pruning.prune(home)
    assert names(home) == []


def cube(x):
    return np.sum(x**3)


def test_clear_cache(home):
    gradient, x = ast_ad.grad(cube, backend="numpy"), np.array([1.0, 2.0])
    gradient(x)
    assert list(home.path.iterdir())
    ast_ad.clear_cache()
    assert not list(home.path.iterdir())
    assert np.array_equal(gradient(x), 3 * x**2) and "x" in gradient.source
    assert np.array_equal(ast_ad.grad(cube, backend="numpy")(x), 3 * x**2)


def test_clear_cache_where_nothing_is_kept(monkeypatch):
    monkeypatch.setenv("AST_AD_CACHE", "0")
    ast_ad.clear_cache()


def test_the_bounds_are_documented():
    text = (Path(ROOT) / "docs" / "errors.md").read_text()
    assert f"{pruning.MOST_BYTES >> 20} MiB" in text and f"{pruning.MOST_DAYS} days" in text
