"""Are derivatives of random programs right, whatever Python they use? A fixed few, for every change.

``python -m tests.programs`` does thousands. A seed that is known to fail is listed with what fails; who mends
it takes it from the list.
"""

import math

import numpy as np
import pytest

from .case import Call, Case
from .cases import make
from .differential import Settings, check
from .productions import FORMS, PRODUCTIONS
from .reduce import reduce

COUNT = 30
KNOWN: dict[int, str] = {}


@pytest.fixture(autouse=True)
def without_the_net(monkeypatch):
    monkeypatch.setenv("AST_AD_CHECK", "0")


def seeds():
    for seed in range(COUNT):
        reason = KNOWN.get(seed)
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
        yield pytest.param(seed, marks=marks)


@pytest.mark.drawn(of=7)
@pytest.mark.parametrize("seed", list(seeds()))
def test_program(seed, tmp_path):
    case = make(seed)
    outcome = check(case, tmp_path, Settings(second=seed % 10 == 0, trace=seed % 3 == 0))
    assert outcome.kind not in ("wrong", "crashed"), f"{outcome.why}\n\n{case.script()}"


def test_cases_do_not_depend_on_the_run():
    for seed in range(5):
        assert make(seed).script() == make(seed).script()


def test_every_production_has_its_turn():
    used = set().union(*(make(seed).productions for seed in range(150)))
    assert len(used) > 0.9 * len({*PRODUCTIONS, *FORMS})


FINE = Case("def f(x, s):\n    return s * x[0] ** 2\n", (Call((np.array([2.0, 1.0]), 3.0)),), (0, 1))


def with_source(source: str, **changes: object) -> Case:
    return Case(source, **{"calls": FINE.calls, "argnums": FINE.argnums, **changes})


def outcome_of_fake(monkeypatch, tmp_path, answer, case=FINE):
    """How the check judges a derivative that answers ``answer(*args)``."""
    import ast_ad

    class Fake:
        mode = "compiled"
        _last = None

        def __call__(self, *args, **kwargs):
            return answer(*args, **kwargs)

    monkeypatch.setitem(vars(ast_ad), "value_and_grad", lambda *_, **__: Fake())
    return check(case, tmp_path, Settings(trace=False))


def right(x, s):
    return s * x[0] ** 2, (np.array([2 * s * x[0], 0.0]), x[0] ** 2)


def test_a_right_derivative(monkeypatch, tmp_path):
    assert outcome_of_fake(monkeypatch, tmp_path, right).kind == "right"


def change_the_argument(x, s):
    result = right(x, s)
    x[1] = 5.0
    return result


@pytest.mark.parametrize(
    "what, answer",
    [
        ("value", lambda x, s: (np.nextafter(right(x, s)[0], 20), right(x, s)[1])),
        ("gradient", lambda x, s: (right(x, s)[0], (right(x, s)[1][0] + 1e-3, right(x, s)[1][1]))),
        ("shape", lambda x, s: (right(x, s)[0], (12.0, right(x, s)[1][1]))),
        ("shape", lambda x, s: (right(x, s)[0], (right(x, s)[1][0].astype(np.float32), right(x, s)[1][1]))),
        ("argument", change_the_argument),
    ],
)
def test_a_wrong_derivative(what, answer, monkeypatch, tmp_path):
    outcome = outcome_of_fake(monkeypatch, tmp_path, answer)
    assert outcome.kind == "wrong" and outcome.why.startswith(what)


def test_an_exception_of_ours_is_a_crash(monkeypatch, tmp_path):
    assert outcome_of_fake(monkeypatch, tmp_path, lambda x, s: {}["a"]).kind == "crashed"


def test_the_exception_of_the_function(monkeypatch, tmp_path):
    case = with_source("def f(x, s):\n    return s / (x[0] - x[0]).item()\n")

    def divide(x, s):
        raise ZeroDivisionError

    assert outcome_of_fake(monkeypatch, tmp_path, divide, case).kind == "unstable"
    assert outcome_of_fake(monkeypatch, tmp_path, right, case).kind == "wrong"
    assert outcome_of_fake(monkeypatch, tmp_path, lambda x, s: math.sqrt(-1.0), case).kind == "crashed"


def test_a_wrong_later_call(monkeypatch, tmp_path):
    calls = (FINE.calls[0], Call((np.array([2.0, 1.0]), 3.0), before="RATE = 2.0"))
    case = with_source("RATE = 1.0\ndef f(x, s):\n    return RATE * s * x[0] ** 2\n", calls=calls)
    outcome = outcome_of_fake(monkeypatch, tmp_path, right, case)
    assert outcome.kind == "wrong" and outcome.why.startswith("call 2: value")


def test_reduction():
    def fails(case):
        return "np.sin" in case.source

    case = next(case for seed in range(40) if fails(case := make(seed)) and len(case.source) > 900)
    small = reduce(case, fails)
    assert fails(small) and len(small.source) < 0.5 * len(case.source) and len(small.calls) == 1
