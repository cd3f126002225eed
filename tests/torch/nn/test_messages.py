"""Do layers and losses say what PyTorch's say, to the letter: representations, errors, warnings?"""

import json
from pathlib import Path

import pytest

import ast_ad
from tests.torch.nn.message_cases import outcome

RECORDED = json.loads((Path(__file__).parent / "recorded" / "messages.json").read_text())
FOUND = outcome(ast_ad)


@pytest.mark.parametrize("label", RECORDED)
def test_message(label):
    assert FOUND[label] == RECORDED[label]


def test_every_message_is_recorded():
    assert set(FOUND) == set(RECORDED)
