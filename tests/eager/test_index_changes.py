"""Does an index that changes after an operation leave the gradient as it was?"""

import pytest

import ast_ad as torch


@pytest.mark.parametrize("name", ["index_fill", "index_fill_", "index_reduce"])
def test_the_gradient_is_that_of_the_first_index(name):
    rows, source = torch.tensor([0, 2]), torch.full((2, 3), 5.0)
    grads = []
    for changes in (False, True):
        x, index = torch.arange(9.0).reshape(3, 3).requires_grad_(), rows.clone()
        if name == "index_reduce":
            out = x.index_reduce(0, index, source, "amax")
        else:
            out = getattr(x * 1, name)(0, index, 2.0)
        if changes:
            index.fill_(1)
        out.sum().backward()
        grads.append(x.grad)
    assert torch.equal(*grads) and grads[0][1].tolist() == [1, 1, 1]
