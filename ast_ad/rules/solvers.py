"""Which functions of SciPy's are solvers, whose result has the derivative of the equation that it solves?

The compiler leaves calls of them to traces (``tracing.solvers``), rather than to
follow the solver's own code.
"""

from __future__ import annotations

from typing import Any

ROOTS = (
    "brentq brenth ridder bisect toms748 newton root_scalar fsolve root fixed_point broyden1 broyden2 "
    "anderson linearmixing diagbroyden excitingmixing newton_krylov"
)
MINIMA = (
    "minimize minimize_scalar differential_evolution dual_annealing shgo direct basinhopping brute fmin "
    "fmin_bfgs fmin_cg fmin_powell fmin_l_bfgs_b fmin_tnc fmin_ncg fmin_slsqp fminbound brent golden "
    "least_squares leastsq curve_fit"
)
MINPACK = "_lmdif _lmder _hybrd _hybrj"  # the compiled functions behind leastsq and fsolve
INTEGRALS = "quad dblquad tplquad nquad quad_vec solve_ivp odeint"
SOLVERS = {
    "scipy.optimize": frozenset(f"{ROOTS} {MINIMA} {MINPACK}".split()),
    "scipy.integrate": frozenset(INTEGRALS.split()),
}


def is_solver(fn: Any) -> bool:
    """Whether a callable is one of these."""
    module, name = getattr(fn, "__module__", None) or "", getattr(fn, "__name__", "")
    library = ".".join(module.split(".")[:2])
    return name in SOLVERS.get(library, ())
