"""Is the text of a tensor PyTorch's, character for character?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ast_ad.eager import dtypes, printing
from ast_ad.eager.printing import tensor_text
from tests.eager.printing_cases import CASES, Case


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    yield
    printing.set_printoptions(profile="default")
    dtypes.set_default_dtype(dtypes.float32)


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_text_is_as_recorded(case: Case) -> None:
    dtypes.set_default_dtype(dtypes.NAMESPACE[case.default])
    printing.set_printoptions(profile="default")
    printing.set_printoptions(**case.options)
    assert tensor_text(case.array, **case.kwargs) == case.text


def test_extra_suffixes_come_last() -> None:
    text = tensor_text(np.array([1.5]), requires_grad=True, extra=["tangent=1"])
    assert text == "tensor([1.5000], dtype=torch.float64, requires_grad=True, tangent=1)"


def test_indent_moves_every_line_but_the_first() -> None:
    text = tensor_text(np.eye(2, dtype=np.float32), indent=4)
    assert text == "tensor([[1., 0.],\n            [0., 1.]])"


def test_printing_leaves_the_array_alone() -> None:
    array = np.arange(2000.0)
    array.flags.writeable = False
    tensor_text(array)
    assert np.array_equal(array, np.arange(2000.0))


def test_options_hold_within_the_block_only() -> None:
    third = np.array([1 / 3], np.float32)
    with pytest.raises(ZeroDivisionError), printing.printoptions(precision=2):
        assert tensor_text(third) == "tensor([0.33])"
        raise ZeroDivisionError
    assert tensor_text(third) == "tensor([0.3333])"


def test_options_that_are_not_given_stay_but_for_sci_mode() -> None:
    printing.set_printoptions(precision=2, sci_mode=True)
    printing.set_printoptions(linewidth=100)
    kept = {"precision": 2, "threshold": 1000, "edgeitems": 3, "linewidth": 100, "sci_mode": None}
    assert printing.get_printoptions() == kept


def test_unknown_profile_is_an_error() -> None:
    with pytest.raises(ValueError, match="profile"):
        printing.set_printoptions(profile="tiny")


def test_elements_without_a_dtype_are_an_error() -> None:
    with pytest.raises(TypeError, match="supported types"):
        tensor_text(np.array(["text"]))
