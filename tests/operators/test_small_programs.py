"""Are the derivatives of small programs right, to the second order, in each mode, compiled and traced?"""

import warnings

import pytest

import ast_ad

from .small_programs import PROGRAMS

UNKNOWN = {
    ("densities with shapes", "traced"): "logpdf of Student's t needs plain numbers for its shape",
}


def opaque(f):
    return eval("lambda *args: f(*args)", {"f": f})


def marked(name, how):
    why = UNKNOWN.get((name, how))
    raises = ast_ad.errors.MissingRuleError
    return pytest.param(
        name, marks=[pytest.mark.xfail(strict=True, raises=raises, reason=why)] if why else []
    )


def check(f, args):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ast_ad.errors.DefectWarning)
        ast_ad.check_grads(f, args, order=2)


@pytest.mark.drawn(of=150)
@pytest.mark.parametrize("name", [marked(name, "compiled") for name in PROGRAMS])
def test_compiled(name):
    check(*PROGRAMS[name])


@pytest.mark.drawn(of=80)
@pytest.mark.parametrize("name", [marked(name, "traced") for name in PROGRAMS])
def test_traced(name):
    f, args = PROGRAMS[name]
    check(opaque(f), args)
