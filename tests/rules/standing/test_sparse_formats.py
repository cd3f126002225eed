"""Have sparse matrices that are made of differentiated numbers derivatives, in every format?"""

import numpy as np
import pytest
import scipy.sparse as ss
import scipy.sparse.linalg as sl

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
PLACES = ([0, 1, 2, 0, 2], [1, 2, 0, 0, 2])
TWICE = ([0, 1, 1, 0, 2], [1, 1, 1, 1, 2])
D = np.array([0.3, 0.5, -0.2, 4.0, 3.0])
V, W = np.array([1.0, 2.0, 3.0]), np.arange(9.0).reshape(3, 3) - 2.0


def csr(d, places=PLACES):
    return ss.csr_array((d, places), shape=(3, 3))


def csc(d, places=PLACES):
    return ss.csc_array((d, places), shape=(3, 3))


def coo(d, places=PLACES):
    return ss.coo_array((d, places), shape=(3, 3))


def finite_elements(d):
    """A chain of springs, assembled one by one."""
    rows, columns, numbers = [], [], []
    for e in range(len(d)):
        for i in range(2):
            for j in range(2):
                rows.append(e + i)
                columns.append(e + j)
                numbers.append((d[e] ** 2 + 1) * (1 if i == j else -1))
    stiffness = ss.coo_matrix((numbers, (rows, columns))).tocsr()[1:, 1:]
    u = sl.spsolve(stiffness, np.ones(len(d)))
    return u @ u


def steps_in_time(d):
    """Implicit steps of a diffusion, all with the same factors."""
    n = 5
    k = d**2 + 0.5
    a = ss.diags_array([-k[1:], 1 + k + 0.3, -k[1:]], offsets=[-1, 0, 1], format="csc")
    lu, u = sl.splu(a), np.ones(n)
    for _ in range(4):
        u = lu.solve(u) + 0.1 * d
    return np.sum(u**2)


def changed(d):
    a = csr(d)
    a.data = np.exp(a.data)
    return np.sum(a.toarray() * W)


def of_blocks(d):
    return ss.kron(np.outer(d[:2], d[1:3]), np.outer(d[2:4], d[3:5]))


def chain(d):
    return ss.diags([d + 3, -d[1:], -d[1:]], [0, 1, -1])


def laplacian(d):
    return (ss.kron(ss.eye(5), chain(d)) + ss.kron(chain(d), ss.eye(5))).tocsc()


def shifted(d, columns):
    """Diagonals of which a part is outside of the matrix, and no part of it."""
    return ss.dia_array((np.stack([d, d**2, np.cos(d)]), [0, -2, 1]), shape=(5, columns))


