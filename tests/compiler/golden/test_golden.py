"""Is the generated source what it was? A change in any text has to be read and accepted.

``pytest tests/compiler/golden --update-golden`` rewrites the texts.
"""

import pytest

import ast_ad

from .programs import CASES


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_source(function, golden):
    value_and_grad = ast_ad.value_and_grad(function, backend="numpy")
    value_and_grad(*CASES[function])
    golden(f"{function.__name__}.py.txt", value_and_grad.source)


@pytest.mark.slow
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_source_does_not_depend_on_the_run(function):
    texts = set()
    for _ in range(2):
        value_and_grad = ast_ad.value_and_grad(function, backend="numpy")
        value_and_grad(*CASES[function])
        texts.add(value_and_grad.source)
    assert len(texts) == 1


def test_every_text_belongs_to_a_case(request):
    texts = {path.name for path in request.path.parent.glob("*.py.txt")}
    assert texts <= {f"{function.__name__}.py.txt" for function in CASES}
