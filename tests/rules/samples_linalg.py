"""Sample calls of linear algebra. Symmetric arguments and complex phases are checked in test_linalg.py."""

import numpy as np
from sample import Sample, cnormal, normal

from ast_ad.rules.numpy import (
    contractions,  # noqa: F401
    decompositions as d,
    linalg as l,
)
from ast_ad.rules.triangular import solve_triangular

EYE = np.eye(3)
A, B, CA = normal(3, 3) + 2 * EYE, normal(3, 2), cnormal(3, 3) + 2 * EYE
STACK = normal(4, 3, 3) + 2 * EYE
TALL, WIDE = normal(4, 2), normal(2, 4)
CTALL, CWIDE = cnormal(4, 2), cnormal(2, 4)
SPD = A @ A.T
HPD = CA @ CA.conj().T
SPDS = STACK @ STACK.swapaxes(-1, -2)
RANK2 = np.outer(normal(3), normal(3, seed=1)) + np.outer(normal(3, seed=2), normal(3, seed=3))
RANK1 = np.outer(normal(3), normal(3, seed=1))
# Singular values 3, 2.8, 1: a cutoff of 0.5 leaves out one that is not zero.
CUT = np.linalg.qr(normal(4, 3))[0] @ np.diag([3.0, 2.8, 1.0]) @ np.linalg.qr(normal(3, 3, seed=1))[0]


def run(*args, **kwargs):
    """A sample whose value is checked elsewhere."""
    return Sample(args, kwargs, kink=True)


