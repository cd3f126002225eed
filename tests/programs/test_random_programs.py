"""Are the gradients of random programs right? A fixed hundred and fifty of them, for every change."""

import hypothesis
import numpy as np
import pytest

from .check import check, copies, differences, load, unload
from .generate import generate, programs, run, sound
from .shrink import shrink

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")  # programs as they come

COUNT = 150
BATCH = 10


@pytest.mark.drawn(of=24)
@pytest.mark.parametrize("start", range(0, COUNT, BATCH))
def test_gradients(start, tmp_path):
    refused = 0
    for seed in range(start, start + BATCH):
        program = generate(seed)
        outcome = check(program, tmp_path, backend="numpy", fallback="error")
        refused += outcome.kind == "refused"
        assert outcome.kind in ("right", "refused"), f"seed {seed}: {outcome.why}\n{program.source}"
    # 5 % is the limit of the long run; a batch of ten may have two.
    assert refused <= 2


def test_programs_do_not_depend_on_the_run():
    for seed in range(20):
        first, second = generate(seed), generate(seed)
        assert first.source == second.source
        assert all(np.array_equal(a, b) for a, b in zip(first.args, second.args, strict=True))


def test_finite_differences_are_sure_of_most_programs(tmp_path):
    sure = total = 0
    for seed in range(30):
        program = generate(seed)
        module = load(program, tmp_path)
        with np.errstate(all="ignore"):
            assert module.f(*copies(program.args)) == run(program)
            estimates = differences(module.f, program.args)
        unload(module)
        sure += sum(int(np.isfinite(e).sum()) for e in estimates)
        total += sum(e.size for e in estimates)
    assert sure > 0.9 * total


@hypothesis.given(programs())
@hypothesis.settings(max_examples=25, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
def test_every_candidate_is_valid(program):
    assert sound(program)


def fake_value_and_grad(f, argnums, error=0.0, **options):
    """What the compiler promises, by finite differences; ``error`` is added to the gradient."""

    def call(*args):
        gradient = [np.nan_to_num(estimate) + error for estimate in differences(f, args)]
        return f(*copies(args)), gradient

    return call


def test_the_check_finds_a_wrong_gradient(tmp_path, monkeypatch):
    import ast_ad

    program = generate(3)
    monkeypatch.setitem(vars(ast_ad), "value_and_grad", fake_value_and_grad)
    assert check(program, tmp_path).kind == "right"
    assert check(program, tmp_path, error=1e-3).kind == "wrong"
    small = shrink(program, lambda p: check(p, tmp_path, error=1e-3).kind == "wrong")
    assert len(small.source.splitlines()) <= 5