PROGRAMS = {
    "product": lambda d: (csr(d) @ V) @ V,
    "dense": lambda d: np.sum(csr(d).toarray() * W) + np.sum(csc(d).toarray() ** 2),
    "coordinates": lambda d: np.sum(coo(d).toarray() * W) + np.sum(coo(d).toarray(order="F") * W**2),
    "duplicates": lambda d: np.sum(coo(d, TWICE).tocsr().toarray() ** 2) + (coo(d, TWICE).tocsc() @ V) @ V,
    "added up": lambda d: np.sum(summed(csr(d, TWICE)).data ** 2),
    "transposed": lambda d: (csr(d).T @ V) @ V + np.sum(csc(d).T.toarray() * W),
    "sums": lambda d: csr(d).sum() * csr(d).sum(axis=0)[0] + csc(d).mean(axis=1)[1],
    "diagonals": lambda d: csr(d).diagonal() @ V + csr(d).diagonal(1)[1] ** 2 + csr(d).diagonal(-2)[0] ** 3,
    "plus": lambda d: (
        np.sum((csr(d) + csc(d) * 2).toarray() * W) + np.sum((csc(d) + csr(d, TWICE)).toarray() ** 2)
    ),
    "minus": lambda d: np.sum((csr(d) - ss.eye_array(3, format="csr")).toarray() * W),
    "cancelled": lambda d: np.sum((csr(d) - csr(D)).toarray() * W),
    "products": lambda d: (
        np.sum((csr(d) @ csc(d * d)).toarray() * W) + np.sum((csc(d) @ csc(d)).toarray() * W)
    ),
    "elements": lambda d: np.sum((csr(d) * csr(d * 2)).toarray() * W) + csr(d).multiply(W).sum(),
    "scaled": lambda d: np.sum((csr(d) * d[0] / d[1]).toarray() * W) + np.sum(csr(d).power(2).toarray() * W),
    "items": lambda d: csr(d)[0, 1] * csr(d)[2, 2] + csr(d)[1, 1] + csc(d)[2, 0] ** 2,
    "rows": lambda d: np.sum(csr(d)[[2, 0]].toarray() * W[:2]) + np.sum(csr(d)[::2].toarray() ** 2),
    "columns": lambda d: (
        np.sum(csr(d)[:, [2, 0]].toarray() * W[:, :2]) + np.sum(csr(d)[0:2, 1:].toarray() ** 2)
    ),
    "sampled": lambda d: np.sum(csr(d, TWICE)[[0, 1, 2], [1, 1, 0]] * V),
    "of an array": lambda d: ss.csr_array(np.outer(d, d)).dot(D) @ D,
    "diags": lambda d: (ss.diags_array([d, d[:4]], offsets=[0, 1]) @ D) @ D + np.sum(ss.diags(d).toarray()),
    "spdiags": lambda d: (ss.spdiags(np.stack([d, 2 * d]), [0, -1], 5, 5) @ D) @ D,
    "blocks": lambda d: np.sum(ss.block_array([[csr(d), None], [None, csr(d) * 2]]).toarray() ** 2),
    "stacks": lambda d: (
        np.sum(ss.hstack([csc(d), csc(d * d)]).toarray()[:2] ** 2) + ss.vstack([csr(d)]).sum()
    ),
    "wide": lambda d: np.sum((ss.hstack([csr(d), csr(d * d)], format="csr") @ np.arange(6.0)) * V),
    "kron": lambda d: np.sum(ss.kron(csr(d), ss.eye_array(2)).toarray() ** 2),
    "kron in blocks": lambda d: (
        np.sum((ss.kron(csr(d), np.ones((2, 3))) @ np.arange(9.0)) ** 2)
        + np.sum(of_blocks(d).T.toarray() * np.arange(16.0).reshape(4, 4))
    ),
    "sums of blocks": lambda d: (
        np.sum((of_blocks(d) + of_blocks(d * d).T).toarray() ** 2)
        + np.sum((of_blocks(d) - of_blocks(D)).toarray())
    ),
    "products of blocks": lambda d: np.sum((of_blocks(d) @ of_blocks(d).T).toarray() * np.arange(4.0)),
    "sums of matrices": lambda d: (
        ss.csr_matrix(np.outer(d, d)).sum() * ss.diags([d, d[1:]], [0, 1]).sum()
        + ss.coo_matrix((d, TWICE)).mean() * ss.csc_matrix(np.outer(d, D)).multiply(2.0).sum()
        + ss.coo_array((d, (PLACES[0],))).sum() ** 2
    ),
    "laplacian": lambda d: sl.spsolve(laplacian(d), np.ones(25)).sum(),
    "kronsum": lambda d: np.sum(np.sin(ss.kronsum(chain(d), chain(d).T).toarray())),
    "products of diagonals": lambda d: (
        np.sum((chain(d).T @ chain(d)).toarray() ** 2)
        + np.sum((shifted(d, 5) @ shifted(d * d, 7)).toarray() @ np.arange(7.0))
    ),
    "no zeros": lambda d: np.sum(nonzero(csr(d * np.array([1.0, 0.0, 1.0, 1.0, 0.0]))).data ** 2),
    "changed": changed,
    "norm": lambda d: sl.norm(csr(d)),
    "spsolve": lambda d: sl.spsolve(csc(d), V) @ V,
    "splu": lambda d: sl.splu(csc(d)).solve(V * d[0]) @ V + np.sum(sl.splu(csc(d)).solve(W, "T") * W),
    "constant splu": lambda d: sl.splu(csc(D)).solve(d[:3]) @ V * sl.splu(csc(D)).U.toarray()[0, 0],
    "factorized": lambda d: sl.factorized(csc(d))(V) @ V,
    "elements assembled": finite_elements,
    "steps in time": steps_in_time,
}


def summed(a):
    a.sum_duplicates()
    return a


def nonzero(a):
    a.eliminate_zeros()
    return a


@pytest.mark.drawn(of=20)
@pytest.mark.parametrize("name", PROGRAMS)
def test_made_of_differentiated_numbers(name):
    function = PROGRAMS[name]
    expected = [(function(D + 1e-6 * e) - function(D - 1e-6 * e)) / 2e-6 for e in np.eye(5)]
    value, gradient = ast_ad.value_and_grad(function)(D)
    np.testing.assert_allclose(gradient, expected, rtol=2e-7, atol=2e-8 * (10 + np.max(np.abs(expected))))
    np.testing.assert_allclose(value, function(D), rtol=1e-13)


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("name", ["duplicates", "products", "splu", "elements assembled"])
def test_second_derivatives(name):
    function = PROGRAMS[name]
    slope = ast_ad.grad(function)
    expected = [(slope(D + 1e-6 * e) - slope(D - 1e-6 * e)) / 2e-6 for e in np.eye(5)]
    np.testing.assert_allclose(ast_ad.hessian(function)(D), expected, rtol=1e-5, atol=1e-5)


def test_factors_are_those_of_each_matrix():
    rows = np.stack([D, D * 1.5, D + 0.25])
    found = ast_ad.vmap(ast_ad.grad(PROGRAMS["splu"]))(rows)
    np.testing.assert_allclose(found, [ast_ad.grad(PROGRAMS["splu"])(d) for d in rows])


def test_options_of_factors():
    def solved(d):
        lu = sl.splu(csc(D), "NATURAL", diag_pivot_thresh=0.0)
        assert lu.nnz == sl.splu(csc(D), "NATURAL", diag_pivot_thresh=0.0).nnz and lu.shape == (3, 3)
        return lu.solve(d[:3]) @ V * lu.perm_c[0] + sl.splu(csc(d), "NATURAL").solve(V) @ V

    expected = [(solved(D + 1e-6 * e) - solved(D - 1e-6 * e)) / 2e-6 for e in np.eye(5)]
    np.testing.assert_allclose(ast_ad.grad(solved)(D), expected, rtol=1e-7, atol=1e-6)


def test_factors_themselves_are_refused():
    for asked in (lambda lu: np.sum(lu.U.toarray()), lambda lu: 1.0 * lu.nnz):
        with pytest.raises(ast_ad.AdError, match="splu"):
            ast_ad.grad(lambda d, asked=asked: asked(sl.splu(csc(d))))(D)
