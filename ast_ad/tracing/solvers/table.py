"""Which functions of SciPy's are solvers, to code that is traced?"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

from ...eager.state import state
from ..replacements import arriving
from . import minima, quadrature, roots
from .functions import Call

Handler = Callable[[Call], Any]
SOLVERS: dict[str, dict[str, Handler]] = {
    "scipy.optimize": {
        **dict.fromkeys(("brentq", "brenth", "ridder", "bisect", "toms748"), roots.bracketed),
        "newton": roots.newton,
        "root_scalar": roots.root_scalar,
        "fsolve": roots.fsolve,
        "root": roots.root,
        "fixed_point": roots.fixed_point,
        **dict.fromkeys(
            ("broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden", "excitingmixing", "newton_krylov"),
            roots.nonlinear,
        ),
        **dict.fromkeys(
            ("minimize", "differential_evolution", "dual_annealing", "shgo", "direct"), minima.minimize
        ),
        "basinhopping": minima.basinhopping,
        "minimize_scalar": minima.minimize_scalar,
        **dict.fromkeys(
            ("fmin", "fmin_bfgs", "fmin_cg", "fmin_powell", "fmin_l_bfgs_b", "fmin_tnc", "fmin_ncg", "fmin_slsqp",
             "fminbound", "brent", "golden", "brute"),
            minima.first_places,
        ),
        "least_squares": minima.least_squares,
        "leastsq": minima.leastsq,
        "curve_fit": minima.curve_fit,
    },
    "scipy.integrate": {
        "quad": quadrature.quad,
        "quad_vec": quadrature.quad_vec,
    },
}  # fmt: skip


def standing(module: types.ModuleType) -> Iterator[tuple[Any, Any]]:
    """Each solver of a library, and what stands in its place."""
    for name, handler in SOLVERS[module.__name__].items():
        original = getattr(module, name, None)
        if original is not None:
            yield original, stand_in(original, handler)


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
