"""Sample calls of matrix equations and further forms of ``scipy.linalg``; see test_linalg.py, too."""

import numpy as np
import scipy.linalg as sl
from sample import Sample, cnormal, normal

from ast_ad.rules.scipy import matrix_equations as equations

EYE = np.eye(3)
A, B, CA, CB = normal(3, 3) + 2 * EYE, normal(3, 2), cnormal(3, 3) + 2 * EYE, cnormal(3, 2)
SPD, R = A @ A.T, np.array([[1.5, 0.2], [0.2, 0.7]])
E, S = EYE + 0.1 * normal(3, 3), 0.1 * normal(3, 2)
WIDE = np.array([[3.0, 0.4, -0.2], [0.1, 5.0, 0.3], [0.2, -0.5, 8.0]])
ON_CUT = np.array([[-3.0, 0.4, -0.2], [0.1, 1.0, 2.0], [0.2, -2.0, 1.5]])  # one eigenvalue, and a pair


def run(*args, **kwargs):
    """A sample whose value is checked elsewhere."""
    return Sample(args, kwargs, kink=True)


def band(diagonal, *others):
    """A matrix in diagonal ordered form that is positive definite."""
    return np.stack([np.array(row) for row in (diagonal, *others)])


SAMPLES = {
    equations.of_solution: [run(EYE, 0 * EYE, EYE, "care")],
    sl.solve_continuous_lyapunov: [(A, normal(3, 3)), (CA, cnormal(3, 3)), (A, SPD)],
    sl.solve_discrete_lyapunov: [(A / 3, normal(3, 3)), (CA / 4, cnormal(3, 3)), (A / 3, SPD, "bilinear")],
    sl.solve_continuous_are: [
        Sample((A, B, SPD, R), wrt=(0, 1)),
        run(CA, CB, SPD, R),
        Sample((A, B, SPD, R, E, S), {"balanced": False}, wrt=(0, 1, 4, 5)),
    ],
    sl.solve_discrete_are: [
        Sample((A / 2, B, SPD, R), wrt=(0, 1), tol=1e-5),
        run(CA, CB, SPD, R),
        Sample((A / 2, B, SPD, R, E, S), {"balanced": False}, wrt=(0, 1, 4, 5), tol=1e-5),
    ],
    sl.logm: [
        Sample((WIDE,), order2=False),
        Sample((CA + 2 * EYE,), order2=False),
        Sample((ON_CUT,), order2=False),
    ],
    sl.fractional_matrix_power: [
        Sample((WIDE, 0.3), order2=False),
        Sample((WIDE, -1.5), order2=False),
        Sample((ON_CUT, -0.7), wrt=(0,), order2=False),
    ],
    sl.eig: [Sample((SPD + 0.1 * A,), order2=False), run(A), run(CA)],
    sl.eigvals: [Sample((SPD + 0.1 * A,), order2=False), (CA,)],
    sl.eigh_tridiagonal: [run(normal(4), normal(3)), (normal(4), normal(3), True)],
    sl.eigvalsh_tridiagonal: [(normal(4), normal(3))],
    sl.lu: [
        (A,),
        (normal(4, 4),),
        (CA,),
        Sample((A,), {"permute_l": True}),
        Sample((A,), {"p_indices": True}),
    ],
    sl.solveh_banded: [
        (band([0.0, 0.4, -0.3, 0.2], [3.0, 4.0, 5.0, 6.0]), normal(4)),
        Sample((band([3.0, 4.0, 5.0, 6.0], [0.4, -0.3, 0.2, 0.0]), normal(4, 2)), {"lower": True}),
        (band([0, 0.4 + 0.1j, -0.3j, 0.2], [3.0, 4.0, 5.0, 6.0]), cnormal(4)),
    ],
    sl.solve_toeplitz: [
        (np.array([4.0, 0.5, -0.3]), normal(3)),
        ((np.array([4.0, 0.5, -0.3]), np.array([4.0, 0.2, 0.7])), normal(3, 2)),
    ],
}
