"""Are options checked when they are given?"""

import pytest

from ast_ad.errors import InputTypeError, InputValueError
from ast_ad.options import Options, make_options


def test_defaults_and_environment(monkeypatch):
    monkeypatch.delenv("AST_AD_BACKEND", raising=False)
    assert make_options() == Options() and hash(make_options()) == hash(Options())
    monkeypatch.setenv("AST_AD_BACKEND", "numpy")
    assert make_options().backend == "numpy" and make_options(backend="numba").backend == "numba"


def test_mistakes():
    with pytest.raises(InputTypeError, match="did you mean 'backend'"):
        make_options(backened="numpy")
    with pytest.raises(InputTypeError, match="the options are backend"):
        make_options(zzz=1)
    with pytest.raises(InputValueError, match="'numpy'"):
        make_options(backend="cuda")
    with pytest.raises(InputValueError, match="'error'"):
        make_options(fallback="raise")
