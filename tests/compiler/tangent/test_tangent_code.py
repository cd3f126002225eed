"""Do the later stages understand programs with tangents: writes in place, NumPy code, kernels?"""

import numpy as np
import pytest

from ast_ad.calls import pipeline
from ast_ad.calls.code import Pure
from ast_ad.compiler.tangent.tangent import tangent
from tests.compiler.adjoint.test_adjoint import CASES, V, branch_in_loop, horner, in_place, stencil
from tests.compiler.checking import differentiable, leaves_of, primal
from tests.programs.check import copies

from .checking import directions, run
from .test_tangent import CONTAINERS, X, written_through_views

FOR_KERNELS = [(horner, 0.7, 4), (in_place, V, 0.9), (branch_in_loop, V), (stencil, V, 3)]
ALL = [*CASES, *CONTAINERS, (written_through_views, X)]


@pytest.mark.drawn(of=6)
@pytest.mark.slow(one_in=6)
@pytest.mark.parametrize(
    ("backend", "case"),
    [*[("numpy", case) for case in ALL], *[("numba", case) for case in FOR_KERNELS]],
    ids=lambda part: part if isinstance(part, str) else part[0].__name__,
)
def test_code(backend, case):
    function, *args = case
    leaves = leaves_of(tuple(args))
    wrt = differentiable(leaves)
    program = tangent(pipeline.settled(primal(function, *args)), wrt)
    along = directions(leaves, wrt)
    expected = run(program, *leaves, *along)
    code = pipeline.code(Pure(program, (), range(len(program.body.results))), backend)
    found = code(*copies(tuple(leaves)), *copies(tuple(along)))
    assert code.backend == backend, code.why
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-12)
