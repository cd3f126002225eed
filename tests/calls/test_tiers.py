"""When are kernels compiled, which calls do they answer, and what if they fail?"""

import types

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code as programs, pipeline, tiers
from ast_ad.calls.code import Loaded, NotCompiled
from ast_ad.calls.program import Program
from ast_ad.compiler.analysis.work import nanoseconds
from ast_ad.compiler.arrays.in_place import write_in_place
from ast_ad.compiler.emit.load import load_module
from ast_ad.compiler.emit.python import emit_module
from ast_ad.compiler.frontend.length_patterns import Known
from ast_ad.errors import InputValueError, InternalError

pytest.importorskip("numba", reason="kernels are compiled by Numba, which is an extra")


class Mismatch(Exception):
    pass


class StandIn:
    """A compiler of kernels that makes NumPy code, counts, and fails on demand."""

    def __init__(self):
        self.compiled, self.ran, self.refuse, self.fail = [], 0, False, None

    def kernel_code(self, pure, report, **options):
        if self.refuse:
            raise NotCompiled("nothing in it is worth it")
        function, owned, fresh = pure
        name = function.name
        self.compiled.append(function)
        emitted = emit_module([write_in_place(function, owned=owned, fresh=fresh)], header="kernels")
        module = load_module(emitted.text, emitted.injected, name, dict(emitted.lines))

        def run(*inputs):
            self.ran += 1
            results = getattr(module, name)(*inputs)
            if self.fail is not None:
                raise self.fail
            return results

        return Loaded(run, emitted.text)


@pytest.fixture
def kernels(monkeypatch):
    """The stand-in in the place of the Numba backend."""
    monkeypatch.setenv("AST_AD_CACHE", "0")  # programs of earlier tests are not found
    stand_in = StandIn()
    monkeypatch.setattr(pipeline, "kernel_code", stand_in.kernel_code)
    monkeypatch.setattr(programs, "FAIL_LOUDLY", True)
    monkeypatch.setattr(tiers, "has_numba", lambda: True)
    monkeypatch.setattr("ast_ad.calls.derivative.has_numba", lambda: True)
    return stand_in


def total(x, y):
    x[0] = 2.0
    return np.sum(x * y)


SCALE = 2.0


def scaled(x):
    return np.sum(x * x) * SCALE


def test_at_once(kernels):
    vg = ast_ad.value_and_grad(total, (0, 1), backend="numba")
    x, y = np.ones(20), np.full(20, 3.0)
    for _ in range(3):
        value, (a, b) = vg(x, y)
        assert value == 63.0 and a.tolist() == [0.0] + [3.0] * 19 and b.tolist() == [2.0] + [1.0] * 19
    assert x[0] == 1.0 and len(kernels.compiled) == 1 and kernels.ran == 3
    assert vg.backend == "numba" and vg.mode == "compiled" and vg.source.startswith("# kernels")
    assert "total_value_and_grad: compiled with Numba" in vg.explain()


def test_numpy_gets_no_kernels(kernels):
    vg = ast_ad.value_and_grad(total, backend="numpy")
    vg(np.ones(20), np.ones(20))
    assert kernels.compiled == [] and vg.backend == "numpy"


def test_auto_waits_for_work(kernels, monkeypatch):
    """The first call is NumPy's; kernels come when the estimated work is passed, at the same call."""
    seen = []
    monkeypatch.setattr(tiers, "PRICE", 0.0)
    for _ in range(2):
        kernels.compiled.clear()
        vg = ast_ad.value_and_grad(copy_of(scaled), backend="auto")
        monkeypatch.setattr(tiers, "WORTH", 1e6)
        backends = []
        for _ in range(300):
            assert vg(np.ones(50))[0] == 100.0
            backends.append(vg.backend)
        seen.append(backends)
    assert seen[0] == seen[1] and backends[0] == "numpy" and backends[-1] == "numba"
    assert backends == sorted(backends, reverse=True) and len(kernels.compiled) == 1
    monkeypatch.setattr(tiers, "WORTH", 0.0)
    vg = ast_ad.value_and_grad(scaled, backend="auto")
    vg(np.ones(50))
    assert vg.backend == "numpy"
    vg(np.ones(50))
    assert vg.backend == "numba"


