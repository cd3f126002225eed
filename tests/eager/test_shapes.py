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
