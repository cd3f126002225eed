"""Is a program of an earlier process taken if nothing that it depends on has changed, and only then?"""

import collections
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest

import ast_ad
from ast_ad import shelves
from ast_ad.calls import code as programs, lending, pipeline
from ast_ad.calls.code import Loaded
from ast_ad.calls.store import fingerprints, programs as stored
from ast_ad.calls.store.fingerprints import fingerprint
from ast_ad.compiler.arrays.in_place import write_in_place
from ast_ad.compiler.emit.load import load_module
from ast_ad.compiler.emit.python import emit_module

pytest.importorskip("numba", reason="kernels are compiled by Numba, which is an extra")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """A cache of this test's, and NumPy code in the place of kernels."""
    monkeypatch.setenv("AST_AD_CACHE_DIR", str(tmp_path / "cache"))

    def kernel_code(pure, report, **options):
        function, owned, fresh = pure
        name = function.name
        report.note("kernels", function.body.ops[-1], "it is NumPy code")
        emitted = emit_module([write_in_place(function, owned=owned, fresh=fresh)], header="kernels")
        module = load_module(emitted.text, emitted.injected, name, dict(emitted.lines))
        return Loaded(getattr(module, name), emitted.text)

    monkeypatch.setattr(pipeline, "kernel_code", kernel_code)
    monkeypatch.setattr(programs, "FAIL_LOUDLY", True)
    monkeypatch.setattr("ast_ad.api.has_numba", lambda: True)
    monkeypatch.setattr("ast_ad.calls.derivative.has_numba", lambda: True)


def forget(function):
    """What this process has compiled of a function."""
    vars(function).pop(shelves.NAME, None)
    lending._lenders.clear()


def restored(function, *args, argnums=0):
    """Value and gradient as of another process, and whether the program came from the disk."""
    forget(function)
    vg = ast_ad.value_and_grad(function, argnums, backend="numba")
    found = vg(*args)
    assert vg.backend == "numba"
    return found, isinstance(vg._last, stored.Restored)


THREE = np.array([1.0, 2.0, 3.0])
SCALE = 2.0
MODE = "square"
SHIFTS = [1.0, 2.0]


def helper(x, power=2.0):
    return x**power


def loss(x):
    if MODE == "square":
        return np.sum(helper(x)) * SCALE
    return np.sum(x) * SCALE


def test_found_again():
    (value, gradient), again = restored(loss, np.ones(3))
    assert not again
    (value, gradient), again = restored(loss, np.full(3, 2.0))
    assert again and value == 24.0 and gradient.tolist() == [8.0] * 3


def test_looking_inside():
    restored(loss, np.ones(3))
    vg = ast_ad.value_and_grad(loss, backend="numba")
    vg(np.ones(3))
    plain = ast_ad.value_and_grad(loss, backend="numpy")
    plain(np.ones(3))
    assert (
        vg.source.startswith("# kernels")
        and "SCALE" in vg.explain()
        and "compiled with Numba" in vg.explain()
    )
    assert "np.sum" in vg.forward_source and vg.adjoint_ir and vg.ir


def test_all_that_is_told_of_it_is_told_again():
    """But for who has checked it: also what passes noted, which don't run again."""

    def told():
        forget(loss)
        vg = ast_ad.value_and_grad(loss, backend="numba")
        vg(np.ones(3))
        return [line for line in vg.explain().splitlines() if not line.startswith("Checked")]

    first, *others = told(), told()
    assert any(line.endswith(": it is NumPy code") for line in first)
    assert others == [first]


@pytest.mark.parametrize("args", [(np.ones(4),), (np.ones(3, np.float32),), (np.ones((3, 3)),), (2.0,)])
def test_other_arguments(args):
    restored(loss, np.ones(3))
    assert not restored(loss, *args)[1] and restored(loss, *args)[1]


def test_other_choices():
    def product(x, y):
        return np.sum(x * y)

    args = np.ones(3), np.ones(3)
    assert not restored(product, *args)[1] and not restored(product, *args, argnums=1)[1]
    assert not restored(product, *args, argnums=(0,))[1] and restored(product, *args, argnums=(0,))[1]
    assert (
        not restored(product, np.ones(20), np.ones(20))[1] and restored(product, np.ones(30), np.ones(30))[1]
    )
    assert not restored(product, np.ones(20), np.ones(1))[1]


def test_what_is_read_outside_is_read_anew(monkeypatch):
    restored(loss, np.ones(3))
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    (value, _), again = restored(loss, np.ones(3))
    assert again and value == 15.0
    monkeypatch.setitem(globals(), "SCALE", np.full(2, 5.0))
    with pytest.raises(Exception, match="scalar|array"):
        restored(loss, np.ones(3))


