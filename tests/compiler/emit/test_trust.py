"""Does another user get code of his run, by directories that he renames, links, or files that he plants?

The second owner is simulated: by mode bits, renames, and a table of what belongs to him.
"""

import hashlib
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import ast_ad
from ast_ad.calls.store.compilations import CompileCache
from ast_ad.compiler.emit import storage, trusted
from ast_ad.compiler.emit.load import load_module

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no modes")
OTHER = 54321


@pytest.fixture
def base(tmp_path, monkeypatch):
    """Where the cache is asked to be: in a folder of its own, below another."""
    monkeypatch.setenv("AST_AD_CACHE_DIR", str(tmp_path / "shared" / "cache"))
    monkeypatch.delenv("AST_AD_CACHE", raising=False)
    (tmp_path / "shared").mkdir(mode=0o755)
    yield tmp_path / "shared" / "cache"
    storage._accepted.clear()


@pytest.fixture
def his(monkeypatch):
    """``his(path)``: from now on this inode belongs to the other user."""
    inodes = set()

    def owner(status):
        return OTHER if (status.st_dev, status.st_ino) in inodes else status.st_uid

    def give(path):
        status = os.lstat(path)
        inodes.add((status.st_dev, status.st_ino))

    monkeypatch.setattr(trusted, "owner", owner)
    return give


class Payload:
    """What unpickling runs."""

    def __init__(self, marker):
        self.marker = str(marker)

    def __reduce__(self):
        return Path.touch, (Path(self.marker),)


def refused(match):
    with pytest.warns(RuntimeWarning, match=match):
        used = storage.cache_directory()
    assert used is not None and used.stat().st_mode & 0o777 == 0o700
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert storage.cache_directory() == used  # told once
    return used


def test_an_ordinary_way(base):
    assert storage.cache_directory() == base / f"v{storage.FORMAT}"
    assert base.stat().st_mode & 0o777 == 0o700  # what is made on the way is private, whatever the umask


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o722])
def test_a_folder_that_others_write_to(base, mode):
    base.parent.chmod(mode)
    used = refused("shared, on the way to it, can be written to by other users")
    assert base not in used.parents


def test_a_sticky_folder(base):
    base.parent.chmod(0o1777)
    assert storage.cache_directory().parent == base


def test_a_folder_of_another_user(base, his):
    his(base.parent)
    refused("shared, on the way to it, belongs to another user")


def test_a_folder_far_up(base, tmp_path, monkeypatch):
    monkeypatch.setenv("AST_AD_CACHE_DIR", str(base / "a" / "b" / "c"))
    base.parent.chmod(0o777)
    refused("can be written to by other users")


def test_the_directory_of_another_user(base, his):
    (base / f"v{storage.FORMAT}").mkdir(parents=True, mode=0o700)
    his(base / f"v{storage.FORMAT}")
    refused("it belongs to another user")


def test_own_links_are_followed(base, tmp_path):
    (tmp_path / "real").mkdir()
    base.symlink_to(Path("..") / "real")
    assert storage.cache_directory() == base / f"v{storage.FORMAT}"
    assert (tmp_path / "real" / f"v{storage.FORMAT}").is_dir()


def test_a_link_of_another_user(base, tmp_path, his):
    (tmp_path / "real").mkdir()
    base.symlink_to(tmp_path / "real")
    his(base)
    refused("is a link of another user")


def test_a_link_into_a_folder_that_others_write_to(base, tmp_path):
    (tmp_path / "open" / "real").mkdir(parents=True)
    (tmp_path / "open").chmod(0o777)
    base.symlink_to(tmp_path / "open" / "real")
    refused("open, on the way to it, can be written to")


