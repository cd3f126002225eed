"""Do inv_ex and cholesky_ex tell which matrices they fail on, as PyTorch documents?"""

import numpy as np
import pytest

import ast_ad

SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
REGULAR = [[2.0, 0.0], [0.0, 4.0]]
INDEFINITE = [[1.0, 2.0], [2.0, 1.0]]


@pytest.mark.parametrize("function, failing", [("inv_ex", SINGULAR), ("cholesky_ex", INDEFINITE)])
def test_of_a_batch(function, failing):
    run = getattr(ast_ad.linalg, function)
    A = ast_ad.tensor([failing, REGULAR], requires_grad=True)
    found, info = run(A)
    assert info.tolist() == [2, 0] and info.dtype == ast_ad.int32
    assert found[0].isnan().all()
    ordinary = ast_ad.linalg.inv if function == "inv_ex" else ast_ad.linalg.cholesky
    B = ast_ad.tensor(REGULAR, requires_grad=True)
    assert found[1].equal(ordinary(B))
    found[1].sum().backward(retain_graph=True)
    ordinary(B).sum().backward()
    assert A.grad[1].equal(B.grad)
    found[0].sum().backward()
    assert A.grad[0].isnan().all()
    assert run(ast_ad.tensor(failing))[1].item() == 2
    assert run(ast_ad.tensor(REGULAR), check_errors=True)[1].item() == 0
    with pytest.raises(ast_ad.linalg.LinAlgError, match=r"Batch element 0.*2"):
        run(A, check_errors=True)
    with pytest.raises(RuntimeError, match=f"linalg.{function}: The .*2"):
        run(ast_ad.tensor(failing), check_errors=True)


def test_where_it_fails():
    A = np.array([[0.0, 1.0, 2.0], [0.0, 3.0, 1.0], [0.0, 0.5, 1.0]])
    assert ast_ad.linalg.inv_ex(ast_ad.tensor(A)).info.item() == 1
    assert ast_ad.linalg.inv_ex(ast_ad.tensor(A.T.copy())).info.item() == 3
    assert ast_ad.linalg.cholesky_ex(ast_ad.tensor(-np.eye(3))).info.item() == 1
    lower = ast_ad.tensor([[1.0, 9.0], [0.5, 2.0]])  # one triangle is read
    assert ast_ad.linalg.cholesky_ex(lower).info.item() == 0
    assert ast_ad.linalg.cholesky_ex(lower, upper=True).info.item() == 2


@pytest.mark.parametrize("function", ["inv_ex", "cholesky_ex"])
@pytest.mark.parametrize("shape", [(0, 0), (0, 2, 2), (1, 1), (2, 0, 3, 3)])
def test_empty_and_single(function, shape):
    A = ast_ad.ones(shape)
    found, info = getattr(ast_ad.linalg, function)(A)
    assert found.shape == shape and info.shape == shape[:-2]
