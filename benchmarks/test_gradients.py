"""How long does each gradient take? ``pytest benchmarks``; ``-k "jacobi and numba"`` chooses.

Each tool's gradient is compared with that of the NumPy backend first. For ratios prefer
``python -m benchmarks.compare``, where tools take turns.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import pytest  # noqa: E402

from benchmarks.tools import TOOLS, Missing, difference, prepare, settle  # noqa: E402
from benchmarks.workloads import names, workload  # noqa: E402

pytest.importorskip("pytest_benchmark")
pytestmark = pytest.mark.filterwarnings("default")  # those of other tools are no errors here


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", names())
def test_gradient(benchmark, name, tool):
    one = workload(name)
    args = one.arguments()
    try:
        call = prepare(tool, one, args)
    except Missing as reason:
        pytest.skip(str(reason))
    expected = prepare("ast_ad numpy", one, args)()
    assert difference(call(), expected) < 1e-8
    if tool == "ast_ad auto":
        settle(call)
        assert difference(call(), expected) < 1e-8
    benchmark.group = name
    benchmark(call)
