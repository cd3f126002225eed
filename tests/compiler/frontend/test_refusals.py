"""Is what the front end does not follow refused by name, at its line?

The line that an error has to name bears the mark ``# here``. The programs are in the folder ``refusals``.
"""

from __future__ import annotations

import copy
from typing import Any
from unittest import mock

import gast
import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.tables import EVAL

from .refusals import attributes, calls, containers, loops, statements, stores, values
from .refusals.case import CASES, Program, X

PROGRAMS = attributes, calls, containers, loops, statements, stores, values


@pytest.mark.slow(beyond=10)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # np.matrix
@pytest.mark.parametrize("function, args, word, error, placed", CASES)
def test_refusal(
    function: Program, args: tuple[Any, ...], word: str, error: type[ast_ad.AdError], placed: bool
) -> None:
    with pytest.raises(error) as caught:
        ast_ad.grad(function, fallback="error")(*copy.deepcopy(args))
    message = str(caught.value)
    assert word in message and type(caught.value) is error
    assert caught.value.source_line.rstrip().endswith("# here" if placed else ""), message
    assert placed or not caught.value.source_line


def test_an_expression_that_nothing_reads() -> None:
    """Expressions of later versions of Python, whose kind no module has entered in the table."""

    def function(x: np.ndarray) -> Any:
        return np.sum(x) * len({1, 2})

    with mock.patch.dict(EVAL):
        del EVAL[gast.Set]
        with pytest.raises(ast_ad.UnsupportedError, match="`Set` expression"):
            ast_ad.grad(function, fallback="error")(X)


def test_a_name_that_a_rule_lacks() -> None:
    def scaled(x: float) -> float:
        return x * 2.0

    @ast_ad.rule.vjp(scaled)
    def scaled_rule(g: Any, ans: Any, x: Any) -> Any:
        return (g * no_such_name,)  # noqa: F821

    with pytest.raises(ast_ad.UnsupportedError, match="name `no_such_name`"):
        ast_ad.grad(lambda x: scaled(x), fallback="error")(1.5)
