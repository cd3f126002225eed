"""Names that a loop or a branch may leave unbound: are they read as Python reads them?"""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])


# ----- the page's own
@program(0.7, 10, later=[(0.3, 2), (0.3, 0)], kernels=True)
def bound_before_break(x, count):
    for n in range(count):
        if n > 3:
            break
        u = 2.0 * x
    return np.sum(u)


@program(0.7, 10, later=[(0.3, 2), (0.3, 1)], kernels=True)
def bound_before_continue(x, count):
    for n in range(count):
        if n % 3 == 0:
            continue
        u = 2.0 * x * n
    return np.sum(u)


@program(FOUR, 0.5, later=[(FOUR, 5.0), (FOUR, -5.0)], kernels=True)
def last_match(x, limit):
    for v in x:
        if v > limit:
            found = v * v
    return found * 2.0


@program(2.5, 1e-3, later=[(3.5, 1e-9), (1.0, 1.0)], kernels=True)
def residual_before_convergence(a, tol):
    x = a
    for k in range(20):
        step = 0.5 * (a / x - x)
        if abs(step) < tol:
            break
        residual = step * step
        x = x + step
    return x + residual


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("bound_before_break", "numpy", "right"): "type NoneType instead of float64 of the value",
    ("bound_before_break", "numba", "right"): "numbers of the value",
    ("bound_before_continue", "numpy", "right"): "type NoneType instead of float64 of the value",
    ("bound_before_continue", "numba", "right"): "numbers of the value",
    ("last_match", "numpy", "right"): "call 2: raises TypeError where the function raises UnboundLocalError",
    ("last_match", "numba", "right"): "call 2: raises nothing where the function raises UnboundLocalError",
    ("residual_before_convergence", "numpy", "right"): "raises TypeError where the function raises nothing",
    ("residual_before_convergence", "numba", "right"): "numbers of the value",
}
