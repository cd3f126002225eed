"""Do shapes, pieces, joins and repetitions show what PyTorch shows: values, strides, gradients, errors?"""

import json

import pytest

import ast_ad as torch

from .observed import agree, observe, recorded

CASES = recorded("shapes")


@pytest.mark.parametrize("expression", CASES)
def test_as_recorded(expression):
    got = json.loads(json.dumps(observe(torch, expression)))
    assert agree(got, CASES[expression]), got