@pytest.mark.parametrize(
    "name, changed",
    [("MODE", "linear"), ("helper", lambda x: 3.0 * x), ("SCALE", 2), ("SCALE", np.float32(2.0))],
)
def test_changes_are_seen(monkeypatch, name, changed):
    restored(loss, np.ones(3))
    monkeypatch.setitem(globals(), name, changed)
    (value, gradient), again = restored(loss, np.full(3, 2.0))
    expected = ast_ad.value_and_grad(loss, backend="numpy")(np.full(3, 2.0))
    assert not again and value == expected[0] and np.array_equal(gradient, expected[1])
    monkeypatch.undo()


def test_changed_defaults_and_code(monkeypatch):
    restored(loss, np.ones(3))
    monkeypatch.setattr(helper, "__defaults__", (3.0,))
    (value, _), again = restored(loss, np.full(3, 2.0))
    assert not again and value == 48.0
    monkeypatch.setattr(helper, "__code__", (lambda x, power: x * power).__code__)
    (value, _), again = restored(loss, np.full(3, 2.0))
    assert not again and value == 36.0


def test_patched_library(monkeypatch):
    restored(loss, np.ones(3))
    monkeypatch.setattr(np, "sum", np.max)
    assert not restored(loss, np.array([1.0, 2.0, 3.0]))[1]


def made(k):
    def inner(x):
        return np.sum(x) * k

    return inner


def test_closures():
    assert not restored(made(2.0), np.ones(3))[1]
    (value, _), again = restored(made(3.0), np.ones(3))
    assert again and value == 9.0
    assert not restored(made(3), np.ones(3))[1]


def listed(x):
    return np.sum(x) + SHIFTS[0] * x[0] + len(SHIFTS)


def test_containers(monkeypatch):
    restored(listed, np.ones(3))
    (value, _), again = restored(listed, np.ones(3))
    assert again and value == 6.0
    monkeypatch.setitem(globals(), "SHIFTS", [5.0, 1.0, 2.0])
    (value, _), again = restored(listed, np.ones(3))
    assert not again and value == 11.0


def repeated(x, n):
    return np.sum(x.reshape(n, -1)[0])


def test_compiled_in_values():
    for n in (2, 3, 2, 2):
        (value, _), again = restored(repeated, np.ones(6), n)
        assert value == 6 / n
    assert again


SIZES = {"rows": 2}


def reshaped(x):
    return np.sum(x.reshape(SIZES["rows"], 3) ** 2)


def test_whether_an_int_outside_may_be_minus_one(monkeypatch):
    """It is 2 or more in the first program, which serves no other, and -1 in the other one."""
    for rows, is_there in ((2, False), (2, True), (-1, False), (-1, True), (2, False)):
        monkeypatch.setitem(SIZES, "rows", rows)
        (value, gradient), again = restored(reshaped, np.ones(6))
        assert value == 6.0 and again == is_there, rows
        np.testing.assert_array_equal(gradient, [2.0] * 6)


Pair = collections.namedtuple("Pair", "a b")


class Model:
    rate = 2.0

    def __call__(self, x):
        return np.sum(x) * self.rate


def unusual(x):
    with np.errstate(all="ignore"):
        return np.sum(x)


@pytest.mark.parametrize("function", [Model(), Model().__call__, ast_ad.grad(lambda x: x**3)])
def test_what_cannot_be_told_is_not_stored(function):
    for _ in range(2):
        found, again = restored(function, 2.0)
        assert not again


def test_structures_of_values():
    def several(x):
        return np.sum(x), {"twice": [2 * x, None], "flag": (True, "a")}

    expected = None
    for _ in range(2):
        forget(several)
        vg = ast_ad.value_and_grad(several, has_aux=True, backend="numba")
        found = repr(vg(np.ones(2)))
        expected = expected or found
        assert found == expected
    assert isinstance(vg._last, stored.Restored)


def test_another_version(monkeypatch):
    restored(loss, np.ones(3))
    monkeypatch.setattr(stored, "package", lambda: "other")
    assert not restored(loss, np.ones(3))[1]


BUFFER = np.zeros(3)


def into_an_array_outside(x):
    BUFFER[:] = x * 2.0
    return np.sum(BUFFER * x)


def into_a_part_of_it(x):
    row = BUFFER[1:]
    row += x[1:]
    return np.sum(x * x)


def of_a_default(x, kept=np.zeros(3)):  # noqa: B008
    kept += x
    return np.sum(kept * x)


@pytest.mark.parametrize(
    "function, array",
    [
        (into_an_array_outside, BUFFER),
        (into_a_part_of_it, BUFFER),
        (of_a_default, of_a_default.__defaults__[0]),
    ],
)
def test_what_is_left_outside_is_left_by_every_process(function, array):
    for _ in range(3):
        array[:] = 1.0
        function(THREE)
        expected = array.copy()
        array[:] = 1.0
        restored(function, THREE)
        assert np.array_equal(array, expected) and not np.array_equal(array, np.ones(3))


def test_writes_to_arguments():
    def written(x):
        x[0] = 5.0
        return np.sum(x * x)

    for _ in range(2):
        x = np.ones(3)
        (value, gradient), again = restored(written, x)
        assert value == 27.0 and gradient.tolist() == [0.0, 2.0, 2.0] and x[0] == 1.0
    assert again


