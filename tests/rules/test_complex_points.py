"""Are the derivatives of ufuncs right by complex arguments, also where they are no analytic functions?

By the real and by the imaginary part, at a point of each quadrant, all ufuncs that have a rule and a loop for
complex numbers.
"""

import numpy as np
import pytest
import scipy.special  # whose rules are read then

from ast_ad import AdError
from ast_ad.rules.registry import primitives
from ast_ad.tracing import trace

POINTS = [0.7 + 0.4j, -0.6 + 0.3j, 0.3 - 1.2j, -1.4 - 0.3j]
STEP = 1e-6


def complex_loop(ufunc):
    """The types of the arguments of its first loop for complex numbers."""
    return next((t.split("->")[0] for t in ufunc.types if "D" in t.split("->")[0]), "")


UFUNCS = sorted(
    {f for f in primitives() if isinstance(f, np.ufunc) and not f.signature and complex_loop(f)},
    key=lambda f: f.__name__,
)


def real_number(ufunc, types, position):
    def function(a, b):
        args = [0.5 + 0.2j if t == "D" else 1.0 if t in "fd" else 1 for t in types]
        args[position] = a + 1j * b
        found = ufunc(*args)
        found = found[0] if isinstance(found, tuple) else found
        return np.real(found) + 0.7 * np.imag(found)

    return function


@pytest.mark.drawn(of=3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda f: f.__name__)
def test_both_parts(ufunc):
    types = complex_loop(ufunc)
    if ufunc is scipy.special.psi:
        with pytest.raises(AdError, match="digamma function of complex numbers"):
            trace(real_number(ufunc, types, 0), (0.5, 0.3), {}, [0, 1])[1]([1.0])
        return
    for position in (k for k, t in enumerate(types) if t == "D"):
        f = real_number(ufunc, types, position)
        for z in POINTS:
            a, b = z.real, z.imag
            real = (f(a + STEP, b) - f(a - STEP, b)) / (2 * STEP)
            imag = (f(a, b + STEP) - f(a, b - STEP)) / (2 * STEP)
            found = trace(f, (a, b), {}, [0, 1])[1]([1.0])
            np.testing.assert_allclose(found, [real, imag], rtol=1e-6, atol=1e-8)
