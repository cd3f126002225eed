"""How does compiled code compute with Python's complex numbers what the functions of ``cmath`` compute?

Where these raise, so do the functions here: at a pole, for a result out of range. What they make of
infinities and NaN, part by part, is left to the interpreter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import vector_math
from ..linked import linked
from . import complex_math as c
from .python_math import NotInKernel


def _raising(form: Any, name: str, pole: bool = False) -> Any:
    """A function that raises as Python's does; ``pole``: at 0."""

    def function(x):
        z = c.to_complex(x)
        if not c.isfinite_complex(z):
            raise NotInKernel("a complex number that is not finite")
        if pole and z.real == 0 and z.imag == 0:
            raise ValueError("math domain error")
        result = form(z)
        if not c.isfinite_complex(result):
            raise OverflowError("math range error")
        return result

    function.__name__ = function.__qualname__ = name
    return linked(function)


exp = _raising(c.exp_complex, "exp")
log = _raising(c.log_complex, "log", pole=True)
log10 = _raising(c.log10_complex, "log10", pole=True)
sqrt = _raising(np.sqrt, "sqrt")
sin = _raising(c.sin_complex, "sin")
cos = _raising(c.cos_complex, "cos")
tan = _raising(c.tan_complex, "tan")
sinh = _raising(c.sinh_complex, "sinh")
cosh = _raising(c.cosh_complex, "cosh")
tanh = _raising(c.tanh_complex, "tanh")


@linked
def phase(x):
    return c.angle(c.to_complex(x))


@linked
def rect(r, phi):
    size, turn = float(r), float(phi)
    if not (abs(size) < np.inf and abs(turn) < np.inf):
        raise NotInKernel("a complex number that is not finite")
    return complex(size * vector_math.cos(turn), size * vector_math.sin(turn))