def test_kernels_that_fail(monkeypatch):
    restored(loss, np.ones(3))
    vg = ast_ad.value_and_grad(loss, backend="numba")
    vg(np.ones(3))

    def fails(*inputs):
        raise RuntimeError("no")

    assert isinstance(vg._last, stored.Restored)
    vg._last.code.run = fails
    assert vg(np.ones(3))[0] == 6.0 and vg.backend == "numpy" and vg(np.ones(3))[0] == 6.0


def cornered(y):
    flat = y.ravel()
    flat[1] = 3.0 * y[0, 0]
    return np.sum(y * y) + np.sum(flat)


@pytest.mark.parametrize(
    "layout", [np.array, np.asfortranarray, lambda y: np.repeat(y, 2, axis=1)[:, ::2], lambda y: y[::-1]]
)
def test_what_is_made_anew_knows_the_order(layout):
    y = np.arange(1.0, 7.0).reshape(2, 3)
    expected, _ = restored(cornered, layout(y.copy()))
    assert expected[0] == cornered(layout(y.copy()))
    vg = ast_ad.value_and_grad(cornered, backend="numba")
    vg(layout(y.copy()))
    assert isinstance(vg._last, stored.Restored)

    def fails(*inputs):
        raise RuntimeError("no")

    vg._last.code.run = fails
    value, gradient = vg(layout(y.copy()))
    assert value == expected[0] and gradient.tolist() == expected[1].tolist() and vg.backend == "numpy"


def test_fingerprints():
    same = [
        1,
        1.0,
        True,
        "1",
        b"1",
        None,
        (1,),
        (1.0,),
        np.dtype("f8"),
        np.dtype("f4"),
        np.sin,
        np.sum,
        len,
        int,
    ]
    same += [loss, helper, loss.__code__, np, np.linalg, np.linalg.norm, 0.0, -0.0, float("nan"), 1j]
    found = [fingerprint(value) for value in same]
    assert None not in found and len(set(found)) == len(found)
    for value in (
        [1],
        {},
        object(),
        Model(),
        {1: 2},
        (1, []),
        np.ones(2),
        types.ModuleType("np"),
        type("T", (), {}),
    ):
        assert fingerprint(value) is None
    assert fingerprints.package() == fingerprints.package()


def test_in_another_process(tmp_path):
    """With Numba itself: the second process doesn't load the compiler, and gets the same."""
    pytest.importorskip("numba")
    (tmp_path / "script.py").write_text(
        textwrap.dedent(
            """
            import sys
            import numpy as np
            import ast_ad

            def rosenbrock(x):
                return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

            vg = ast_ad.value_and_grad(rosenbrock, backend="numba")
            value, gradient = vg(np.linspace(0.0, 1.0, 50))
            lowered = "ast_ad.compiler.frontend.lower" in sys.modules
            print(vg.backend, lowered, repr(value), repr(gradient.tolist()))
            """
        )
    )
    out = [
        subprocess.run(
            [sys.executable, str(tmp_path / "script.py")],
            capture_output=True,
            text=True,
            check=True,
            env={
                **__import__("os").environ,
                "PYTHONPATH": str(fingerprints.Path(ast_ad.__file__).parent.parent),
            },
        ).stdout.split(" ", 2)
        for _ in range(2)
    ]
    assert out[0][:2] == ["numba", "True"] and out[1][:2] == ["numba", "False"], out
    assert out[0][2] == out[1][2]


def doubled_squares(x):
    return 2.0 * np.sum(x * x)


class Stopped(Exception):
    """What a handler of signals raises."""


def test_kernels_that_were_interrupted_are_asked_for_again():
    """That a time limit ran out in one process says nothing of the next one."""
    forget(doubled_squares)
    derivative = ast_ad.value_and_grad(doubled_squares, backend="numba")
    derivative(THREE)
    program = derivative._last
    assert stored._described(program, [THREE])["backend"] == "numba"
    program.code.drop_kernels(Stopped("after 3 s"))
    assert program.code.backend == "numpy" and program.code.why == "Stopped: after 3 s"
    with pytest.raises(stored.NotStored):
        stored._described(program, [THREE])


def test_kernels_that_could_not_be_made_are_asked_for_again(monkeypatch):
    """A process in which Numba can't be loaded, or has no memory, says nothing of the next one."""
    forget(doubled_squares)
    with monkeypatch.context() as broken:
        broken.setattr(programs, "FAIL_LOUDLY", False)
        broken.setattr(pipeline, "kernel_code", lambda *args, **options: 1 / 0)
        derivative = ast_ad.value_and_grad(doubled_squares, backend="numba")
        derivative(THREE)
    assert derivative.backend == "numpy" and "ZeroDivisionError" in str(derivative.explain())
    forget(doubled_squares)
    again = ast_ad.value_and_grad(doubled_squares, backend="numba")
    again(THREE)
    assert again.backend == "numba"
