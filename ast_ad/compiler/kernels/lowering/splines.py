"""What becomes of piecewise polynomials and splines within loops? Calls of functions of one point.

Outside of loops SciPy evaluates them, and those whose values are arrays.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import Array, Scalar
from ..nests.affine_indices import Index
from ..nests.body import Body
from ..numbers.library_functions import KINDS
from ..numbers.piecewise import polynomial_adjoint, polynomial_at, spline_adjoint, spline_at
from ..numbers.scalars import NoForm
from .forms import FORMS, filled_by, require_equal
from .loop_values import Formula, Memory

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

_RULES = "ast_ad.rules.scipy"
_COST = 16


def register() -> None:
    """Enter the forms, once the program has imported ``scipy.interpolate``."""
    rules = sys.modules.get(f"{_RULES}.piecewise_polynomials")
    if rules is not None:
        FORMS.setdefault(rules.piecewise_values, _polynomial)
        FORMS.setdefault(rules.piecewise_adjoint, _polynomial_adjoint)
    rules = sys.modules.get(f"{_RULES}.splines")
    if rules is not None:
        FORMS.setdefault(rules.spline_values, _spline)
        FORMS.setdefault(rules.spline_adjoint, _spline_adjoint)


def _polynomial(s: Scalarizer, op: Op) -> None:
    c, x = _data(s, op, 2, *op.args[:2])
    _at_points(s, op, polynomial_at, c, x, *op.args[2:])


def _polynomial_adjoint(s: Scalarizer, op: Op) -> None:
    g, c, x, at, *options = op.args
    _flowing(s, op, polynomial_adjoint, g, *_data(s, op, 2, c, x), at, *options)


def _spline(s: Scalarizer, op: Op) -> None:
    c, at, t, *options = op.args
    _at_points(s, op, spline_at, *_data(s, op, 1, c, t), at, *options)


def _spline_adjoint(s: Scalarizer, op: Op) -> None:
    g, c, at, t, *options = op.args
    _flowing(s, op, spline_adjoint, g, *_data(s, op, 1, c, t), at, *options)


def _at_points(s: Scalarizer, op: Op, fn: Any, c: Memory, x: Memory, at: Arg, *options: Arg) -> None:
    """A function of each point."""
    points, known, type = s.array(at), _known(op, options), op.out.type
    if points.type.dtype != np.float64 or not isinstance(type, Array):
        raise NoForm("points of other than double precision")
    number = Scalar(type.kind, type.dtype)

    def element(body: Body, place: tuple[Index, ...]) -> Arg:
        return body.op(fn, c.var, x.var, points.element(body, place), *known, type=number)

    s.flush()
    s.bind(op.out, Formula(type, points.lengths, [points, c, x], element, _COST))


def _flowing(s: Scalarizer, op: Op, fn: Any, g: Arg, c: Memory, x: Memory, at: Arg, *options: Arg) -> None:
    """What flows to the coefficients from points in a vector."""
    found = [s.in_memory(arg) for arg in (g, at) if isinstance(arg, Var)]
    one_type = isinstance(op.out.type, Array) and op.out.type.dtype == c.type.dtype
    if len(found) != 2 or not one_type or any(m.rank != 1 for m in found):
        raise NoForm("the adjoint of a spline at points in a matrix")
    bar, points = found
    require_equal(s, bar.lengths[0], points.lengths[0])
    filled_by(s, op, fn, (bar.var, c.var, x.var, points.var), [c.lengths], *_known(op, options))


def _data(s: Scalarizer, op: Op, rank: int, c: Arg, x: Arg) -> tuple[Memory, Memory]:
    """Coefficients without further axes, and breakpoints or knots, in memory."""
    if not s.depth or not isinstance(c, Var) or not isinstance(x, Var):
        raise NoForm(f"`{op.fn.__name__}` of arrays")
    found = s.in_memory(c), s.in_memory(x)
    if found[0].rank != rank or found[0].type.dtype not in KINDS or found[1].type.dtype != np.float64:
        raise NoForm("a spline with further axes, or of other than double precision")
    return found


def _known(op: Op, options: tuple[Arg, ...]) -> tuple[Lit, ...]:
    """The degree, if there is one, the order of the derivative and whether the ends reach out."""
    found = [arg.value for arg in options if isinstance(arg, Lit)]
    if len(found) < len(options) or any(value < 0 for value in found[:-1]):
        raise NoForm(f"`{op.fn.__name__}` with an option that is not known")
    return (*(Lit(int(value)) for value in found[:-1]), Lit(bool(found[-1])))
