"""Do expressions show what PyTorch shows: values, strides, gradients, what nodes keep, errors?"""

import json

import pytest

import ast_ad as torch

from .observed import agree, alike, observe, recorded

FILES = "shapes", "points", "nodes"
CASES = [(name, expression) for name in FILES for expression in recorded(name)]


@pytest.mark.parametrize(("name", "expression"), CASES)
def test_as_recorded(name, expression):
    expected = recorded(name)[expression]
    got = json.loads(json.dumps(observe(torch, expression)))
    assert agree(got, expected), f"{got} is not {expected}"


@pytest.mark.parametrize("expression", recorded("calls"))
def test_values_or_refusals_as_recorded(expression):
    expected = recorded("calls")[expression]
    got = json.loads(json.dumps(observe(torch, expression)))
    assert alike(got, expected), f"{got} is not {expected}"


ALONG = {
    "cat": lambda x, dim: torch.cat([x, x], dim),
    "cumsum": lambda x, dim: x.cumsum(dim),
    "flatten": lambda x, dim: x.flatten(dim),
    "narrow": lambda x, dim: x.narrow(dim, 0, 1),
    "select": lambda x, dim: x.select(dim, 0),
    "softmax": lambda x, dim: x.softmax(dim),
    "squeeze": lambda x, dim: x.squeeze(dim),
    "stack": lambda x, dim: torch.stack([x, x], dim),
    "sum": lambda x, dim: x.sum(dim),
    "transpose": lambda x, dim: x.transpose(dim, 1),
    "unbind": lambda x, dim: torch.stack(x.unbind(dim)),
    "unsqueeze": lambda x, dim: x.unsqueeze(dim),
}


@pytest.mark.parametrize("name", ALONG)
def test_a_dimension_is_an_integer_everywhere(name):
    x = torch.arange(6.0).reshape(2, 3)
    for dim in (0, torch.tensor(0)):
        assert torch.equal(ALONG[name](x, dim), ALONG[name](x, 0))
    for dim in (0.0, "0", torch.tensor(0.0), torch.tensor([0, 1])):
        with pytest.raises(TypeError, match="'dim' must be int, not"):
            ALONG[name](x, dim)