def test_what_the_compiler_of_kernels_can_not_make_is_told(kernels, monkeypatch):
    monkeypatch.setattr(programs, "FAIL_LOUDLY", False)

    def broken(*args):
        raise ZeroDivisionError("in a pass")

    vg = ast_ad.value_and_grad(scaled, backend="numba")
    monkeypatch.setattr(vg, "_build_kernels", broken)
    assert vg(np.ones(50))[0] == 100.0 and vg.backend == "numpy"
    assert "NumPy code; there are no kernels, since ZeroDivisionError: in a pass" in vg.explain()


def test_after_a_defect_less_is_relied_on(kernels, monkeypatch):
    """What the compiler fails on with lengths that are constants it may compile with other lengths."""
    vg, seen = ast_ad.value_and_grad(scaled, backend="numba"), []
    build = vg._build_kernels

    def broken(args, kwargs, known):
        seen.append(known)
        if known is Known.CONSTANTS:
            raise InternalError("a pass")
        return build(args, kwargs, known)

    monkeypatch.setattr(vg, "_build_kernels", broken)
    for _ in range(2):
        assert vg(np.ones(3))[0] == 6.0 and vg.backend == "numba"
    assert seen == [Known.CONSTANTS, Known.EQUALITIES]
    monkeypatch.setattr(vg, "_build_kernels", lambda *args: broken(*args[:2], Known.CONSTANTS))
    for _ in range(2):
        assert vg(np.ones((3, 3)))[0] == 18.0 and vg.backend == "numpy"
    assert seen[2:] == [Known.CONSTANTS] * 3  # and not again


def test_compiled_ahead(kernels):
    vg, gradient = ast_ad.value_and_grad(scaled), ast_ad.grad(scaled)
    vg.compile(np.ones(50))
    assert len(kernels.compiled) == 1 and vg.backend == "numba"
    assert vg(np.full(50, 2.0))[0] == 400.0 and vg.backend == "numba" and len(kernels.compiled) == 1
    gradient(np.ones(50))
    gradient.compile(np.ones((2, 2)))  # arguments of another kind wait as before
    gradient(np.ones(50))
    assert gradient.backend == "numpy" and len(kernels.compiled) == 2
    ast_ad.grad(scaled, backend="numpy").compile(np.ones(50))
    assert len(kernels.compiled) == 2


CALLS = []


def test_nothing_is_stored_ahead(kernels):
    def noted(x):
        CALLS.append(float(x[0]))
        return np.sum(x * x)

    gradient = ast_ad.grad(noted)
    gradient.compile(np.ones(3))
    assert CALLS == [] and gradient.backend == "numba"
    assert gradient(np.ones(3)).tolist() == [2.0, 2.0, 2.0] and CALLS == [1.0]


def test_nothing_is_printed_ahead(capsys):
    def told(x):
        print("called")
        return np.sum(x * x)

    gradient = ast_ad.grad(told)
    gradient.compile(np.ones(3))
    assert capsys.readouterr().out == ""
    assert gradient(np.ones(3)).tolist() == [2.0, 2.0, 2.0] and capsys.readouterr().out == "called\n"


def copy_of(function):
    """The function as another one, of which nothing is compiled."""
    return types.FunctionType(function.__code__, function.__globals__, function.__name__)


def calls_until_kernels():
    vg = ast_ad.value_and_grad(copy_of(scaled), backend="auto")
    for i in range(5000):
        assert vg(np.ones(50))[0] == 100.0
        if vg.backend == "numba":
            return i, vg
    return None, vg


def test_auto_waits_for_the_price_of_compiling(kernels, monkeypatch):
    """The longer the kernels, the later; they are written once, and compiled when they have paid."""
    monkeypatch.setattr(tiers, "WORTH", 1e6)
    found = []
    for price in (0.0, 3e5, 6e5):
        monkeypatch.setattr(tiers, "PRICE", price)
        kernels.compiled.clear()
        calls, vg = calls_until_kernels()
        found.append(calls)
        lines = vg.source.count("\n")
        work = nanoseconds(vg._last.joint, [np.ones(50)])
        assert calls == np.ceil(max(1e6, price * lines) / work) and len(kernels.compiled) == 1
    assert found[0] < found[1] < found[2]
    monkeypatch.setattr(Program, "stored", True)  # the machine code is on the disk
    assert calls_until_kernels()[0] == found[0]


