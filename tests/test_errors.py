"""Do errors name the construct, the place, the reason and the way out, and survive pickling?"""

import copy
import linecache
import pickle
from pathlib import Path
from unittest import mock

import pytest

from ast_ad import errors
from ast_ad.compiler.ir.ops import Span

CLASSES = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.AdError)]


@pytest.fixture
def span(tmp_path):
    path = tmp_path / "user.py"
    path.write_text('def f(x):\n    é = "ü"; y = g(x)\n')
    column = len('    é = "ü"; y = '.encode())
    return Span(str(path), 2, column, column + 4, "y = g(x)", "f")


def test_all_four_parts_are_shown(span):
    error = errors.UnsupportedError(construct="a call of g", span=span, why="because", fix="do\nthis")
    assert str(error).splitlines() == [
        "[E101] a call of g",
        f"  {span.filename}:2, in f",
        '    é = "ü"; y = g(x)',
        " " * (4 + 13) + "^^^^",
        "  why: because",
        "  fix: do",
        "       this",
    ]


def test_without_a_file_the_statement_is_shown():
    error = errors.UnsupportedError("loop", Span("<nowhere>", 3, 4, 9, "for i in x: ...", "f"))
    assert "    for i in x: ..." in str(error) and "^" not in str(error)


def test_columns_of_another_version_do_no_harm(span):
    error = errors.AdError("x", Span(span.filename, 2, 400, 410, "y", "f"))
    assert "^" not in str(error)


def test_the_line_is_read_when_the_error_is_made(span, tmp_path):
    error = errors.AdError("x", span)
    (tmp_path / "user.py").write_text("other\n")
    with mock.patch.dict(linecache.cache):  # other tests' functions have their only text there
        linecache.clearcache()
        assert "y = g(x)" in str(error)


@pytest.mark.parametrize("cls", CLASSES)
def test_pickle_and_copy(cls, span):
    error = cls("c", span, why="w", fix="f")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is cls and str(other) == str(error)
        assert (other.construct, other.span, other.why, other.fix) == ("c", span, "w", "f")


def test_codes_are_unique_and_every_class_is_documented():
    assert len({c.code for c in CLASSES}) == len(CLASSES)
    assert all(c.__doc__ for c in CLASSES)


def test_the_builtin_classes_that_users_expect():
    assert issubclass(errors.InputTypeError, TypeError)
    assert issubclass(errors.InputValueError, ValueError)
    assert issubclass(errors.UnsupportedError, NotImplementedError)


def test_at_fills_a_missing_place_only(span):
    error = errors.AdError("c").at(span)
    assert error.span is span and error.args[1] is span and "g(x)" in str(error)
    assert error.at(Span("other", 1)).span is span


def test_the_documentation_lists_every_class():
    page = (Path(__file__).parents[1] / "docs" / "errors.md").read_text()
    for cls in CLASSES:
        assert f"`{cls.__name__}` | {cls.code} |" in page
