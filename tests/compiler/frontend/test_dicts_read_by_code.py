"""Are dicts from outside whose class has Python code for reads read by that code, at every call, once?"""

from collections import defaultdict

import numpy as np
import pytest

import ast_ad

STEP = 1e-6


class Registry(dict):
    """It makes what it is asked for the first time, and has one entry that is in use."""

    def __init__(self):
        super().__init__()
        self.active = "sine"
        self["sine"], self["scale"] = np.sin, 3.0

    def __getitem__(self, key):
        try:
            return super().__getitem__(key)
        except KeyError:
            self[key] = np.cos
            return super().__getitem__(key)

    @property
    def now(self):
        return self[self.active]


class AnyCase(dict):
    def __getitem__(self, key):
        return dict.__getitem__(self, key.lower())

    def __contains__(self, key):
        return dict.__contains__(self, key.lower())


class Twice(dict):
    def __getitem__(self, key):
        return 2.0 * super().__getitem__(key)


class Behind(dict):
    """What it lacks is another one's."""

    def __init__(self, behind, **own):
        super().__init__(**own)
        self.behind = behind

    def __getitem__(self, key):
        return super().__getitem__(key) if key in self.keys() else self.behind[key]


class Counting(dict):
    reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)


class Lenient(dict):
    def get(self, key, default=7.0):
        return super().get(key, default) + (1.0 if key in self else 0.0)


class Nothing(dict):
    def __contains__(self, key):
        return False


class Made(dict):
    def __missing__(self, key):
        return 5.0


REGISTRY, ANY_CASE, TWICE = Registry(), AnyCase(rho=1.5, mu=0.3), Twice(a=1.5)
BEHIND, COUNTING, LENIENT = Behind({"a": 4.0}, b=2.0), Counting(a=1.5), Lenient(a=1.0)
NOTHING, MADE, DEFAULTS = Nothing(a=2.0), Made(b=2.0), defaultdict(float, b=2.0)


def registered(x):
    return REGISTRY["sine"](x) * REGISTRY["scale"]


def in_use(x):
    return REGISTRY.now(x) ** 2


def in_any_case(x):
    return ANY_CASE["RHO"] * x + (ANY_CASE["Mu"] if "MU" in ANY_CASE else 0.0) * x**2


def other_reads_are_plain(x):
    return TWICE["a"] * x + sum(TWICE.values()) * x * x + TWICE.get("a") * x**3


def with_another_behind(x):
    return BEHIND["a"] * x + BEHIND["b"] * x * x


def counted(x):
    return COUNTING["a"] * x * x


def lenient(x):
    return LENIENT.get("q") * x + LENIENT.get("a") * x * x


def never_there(x):
    return x * (3.0 if "a" in NOTHING else 2.0) * NOTHING["a"]


def in_a_loop(x):
    total = 0.0
    for key in ("a", "b", "a"):
        total = total * x + BEHIND[key]
    return total


def of_an_argument(x, options=TWICE):
    return np.exp(options["a"] * x)


PROGRAMS = [registered, in_use, in_any_case, other_reads_are_plain, with_another_behind, counted, lenient,
            never_there, in_a_loop, of_an_argument]  # fmt: skip


def differences(f, x):
    return (f(x + STEP) - f(x - STEP)) / (2 * STEP)


@pytest.mark.slow(beyond=4)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_the_code_gives_is_what_is_read(f, backend):
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(0.7)
    assert value == pytest.approx(f(0.7), rel=1e-12)
    assert gradient == pytest.approx(differences(f, 0.7), rel=1e-6)


@pytest.mark.slow
def test_what_it_holds_and_its_code_are_read_at_every_call(monkeypatch):
    gradient = ast_ad.grad(other_reads_are_plain)
    assert gradient(0.7) == pytest.approx(differences(other_reads_are_plain, 0.7))
    monkeypatch.setitem(TWICE, "a", 2.5)
    assert gradient(0.7) == pytest.approx(differences(other_reads_are_plain, 0.7))
    monkeypatch.setattr(Twice, "__getitem__", lambda self, key: 9.0)
    assert gradient(0.7) == pytest.approx(differences(other_reads_are_plain, 0.7))
    monkeypatch.delattr(Twice, "__getitem__")
    assert gradient(0.7) == pytest.approx(differences(other_reads_are_plain, 0.7))
    monkeypatch.setattr(Twice, "get", lambda self, key: 11.0)
    assert gradient(0.7) == pytest.approx(differences(other_reads_are_plain, 0.7))


def test_effects_of_reads_happen_once():
    gradient = ast_ad.grad(counted, fallback="error")
    for _ in range(4):
        before = COUNTING.reads
        gradient(0.7)
        assert COUNTING.reads == before + 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_an_entry_that_a_read_makes_is_made_by_the_function():
    def f(x):
        return REGISTRY["cosine"](x) * x

    try:
        assert ast_ad.grad(f)(0.7) == pytest.approx(np.cos(0.7) - 0.7 * np.sin(0.7))
        assert REGISTRY["cosine"] == np.cos
    finally:
        REGISTRY.pop("cosine", None)


@pytest.mark.parametrize("table", [MADE, DEFAULTS], ids=["missing", "defaultdict"])
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_no_key_error_where_the_class_has_something_for_a_missing_key(table):
    """Without the check of the first call: nothing else would notice."""

    def f(x):
        try:
            found = table["a"]
        except KeyError:
            found = 1.0
        return x * (found + 2.0)

    expected = 7.0 if table is MADE else 2.0
    try:
        assert ast_ad.grad(f, check=False)(0.7) == expected
    finally:
        table.pop("a", None)
