"""Do modules, containers and their tools behave as PyTorch's do, to the letter of texts and messages?"""

import json
import warnings

import pytest

import ast_ad
from tests.torch.nn import (  # noqa: F401
    container_cases,
    hook_cases,
    module_cases,
    odd_cases,
    parametrization_cases,
    utils_cases,
)
from tests.torch.nn.behaviours import CASES, FILE, outcome

RECORDED = json.loads(FILE.read_text())


@pytest.mark.parametrize("name", CASES)
def test_as_recorded(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outcome(name, ast_ad)
    assert found == RECORDED[name]


def test_every_record_has_a_case():
    assert set(RECORDED) == set(CASES)
