"""Which functions of SciPy's are solvers, to code that is traced?"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

from ...eager.state import state
from ...rules.solvers import SOLVERS
from ..replacements import arriving
from . import minima, minpack, quadrature, roots, steps
from .functions import Call

Handler = Callable[[Call], Any]
BRACKETED = "brentq brenth ridder bisect toms748".split()
NONLINEAR = "broyden1 broyden2 anderson linearmixing diagbroyden excitingmixing newton_krylov".split()
WITH_RESULT = "minimize differential_evolution dual_annealing shgo direct".split()
FIRST_OF_SEVERAL = (
    "fmin fmin_bfgs fmin_cg fmin_powell fmin_l_bfgs_b fmin_tnc fmin_ncg fmin_slsqp fminbound brent golden "
    "brute"
).split()
HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(BRACKETED, roots.bracketed),
    **dict.fromkeys(NONLINEAR, roots.nonlinear),
    **dict.fromkeys(WITH_RESULT, minima.minimize),
    **dict.fromkeys(FIRST_OF_SEVERAL, minima.first_places),
    "newton": roots.newton,
    "root_scalar": roots.root_scalar,
    "fsolve": roots.fsolve,
    "root": roots.root,
    "fixed_point": roots.fixed_point,
    "basinhopping": minima.basinhopping,
    "minimize_scalar": minima.minimize_scalar,
    "least_squares": minima.least_squares,
    "leastsq": minima.leastsq,
    "curve_fit": minima.curve_fit,
    "quad": quadrature.quad,
    "quad_vec": quadrature.quad_vec,
    "solve_ivp": steps.solve_ivp,
    "odeint": steps.odeint,
}


def standing(module: types.ModuleType) -> Iterator[tuple[Any, Any]]:
    """Each solver of a library, and what stands in its place."""
    for name, handler in HANDLERS.items():
        if name not in SOLVERS[module.__name__]:
            continue
        original = getattr(module, name, None)
        if original is not None:
            yield original, stand_in(original, handler)
    for original, named, handler in minpack.forms(module):
        yield original, stand_in(named, handler)


@functools.cache
def stand_in(original: Any, handler: Handler) -> Any:
    """The solver as code that is traced calls it."""

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not state.tracing:
            return original(*args, **kwargs)
        return handler(Call(original, args, kwargs))

    return call


arriving.extend((name, standing) for name in SOLVERS)
