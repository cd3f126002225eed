"""Sample calls of the solution of sparse linear systems; see ``standing/test_sparse.py`` for products."""

import numpy as np
from sample import Sample, cnormal, normal
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from ast_ad.rules.scipy.sparse import Kept, solve_by_factors, solve_outside, sparse_solve

INDICES, STARTS = np.array([0, 2, 1, 2, 3, 0, 3]), np.array([0, 2, 3, 5, 7])
NUMBERS = np.array([4.0, 0.3, 3.0, 5.0, -0.7, 0.4, 2.5])

REAL = splu(csc_matrix((NUMBERS, INDICES, STARTS), shape=(4, 4)))
COMPLEX = splu(csc_matrix((NUMBERS * (1 + 0.3j), INDICES, STARTS), shape=(4, 4)))

SAMPLES = {
    solve_outside: [
        Sample((REAL, normal(4), "N"), dtypes=("float64",)),  # the type of the factors is that of the result
        Sample((REAL, normal(4, 2), "T"), dtypes=("float64",)),
        *(Sample((COMPLEX, cnormal(4), trans), dtypes=("float64",)) for trans in "NTH"),
    ],
    sparse_solve: [
        (NUMBERS, INDICES, STARTS, normal(4), True),
        (NUMBERS, INDICES, STARTS, normal(4, 2), False),
        (NUMBERS * (1 + 0.3j), INDICES, STARTS, cnormal(4), True),
    ],
    solve_by_factors: [
        (NUMBERS, INDICES, STARTS, normal(4), "N", Kept()),
        (NUMBERS, INDICES, STARTS, normal(4, 2), "T", Kept()),
        (NUMBERS * (1 + 0.3j), INDICES, STARTS, cnormal(4), "N", Kept()),
        (NUMBERS * (1 + 0.3j), INDICES, STARTS, cnormal(4), "T", Kept()),
        (NUMBERS * (1 + 0.3j), INDICES, STARTS, cnormal(4), "H", Kept()),
    ],
}
