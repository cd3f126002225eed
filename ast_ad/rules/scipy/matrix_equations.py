"""How do matrix equations, functions of matrices and other forms of ``scipy.linalg`` pass a cotangent back?

Of the solution of an equation by the equation of its change, which is linear: its adjoint is solved by the
same solver.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as sl

from ...errors import NoDerivativeError
from .. import helpers
from ..numpy import decompositions, linalg
from ..numpy.gather import refuse
from ..numpy.products import H
from ..registry import composite, nondifferentiable, of_matrices, shape, vjp
from .linalg import refuse_stack, row_order, transposed_band, unit_lower

# ----- Lyapunov's and Riccati's equations -----


@vjp(sl.solve_continuous_lyapunov)
def solve_continuous_lyapunov(g, ans, a, q):
    """``a @ ans + ans @ H(a) = q``."""
    q_bar = sl.solve_continuous_lyapunov(H(a), g)
    return -(q_bar @ H(ans) + H(q_bar) @ ans), q_bar


@vjp(sl.solve_discrete_lyapunov)
def solve_discrete_lyapunov(g, ans, a, q, method=None):
    """``a @ ans @ H(a) - ans + q = 0``."""
    q_bar = sl.solve_discrete_lyapunov(H(a), g, method)
    return q_bar @ a @ H(ans) + H(q_bar) @ a @ ans, q_bar


@vjp(sl.solve_continuous_are)
def solve_continuous_are(g, ans, a, b, q, r, e=None, s=None, balanced=True):
    """``H(a) x e + H(e) x a - H(k) r k + q = 0``, with the gain ``k = r^-1 (H(b) x e + H(s))``."""
    x_e = ans if e is None else ans @ e
    weighted = H(b) @ x_e
    gain = np.linalg.solve(r, weighted if s is None else weighted + H(s))
    if e is not None:
        rest = H(a) @ x_e + H(x_e) @ a + q - H(gain) @ r @ gain
        gain = of_solution(gain, rest, H(a) @ x_e, "scipy.linalg.solve_continuous_are")
    closed = a - b @ gain
    solved = sl.solve_continuous_lyapunov(closed if e is None else over(closed, e), -(g + H(g)) / 2)
    q_bar = solved if e is None else between(solved, e)
    by_drift = 2 * x_e @ q_bar
    e_bar = None if e is None else 2 * ans @ closed @ q_bar
    s_bar = None if s is None else -2 * q_bar @ H(gain)
    return by_drift, -by_drift @ H(gain), q_bar, gain @ q_bar @ H(gain), e_bar, s_bar


@vjp(sl.solve_discrete_are)
def solve_discrete_are(g, ans, a, b, q, r, e=None, s=None, balanced=True):
    """``H(a) x a - H(e) x e - H(k) m k + q = 0``, with ``m = r + H(b) x b`` and the gain
    ``k = m^-1 (H(b) x a + H(s))``."""
    weighted = H(b) @ ans @ a
    weight = r + H(b) @ ans @ b
    gain = np.linalg.solve(weight, weighted if s is None else weighted + H(s))
    if e is not None:
        rest = H(a) @ ans @ a - H(e) @ ans @ e + q - H(gain) @ weight @ gain
        gain = of_solution(gain, rest, H(e) @ ans @ e, "scipy.linalg.solve_discrete_are")
    closed = a - b @ gain
    solved = sl.solve_discrete_lyapunov(closed if e is None else over(closed, e), (g + H(g)) / 2)
    q_bar = solved if e is None else between(solved, e)
    by_step = 2 * ans @ closed @ q_bar
    e_bar = None if e is None else -2 * ans @ e @ q_bar
    s_bar = None if s is None else -2 * q_bar @ H(gain)
    return by_step, -by_step @ H(gain), q_bar, gain @ q_bar @ H(gain), e_bar, s_bar


def of_solution(x: Any, rest: Any, term: Any, name: str) -> Any:
    """``x``, after a check that the equation is solved: what is left of it is small beside one of its terms.

    SciPy 1.17 balances equations with ``e`` in a way that changes them, and finds something else.
    """
    if np.max(np.abs(rest)) > np.finfo(np.asarray(x).dtype).eps ** 0.375 * np.max(np.abs(term)):
        raise NoDerivativeError(
            name, why="what it found does not solve the equation", fix="pass balanced=False"
        )
    return +x


@shape(of_solution)
def of_solution_shape(x, rest, term, name):
    return x


@vjp(of_solution)
def of_solution_rule(g, ans, x, rest, term, name):
    return g, None, None


def over(a: Any, e: Any) -> Any:
    """``a @ e^-1``.

    >>> over(np.array([[1.0, 4.0]]), np.diag([1.0, 2.0]))
    array([[1., 2.]])
    """
    return H(np.linalg.solve(H(e), H(a)))


def between(p: Any, e: Any) -> Any:
    """``e^-1 @ p @ H(e)^-1``.

    >>> between(np.diag([1.0, 4.0]), np.diag([1.0, 2.0]))
    array([[1., 0.],
           [0., 1.]])
    """
    return over(np.linalg.solve(e, p), H(e))


# ----- functions of matrices -----


@vjp(sl.logm)
def logm(g, ans, A):
    """The conjugate of the upper right block of ``logm([[a, conj(g)], [0, a]])``, with ``a`` the transpose.

    It is not taken at ``H(A)``, whose logarithm is another one where the eigenvalues lie on the cut.
    """
    if np.ndim(A) > 2:
        refuse_stack("logm")
    turn = turned(A) if np.iscomplexobj(ans) and not np.iscomplexobj(A) else 1.0
    blocks = sl.logm(linalg.block_triangular(turn * np.transpose(A), turn * np.conj(g)))
    return as_given(np.conj(linalg.upper_right(blocks, A)), A)


@vjp(sl.fractional_matrix_power)
def fractional_matrix_power(g, ans, A, t):
    """As the logarithm's. Of the exponent: ``logm(A) @ ans``."""
    if np.ndim(A) > 2:
        refuse_stack("fractional_matrix_power")
    turn = turned(A) if np.iscomplexobj(ans) and not np.iscomplexobj(A) else 1.0
    both = linalg.block_triangular(turn * np.transpose(A), turn * np.conj(g))
    bar = np.conj(linalg.upper_right(sl.fractional_matrix_power(both, t), A) * turn**-t)
    return as_given(bar, A), np.real(np.sum(np.conj(sl.logm(A) @ ans) * g))