def test_links_in_a_circle(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert "link" in trusted.why_not_safe(tmp_path / "a" / "c")


def test_no_directory_is_better_than_an_open_one(base, monkeypatch):
    """Where temporary directories are exchanged as easily, nothing is kept."""
    monkeypatch.setattr(storage, "why_not_safe", lambda path: "no way is safe")
    with pytest.warns(RuntimeWarning):
        assert storage.cache_directory() is None
    assert load_module("def f():\n    return 3\n", {}, "f").f() == 3


def loss(x, n):
    s = 0.0
    for i in range(n):
        s = s + x[i] ** 3
    return s


def plant(found, planted, marker):
    """A directory like the one that was found, each file with a payload that its hash fits."""
    planted.mkdir(mode=0o700)
    (planted / "__pycache__").mkdir()
    payload = pickle.dumps(Payload(marker))
    for path in found.iterdir():
        if path.suffix == ".nbc":
            (planted / path.name).write_bytes(hashlib.sha256(payload).digest() + payload)
        else:
            (planted / path.name).write_bytes(path.read_bytes())
            for end in ("nbi", "1.nbc"):
                (planted / "__pycache__" / f"{path.stem}.run-1.py311.{end}").write_bytes(payload)


def test_the_directory_is_renamed_after_the_check(base, tmp_path, his):
    """What the page of faults describes: his code would run at the next compilation of the same process."""
    marker = tmp_path / "his code ran"
    x = np.array([1.0, 2.0])
    assert np.array_equal(ast_ad.grad(loss, backend="numba")(x, 2), 3 * x**2)
    used = storage.cache_directory()
    assert [p for p in used.iterdir() if p.suffix == ".nbc"]
    base.parent.chmod(0o777)
    base.rename(base.parent / "mine")
    base.mkdir()
    plant(base.parent / "mine" / used.name, used, marker)
    his(base)
    his(used)
    with pytest.warns(RuntimeWarning, match="is not used"):
        again = ast_ad.grad(loss, backend="numba")(x.astype(np.float32), 2)
        assert np.array_equal(again, 3 * x**2)
        assert np.array_equal(ast_ad.grad(loss, backend="numba")(x, 2), 3 * x**2)
    assert not marker.exists()
    assert storage.cache_directory().parent != base


def test_the_directory_is_renamed_between_the_check_and_the_file(base, tmp_path):
    """There is no time between: files are opened through the directory that was checked."""
    path = storage.cache_directory() / f"{'ab' * 32}.entry"
    assert storage.write(path, b"mine")
    path.parent.rename(tmp_path / "mine")
    path.parent.mkdir(mode=0o700)
    path.write_bytes(b"his")
    assert storage.read(path) == b"mine"
    assert storage.write(path, b"mine, later")
    assert path.read_bytes() == b"his" and storage.read(path) == b"mine, later"
    storage.remove(path)
    assert path.read_bytes() == b"his" and not (tmp_path / "mine" / path.name).exists()


def test_a_directory_that_is_opened_to_others_later(base):
    used = storage.cache_directory()
    used.chmod(0o770)
    assert refused("other users") != used


@pytest.mark.parametrize("what", ["owner", "mode", "link", "pipe", "folder"])
def test_files_of_another_user(base, tmp_path, his, what):
    path = storage.cache_directory() / f"{'cd' * 32}.entry"
    storage.write(path, b"text")
    assert storage.read(path) == b"text"
    if what == "owner":
        his(path)
    elif what == "mode":
        path.chmod(0o622)
    else:
        path.unlink()
        if what == "link":
            (tmp_path / "other").write_bytes(b"text")
            path.symlink_to(tmp_path / "other")
        elif what == "pipe":
            os.mkfifo(path)
        else:
            path.mkdir()
    assert storage.read(path) is None
    assert CompileCache().get("cd" * 32) is None


def test_machine_code_of_another_user(base, tmp_path, his):
    """Planted in the right directory, under the right name, with the right hash: by its owner."""
    x = np.array([1.0, 2.0])
    script = tmp_path / "program.py"
    script.write_text(
        "import numpy as np, ast_ad, sys\n"
        "from ast_ad.compiler.emit import trusted\n"
        "trusted.owner = lambda s: 54321 if s.st_mtime == 1e9 else s.st_uid\n"
        "def loss(x):\n    return np.sum(np.sin(x) * x)\n"
        "print(ast_ad.grad(loss, backend='numba')(np.ones(3)))\n"
    )
    here = str(Path(__file__).resolve().parents[3])

    def run():
        done = subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, "PYTHONPATH": here},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = run()
    marker = tmp_path / "his code ran"
    payload = pickle.dumps(Payload(marker))
    files = list((base / f"v{storage.FORMAT}").glob("*.nbc"))
    assert files
    for path in files:
        path.write_bytes(hashlib.sha256(payload).digest() + payload)
        os.utime(path, (1e9, 1e9))
    assert run() == first and not marker.exists()
    for path in files:  # the same, as the user's own: then it is he who runs it, and the test would see it
        path.write_bytes(hashlib.sha256(payload).digest() + payload)
    run_own = subprocess.run(
        [sys.executable, str(script)], env={**os.environ, "PYTHONPATH": here}, capture_output=True, text=True
    )
    assert marker.exists(), run_own.stderr