def test_a_check_that_fails_is_answered_by_numpy(kernels):
    vg = ast_ad.value_and_grad(total, backend="numba")
    x, y = np.ones(20), np.ones(20)
    vg(x, y)
    kernels.fail = Mismatch("lengths")
    assert vg(x, y)[0] == 21.0 and x[0] == 1.0 and vg.backend == "numpy"
    ran = kernels.ran
    assert vg(x, y)[0] == 21.0 and kernels.ran == ran
    assert "NumPy code, since Mismatch: lengths" in vg.explain()
    kernels.fail = None
    assert vg(np.ones(3), np.ones(3))[0] == 4.0 and vg.backend == "numba"  # another pattern


def picky(x):
    if x[0] < 0:
        raise ValueError("negative")
    return np.sum(x)


def test_the_users_errors_are_raised_by_numpy(kernels):
    vg = ast_ad.value_and_grad(picky, backend="numba")
    vg(np.ones(3))
    with pytest.raises(ValueError, match="negative") as caught:
        vg(-np.ones(3))
    assert "picky" in "".join(caught.value.__notes__)
    vg(np.ones(3))
    assert vg.backend == "numba"


def test_what_numba_cannot_do_is_numpy(kernels):
    kernels.refuse = True
    vg = ast_ad.value_and_grad(total, backend="numba")
    assert vg(np.ones(3), np.ones(3))[0] == 4.0 and vg.backend == "numpy"
    assert "NumPy code, since nothing in it is worth it" in vg.explain()


def errors_raised(x):
    with np.errstate(divide="raise"):
        return np.sum(1.0 / x)


def errors_ignored(x):
    total = 0.0
    for k in range(3):
        with np.errstate(divide="ignore", invalid="ignore"):
            total += np.sum(np.where(x > 0, (k + 1) / x, 0.0))
    return total


def test_error_modes_are_numpys(kernels):
    vg = ast_ad.value_and_grad(errors_raised, backend="numba")
    assert vg(np.ones(2))[0] == 2 and vg.backend == "numpy" and "np.errstate" in vg.explain()
    with pytest.raises(FloatingPointError):
        vg(np.zeros(2))


def test_silence_is_all_the_same_to_kernels(kernels):
    vg = ast_ad.value_and_grad(errors_ignored, backend="numba")
    value, bar = vg(np.array([0.0, 2.0]))
    assert value == 3 and bar.tolist() == [0, -1.5]
    assert vg.backend == "numba" and "NumPy code" not in vg.explain()


def test_patterns_of_lengths(kernels):
    """Each pattern has its program; after many, programs rely on less."""
    vg = ast_ad.value_and_grad(total, backend="numba")
    for n in (100, 200, 100):
        vg(np.ones(n), np.ones(n))
    assert len(kernels.compiled) == 1
    vg(np.ones(100), np.ones(1))  # ones are a signature of their own
    vg(np.ones(2), np.ones(2))
    assert [f.params[0].type.shape for f in kernels.compiled][2] == (2,)
    for n in range(3, 40):
        assert vg(np.ones(n), np.ones(n))[0] == n + 1
    assert len(kernels.compiled) == 7  # for 100, 1, 2, 3, 4, 5, and from 6 on for any length
    assert vg.backend == "numba"


def unequal(x, y, z):
    return np.sum(x) * np.sum(y) * np.sum(z)


def test_many_patterns(kernels):
    vg = ast_ad.value_and_grad(unequal, backend="numba")
    for k in (2, 3, 4, 5, 6, 7, 9):
        for m in (2, 3, 4, 5, 6, 7, 9):
            assert vg(np.ones(k), np.ones(m), np.ones(3))[0] == 3.0 * k * m
    tier = next(iter(vg._tiers.values()))
    assert tier.known() is Known.ONES and len(kernels.compiled) == 9


