"""Do all public functions do what PyTorch does, whatever tensors they get? Where not, is it what we know?"""

import json

import pytest

from tests.together import grouped, together

from .sweep import FILE, KNOWN, differences

CASES, EXPECTED = json.loads(FILE.read_text()), json.loads(KNOWN.read_text())


@together(["key"], grouped([(key, [key]) for key in CASES], lambda key: key.partition(" ")[0]))
@pytest.mark.filterwarnings("ignore")
def test_as_recorded(key):
    assert differences(key, CASES[key]) == EXPECTED.get(key, {})