SAMPLES = {
    np.linalg.solve: [
        (A, normal(3)),
        (A, B),
        (STACK, normal(4, 3, 2)),
        Sample((STACK, normal(3)), tol=1e-5),
        (A, normal(4, 3, 2)),
        (STACK, B),
        (CA, cnormal(3, 2)),
        (CA, B),
    ],
    solve_triangular: [
        (np.tril(A), normal(3), True),
        (np.triu(A), B, False),
        (np.tril(CA).T, cnormal(3, 2), False),
        (np.tril(CA), B, True),
    ],
    np.linalg.inv: [(A,), (STACK,), (CA,)],
    np.linalg.tensorsolve: [(normal(2, 3, 6) + np.eye(6).reshape(2, 3, 6), normal(2, 3))],
    np.linalg.tensorinv: [(normal(2, 3, 6),), (normal(6, 3, 2) + 2 * np.eye(6).reshape(6, 3, 2), 1)],
    np.linalg.det: [(A,), (STACK,), (CA,), (RANK2,), (RANK1,), (np.zeros((3, 3)),), (normal(1, 1),), (-EYE,)],
    l.cofactor: [(A,), (STACK,), (CA,), (RANK2,), (RANK1,), (normal(2, 2),), (-EYE,)],
    l.cofactor_bar: [(normal(3, 3), m) for m in (A, RANK2, RANK1, EYE, np.zeros((3, 3)))]
    + [
        (normal(2, 2), normal(2, 2)),
        (cnormal(3, 3, seed=1), CA),
        (normal(4, 3, 3), STACK),
        (normal(1, 1), EYE[:1, :1]),
    ],
    np.linalg.slogdet: [(A,), (STACK,), (CA,), (-A,)],
    np.linalg.matrix_power: [(A, 3), (A, 0), (A, -2), (STACK, 2), (CA, 3), (A, 1)],
    np.linalg.pinv: [
        *((A,), (TALL,), (WIDE,), Sample((normal(4, 3, 2),), tol=1e-5), (CTALL,), (CWIDE,)),
        *(Sample((m, 0.5), wrt=(0,)) for m in (CUT, CUT.T, np.stack([CUT, CUT[::-1] * 2]), CUT * (1 + 0.3j))),
    ],
    np.linalg.lstsq: [
        Sample((np.diag([3.0, 2.0, 0.01]), normal(3), 0.1), wrt=(0, 1)),
        Sample((CUT, normal(4), 0.5), wrt=(0, 1)),
        Sample((CUT.T, normal(3, 2), 0.5), wrt=(0, 1)),
        (TALL, normal(4), -1),
        (TALL, normal(4), 1),
        (TALL, normal(4)),
        (TALL, normal(4, 3)),
        (WIDE, normal(2)),
        (CTALL, cnormal(4)),
        (A, B),
    ],
    l.padded_to: [(normal(2), 2), (normal(2), 4)],
    np.linalg.cond: [(A,), (A, 1), (A, "fro"), (STACK,), (A, -2), Sample((A, np.inf), wrt=(0,)), (CA,)],
    np.linalg.cholesky: [run(SPD), run(SPDS), run(HPD), run(SPD, upper=True)],
    np.linalg.qr: [
        (A,),
        (TALL,),
        (WIDE,),
        (normal(3, 4, 2),),
        (TALL, "r"),
        (WIDE, "r"),
        (CTALL,),
        (CWIDE,),
        (A, "complete"),
        (WIDE, "complete"),
    ],
    d.between_axes: [
        (normal(3, 3), normal(3, 3), normal(3, 3)),
        (normal(2, 4, 3), normal(2, 3, 3), normal(2, 3, 5)),
    ],
    d.reciprocal_gaps: [(normal(3),), (normal(2, 3),), (cnormal(3),)],
    np.linalg.eigh: [run(SPD), run(SPDS), run(HPD), run(EYE)],
    np.linalg.eigvalsh: [run(SPD), run(SPDS), run(HPD), run(EYE)],
    np.linalg.eig: [Sample((SPD + 0.1 * A,), order2=False), run(A), run(CA), run(STACK)],
    np.linalg.eigvals: [Sample((SPD + 0.1 * A,), order2=False), (CA,)],
    np.linalg.svd: [
        (A,),
        (TALL, False),
        (WIDE, False),
        (normal(3, 4, 2), False),
        (TALL, True, False),
        Sample((STACK,), {"compute_uv": False}),
        run(CTALL, False),
        run(CWIDE, False),
    ],
    np.linalg.svdvals: [(A,), (CTALL,)],
    d.cotangent_of_others: [run(np.eye(3), np.eye(3), np.ones(2), "svd", "")],
    d.ending_with: [(normal(3, 1), normal(3, 2))],
    np.linalg.norm: [
        (B,),
        (normal(3), 2),
        (normal(3), 1),
        (normal(3), 3),
        Sample((normal(3), 0.5), wrt=(0,)),
        Sample((normal(3), np.inf), wrt=(0,)),
        Sample((normal(3), -np.inf), wrt=(0,)),
        (normal(3), 0),
        (B, None, 1),
        (STACK, None, (0, 2)),
        Sample((B, 3.5, 0, True), wrt=(0,)),
        Sample((B, np.inf, -1), wrt=(0,)),
        (B, 1, 1, True),
        (cnormal(3),),
        (cnormal(3), 3),
        (cnormal(3), 1),
        Sample((cnormal(3), np.inf), wrt=(0,)),
        (A, "fro"),
        (A, "nuc"),
        (A, 2),
        (A, -2),
        (A, 1),
        (A, -1),
        Sample((A, np.inf), wrt=(0,)),
        Sample((A, -np.inf), wrt=(0,)),
        (STACK, 2, (2, 0)),
        (STACK, 1, (0, 1)),
        (STACK, "nuc", (-1, 1), True),
        Sample((STACK, np.inf, (0, 2), True), wrt=(0,)),
        (STACK, "fro", (0, 2), True),
        (CA, 2),
        (CA, 1),
        (CA, "nuc"),
        (STACK,),
    ],
    np.linalg.vector_norm: [
        (B,),
        Sample((STACK,), {"axis": (0, 1), "ord": 3.0}, wrt=(0,)),
        Sample((STACK,), {"axis": (0, 1), "ord": np.inf, "keepdims": True}, wrt=(0,)),
        Sample((B,), {"ord": np.inf}, wrt=(0,)),
        Sample((B,), {"ord": None, "axis": 1}, wrt=(0,)),
    ],
    np.linalg.matrix_norm: [
        (STACK,),
        Sample((STACK,), {"ord": 2}),
        Sample((A,), {"ord": 1, "keepdims": True}),
    ],
}