def test_changed_surroundings(kernels):
    global SCALE
    vg = ast_ad.value_and_grad(scaled, backend="numba")
    try:
        assert vg(np.ones(3))[0] == 6.0
        SCALE = 3.0
        assert vg(np.ones(3))[0] == 9.0 and len(kernels.compiled) == 1
        SCALE = np.float32(3.0)  # another kind
        assert vg(np.ones(3))[0] == 9.0 and len(kernels.compiled) == 2
    finally:
        SCALE = 2.0


def weighted(x):
    return np.sum(x * WEIGHTS)


WEIGHTS = np.ones(5)


def test_outside_arrays_belong_to_the_pattern(kernels):
    global WEIGHTS
    vg = ast_ad.value_and_grad(weighted, backend="numba")
    x = np.ones((4, 5))
    try:
        assert vg(x)[0] == 20.0
        WEIGHTS = np.full((4, 1), 2.0)
        assert vg(x)[0] == 40.0
        WEIGHTS = np.full((4, 5), 3.0)
        assert vg(x)[0] == 60.0 and len(kernels.compiled) == 3
    finally:
        WEIGHTS = np.ones(5)


def test_pullbacks(kernels):
    pull = ast_ad.vjp(lambda x, y: x * np.sin(y), backend="numba")
    x, y = np.arange(10.0), np.linspace(0, 1, 10)
    value, pullback = pull(x, y)
    assert len(kernels.compiled) == 2 and pull.backend == "numba"
    a, b = pullback(np.ones(10))
    np.testing.assert_allclose(a, np.sin(y))
    np.testing.assert_allclose(b, x * np.cos(y))
    kernels.fail = Mismatch("lengths")
    a, b = pullback(np.ones(10))
    np.testing.assert_allclose(a, np.sin(y))
    kernels.fail = None
    value, pullback = pull(x, y)
    np.testing.assert_allclose(pullback(np.ones(10))[0], np.sin(y))


def test_what_cannot_be_built_is_not_tried_for_ever(kernels, monkeypatch):
    """NumPy answers, the short way once there is nothing to count."""
    vg = ast_ad.value_and_grad(scaled, backend="numba")
    tried = []

    def fails(*args):
        tried.append(1)
        raise RuntimeError

    monkeypatch.setattr(vg, "_build_kernels", fails)
    monkeypatch.setattr(programs, "FAIL_LOUDLY", False)
    for n in (2, 3, 4, 5, 5, 5):
        for _ in range(3):
            assert vg(np.ones(n))[0] == 2.0 * n
    assert len(tried) == tiers.MOST_REFUSED and vg._fast is not None


def test_numba_is_missing(monkeypatch):
    monkeypatch.setattr("ast_ad.api.has_numba", lambda: False)
    monkeypatch.setattr("ast_ad.calls.derivative.has_numba", lambda: False)
    with pytest.raises(InputValueError, match=r"ast_ad\[numba\]"):
        ast_ad.grad(scaled, backend="numba")
    assert ast_ad.grad(scaled)(np.ones(2)).tolist() == [4.0, 4.0]


def test_a_function_that_is_run_for_a_check_gets_no_kernels():
    """Its value is compared once: what would be compiled for that serves nobody."""
    inner = ast_ad.grad(lambda x: np.sum(np.sin(x) * x), backend="numba")

    def outer(x):
        return np.sum(inner(x) ** 2)

    asked, x = ast_ad.grad(outer, backend="numba"), np.linspace(0.1, 1.0, 5)
    found = asked(x)
    assert any(tier.programs for tier in asked._tiers.values())
    assert not any(tier.programs for tier in inner._tiers.values())
    slope, curvature = np.cos(x) * x + np.sin(x), 2.0 * np.cos(x) - np.sin(x) * x
    np.testing.assert_allclose(found, 2.0 * slope * curvature, rtol=1e-12)
    np.testing.assert_allclose(inner(x), slope, rtol=1e-12)
    assert any(tier.programs for tier in inner._tiers.values())