def turned(a: Any) -> Any:
    """A turn of the plane after which no eigenvalue of a real matrix is on the negative axis.

    The logarithm jumps there, and the eigenvalues of the blocks, each of which comes twice, could fall on
    both sides. None crosses it.

    >>> complex(turned(np.diag([2.0, -3.0])).round(3))
    -1j
    """
    largest = np.abs(np.angle(np.linalg.eigvals(a)))
    below = np.max(np.where(largest < np.pi, largest, 0.0))  # complex ones come in pairs
    return np.exp(-0.5j * (np.pi - below))


nondifferentiable(turned)  # what is computed with it doesn't depend on it


def as_given(bar: Any, a: Any) -> Any:
    """The cotangent of a matrix: real if the matrix is, whatever the function made of it."""
    return bar if np.iscomplexobj(a) else np.real(bar)


helpers.COMPLEX_BY_VALUE.update({sl.logm, sl.fractional_matrix_power})


# ----- eigenvalues -----


@vjp(sl.eig)
def eig(g, ans, a, b=None, left=False, right=True, check_finite=True, homogeneous_eigvals=False):
    if b is not None or left or not right or homogeneous_eigvals:
        refuse(
            "scipy.linalg.eig with these options", fix="use the right eigenvectors of one matrix, or eigvals"
        )
    return decompositions.eig(g, ans, a)


@vjp(sl.eigvals)
def eigvals(g, ans, a, b=None, check_finite=True, homogeneous_eigvals=False):
    if b is not None or homogeneous_eigvals:
        refuse("scipy.linalg.eigvals with these options", fix="use the eigenvalues of one matrix")
    return decompositions.eigvals(g, ans, a)


helpers.COMPLEX_BY_VALUE.update({sl.eig, sl.eigvals})


@vjp(sl.eigh_tridiagonal)
def eigh_tridiagonal(g, ans, d, e, eigvals_only=False, select="a", select_range=None):
    if select != "a" and select != 0:
        refuse("scipy.linalg.eigh_tridiagonal of some eigenvalues", fix="take them from all of them")
    if np.ndim(d) > 1:
        refuse_stack("eigh_tridiagonal")
    whole = np.diag(d) + np.diag(e, -1)
    bar = decompositions.eigvalsh(g, ans, whole) if eigvals_only else decompositions.eigh(g, ans, whole)
    return np.diag(bar), np.diag(bar, -1)


@composite(sl.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal(d, e):
    if np.ndim(d) > 1:
        refuse_stack("eigvalsh_tridiagonal")
    return np.linalg.eigvalsh(np.diag(d) + np.diag(e, -1))


# ----- factors and matrices of special form -----


@composite(sl.lu)
def lu(a, permute_l=False, check_finite=True, p_indices=False):
    if np.ndim(a) != 2 or np.shape(a)[0] != np.shape(a)[1]:
        refuse("scipy.linalg.lu of other than one square matrix", fix="factor one square matrix at a time")
    factors, pivots = sl.lu_factor(a)
    back = helpers.astype(np.argsort(row_order(pivots)), np.int32)
    lower, upper = unit_lower(factors), np.triu(factors)
    if permute_l:
        return lower[back], upper
    rows = back if p_indices else 1.0 * np.equal(np.expand_dims(back, 1), np.arange(np.shape(a)[0]))
    return rows, lower, upper


@composite(sl.solveh_banded)
def solveh_banded(ab, b, lower=False, check_finite=True):
    """The triangle that is stored, the other one, and the real diagonal between them."""
    if np.ndim(ab) > 2:
        refuse_stack("solveh_banded")
    width = np.shape(ab)[0] - 1
    if lower:
        above, diagonal, below = transposed_band(np.conj(ab), width, 0)[:-1], ab[:1], ab[1:]
    else:
        above, diagonal, below = ab[:-1], ab[-1:], transposed_band(np.conj(ab), 0, width)[1:]
    return sl.solve_banded((width, width), np.concatenate((above, np.real(diagonal), below)), b)


@composite(sl.solve_toeplitz)
def solve_toeplitz(c_or_cr, b, check_finite=True):
    if isinstance(c_or_cr, tuple):
        return np.linalg.solve(sl.toeplitz(c_or_cr[0], c_or_cr[1]), b)
    return np.linalg.solve(sl.toeplitz(c_or_cr), b)


helpers.SHAPED_LIKE[sl.solve_continuous_lyapunov] = 1, (0, 1)
of_matrices.update({sl.expm: 0, sl.solve_continuous_are: 2, sl.solve_discrete_are: 2})
