"""Sample calls of ``scipy.linalg``. Symmetric arguments are checked in test_linalg.py."""

import numpy as np
import scipy.linalg as sl
from sample import Sample, cnormal, normal

from ast_ad.rules.scipy import linalg as s

EYE = np.eye(3)
A, B, CA, CB = normal(3, 3) + 2 * EYE, normal(3, 2), cnormal(3, 3) + 2 * EYE, cnormal(3, 2)
SPD, HPD = A @ A.T, CA @ CA.conj().T
TALL, STACK = normal(4, 2), np.stack([A, A.T])


def run(*args, **kwargs):
    """A sample whose value is checked elsewhere."""
    return Sample(args, kwargs, kink=True)


SAMPLES = {
    sl.solve: [
        (A, normal(3)),
        (A, B),
        (CA, CB),
        run(SPD, B, assume_a="pos"),
        Sample((A, B), {"transposed": True}),
    ],
    sl.inv: [(A,), (CA,)],
    sl.det: [(A,), (CA,), (normal(4, 3, 3),)],
    sl.norm: [(A,), (normal(3), 1), (A, "fro"), (A, 1)],
    sl.pinv: [(A,), (TALL,), Sample((np.diag([3.0, 2.0, 1.0]) @ A,), {"rtol": 0.6}, wrt=(0,))],
    sl.pinvh: [run(SPD), run(HPD, lower=False)],
    sl.cholesky: [run(SPD), run(HPD), run(SPD, lower=True)],
    sl.eigh: [run(SPD), run(HPD), run(SPD, eigvals_only=True)],
    sl.eigvalsh: [run(SPD)],
    sl.svd: [(A,), (TALL, False), Sample((TALL,), {"compute_uv": False})],
    sl.svdvals: [(TALL,)],
    sl.qr: [
        Sample((TALL,), {"mode": "economic"}),
        Sample((TALL.T,), {"mode": "economic"}),
        Sample((A,)),
        Sample((TALL.T,), {"mode": "full"}),
    ],
    sl.cho_factor: [run(SPD), run(HPD), run(SPD, lower=True)],
    sl.cho_solve: [
        ((np.triu(A), False), normal(3)),
        ((A, True), B),
        ((CA, False), CB),
        ((CA, True), CB),
        ((STACK, True), normal(3)),
    ],
    sl.solve_triangular: [
        (A, normal(3)),
        (A, B, 1),
        (A, B, "T", True),
        (A, B, 0, False, True),
        (CA, CB),
        (CA, CB, 1),
        (CA, CB, 2, True),
        (CA, CB, "C", True, True),
        (STACK, normal(3), 0, True),
    ],
    sl.expm: [(A / 2,), (CA / 2,), (normal(2, 3, 3) / 2,)],
    sl.sqrtm: [Sample((SPD + 0.1 * A,), order2=False), (CA,)],
    sl.solve_sylvester: [(A, normal(2, 2) + 2 * EYE[:2, :2], B), (CA, cnormal(2, 2), CB)],
    sl.block_diag: [(A, normal(1, 2), 2.0, normal(3)), (A,)],
    s.diagonal_blocks: [(normal(4, 5), (A, normal(1, 2)))],
    sl.circulant: [(normal(3),), (cnormal(4),)],
    sl.toeplitz: [(normal(3),), (normal(3), normal(4)), (cnormal(3),)],
    sl.lu_factor: [(A,), (normal(4, 4),), (CA,)],
    sl.lu_solve: [
        ((A, np.array([1, 2, 2])), normal(3)),
        ((A, np.array([2, 1, 2])), B),
        ((CA, np.array([0, 2, 2])), CB),
        ((CA, np.array([0, 2, 2])), CB, 1),
        ((CA, np.array([1, 2, 2])), CB, 2),
    ],
    sl.solve_banded: [
        ((1, 1), normal(3, 5) + np.array([[0], [4], [0]]), normal(5)),
        ((2, 1), normal(4, 5) + np.array([[0], [5], [0], [0]]), normal(5, 2)),
        ((0, 1), cnormal(2, 4) + np.array([[0], [4]]), cnormal(4)),
    ],
    s.transposed_band: [(normal(3, 5), 1, 1), (normal(4, 5), 2, 1)],
    sl.lstsq: [Sample((TALL, normal(4)), order2=False), (TALL, B[[0, 1, 2, 0]])],
}
