"""What becomes of ``scipy.linalg`` within loops? Plain substitution and elimination, as NumPy's solutions do.

Outside of loops SciPy is called, and for other than double precision.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Arg, Lit, Op, Seq, Var
from ..numbers import factored_systems as systems
from ..numbers.library_functions import KINDS
from ..numbers.matrix_exponential import MOST_ROWS, exponential
from ..numbers.scalars import NoForm
from .forms import FORMS, filled_by, options_of, require_equal
from .library_calls import matrix_of
from .loop_values import Memory
from .lowering import SEVERAL

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

_TURNED: dict[int | str, int] = {
    **dict.fromkeys((0, "N"), systems.PLAIN),
    **dict.fromkeys((1, "T"), systems.TRANSPOSED),
    **dict.fromkeys((2, "C"), systems.ADJOINT),
}


def register() -> None:
    """Enter the forms of functions of ``scipy.linalg``, once the program has imported it."""
    linalg = sys.modules.get("scipy.linalg")
    if linalg is not None:
        for name, form in _OF_SCIPY.items():
            FORMS.setdefault(getattr(linalg, name), form)
        SEVERAL.update({linalg.cho_factor, linalg.lu_factor})


def _operands(s: Scalarizer, op: Op, *args: Arg, finite: bool = True) -> list[Memory]:
    """Arrays of one type of double precision in memory, which are checked as SciPy does."""
    if not s.depth or not all(isinstance(arg, Var) for arg in args):
        raise NoForm(f"`{op.fn.__name__}` of arrays")
    found = [s.in_memory(arg) for arg in args if isinstance(arg, Var)]
    if len({m.type.dtype for m in found}) > 1 or found[0].type.dtype not in KINDS:
        raise NoForm(f"`{op.fn.__name__}` of other than double precision")
    if any(m.rank not in (1, 2) for m in found) or found[0].rank != 2:
        raise NoForm(f"`{op.fn.__name__}` of stacks of matrices")
    if finite:
        s.flush()
        for m in found:
            s.body.append(Op(systems.require_finite, (m.var,), (), effect=True))
    return found


def _turned(op: Op, trans: Any) -> Lit:
    """Which form of a matrix is meant."""
    if type(trans) not in (int, str) or trans not in _TURNED:
        raise NoForm(f"`{op.fn.__name__}` of another form of a matrix")
    return Lit(_TURNED[trans])


def _of_rank(right: Memory, of_vector: Any, of_matrix: Any) -> Any:
    return of_vector if right.rank == 1 else of_matrix


def _exponential(s: Scalarizer, op: Op) -> None:
    options_of(op, "")
    a, _ = matrix_of(s, op)
    require_equal(s, *a.lengths)
    if not s.depth or (isinstance(n := a.lengths[0], Lit) and n.value > MOST_ROWS):
        raise NoForm("`expm` of arrays")
    filled_by(s, op, exponential, [a.var], [a.lengths])


def _solve_triangular(s: Scalarizer, op: Op) -> None:
    given = options_of(op, "trans lower unit_diagonal overwrite_b check_finite", 2)
    a, b = _operands(s, op, *op.args[:2], finite=given.get("check_finite", True))
    require_equal(s, *a.lengths)
    require_equal(s, a.lengths[0], b.lengths[0])
    lower, unit = bool(given.get("lower", False)), bool(given.get("unit_diagonal", False))
    more = _turned(op, given.get("trans", 0)), Lit(lower), Lit(unit)
    fn = _of_rank(b, systems.triangular_vector, systems.triangular_matrix)
    filled_by(s, op, fn, (a.var, b.var, *more), [b.lengths])


def _cho_factor(s: Scalarizer, op: Op) -> None:
    given = options_of(op, "lower overwrite_a check_finite", 1)
    (a,) = _operands(s, op, op.args[0], finite=given.get("check_finite", True))
    require_equal(s, *a.lengths)
    lower = Lit(bool(given.get("lower", False)))
    factor, *rest = op.outs
    filled_by(s, op, systems.cholesky_factor, (a.var, lower), [a.lengths], outs=[factor])
    for out in rest:
        s.env[out] = lower


def _cholesky(s: Scalarizer, op: Op) -> None:
    given = options_of(op, "lower overwrite_a check_finite", 1)
    (a,) = _operands(s, op, op.args[0], finite=given.get("check_finite", True))
    require_equal(s, *a.lengths)
    lower = Lit(bool(given.get("lower", False)))
    filled_by(s, op, systems.one_cholesky_factor, (a.var, lower), [a.lengths])


def _parts(op: Op, count: int) -> tuple[Arg, ...]:
    first = op.args[0]
    if not isinstance(first, Seq) or len(first.items) != count:
        raise NoForm(f"`{op.fn.__name__}` of factors that are not known one by one")
    return first.items


def _cho_solve(s: Scalarizer, op: Op) -> None:
    given = options_of(op, "overwrite_b check_finite", 2)
    factor, lower = _parts(op, 2)
    lower = s.arg(lower)
    if not isinstance(lower, Lit):
        raise NoForm("`cho_solve` of a triangle that is not known")
    c, b = _operands(s, op, factor, op.args[1], finite=given.get("check_finite", True))
    require_equal(s, *c.lengths)
    require_equal(s, c.lengths[0], b.lengths[0])
    fn = _of_rank(b, systems.cholesky_vector, systems.cholesky_matrix)
    filled_by(s, op, fn, (c.var, b.var, Lit(bool(lower.value))), [b.lengths])


def _lu_factor(s: Scalarizer, op: Op) -> None:
    given = options_of(op, "overwrite_a check_finite", 1)
    (a,) = _operands(s, op, op.args[0], finite=given.get("check_finite", True))
    require_equal(s, *a.lengths)
    if a.type.dtype != np.float64:
        raise NoForm("`lu_factor` of complex matrices")  # whose pivots LAPACK chooses by another measure
    filled_by(s, op, systems.lu_factors, (a.var,), [a.lengths, a.lengths[:1]])


def _lu_solve(s: Scalarizer, op: Op) -> None:
    given = options_of(op, "trans overwrite_b check_finite", 2)
    factors, pivots = _parts(op, 2)
    lu, b = _operands(s, op, factors, op.args[1], finite=given.get("check_finite", True))
    if not isinstance(pivots, Var):
        raise NoForm("`lu_solve` with a display of pivots")
    rows = s.in_memory(pivots)
    require_equal(s, *lu.lengths)
    require_equal(s, lu.lengths[0], b.lengths[0])
    require_equal(s, lu.lengths[0], rows.lengths[0])
    fn = _of_rank(b, systems.lu_vector, systems.lu_matrix)
    filled_by(s, op, fn, (lu.var, rows.var, b.var, _turned(op, given.get("trans", 0))), [b.lengths])


def _solve(s: Scalarizer, op: Op) -> None:
    names = "lower overwrite_a overwrite_b check_finite assume_a transposed"
    given = options_of(op, names, 2)
    if given.get("assume_a") not in (None, "gen", "general"):
        raise NoForm("`solve` of a matrix of which one part is read")
    a, b = _operands(s, op, *op.args[:2], finite=given.get("check_finite", True))
    require_equal(s, *a.lengths)
    require_equal(s, a.lengths[0], b.lengths[0])
    turned = bool(given.get("transposed"))
    if turned and a.type.dtype != np.float64:
        raise NoForm("`solve` of a complex matrix that is transposed")  # SciPy has none
    fn = _of_rank(b, systems.solve_vector, systems.solve_matrix)
    filled_by(s, op, fn, (_transposed(s, a) if turned else a.var, b.var), [b.lengths])


def _transposed(s: Scalarizer, a: Memory) -> Var:
    s.flush()
    return s.body.op(np.transpose, a.var, type=a.type)


def _solve_banded(s: Scalarizer, op: Op) -> None:
    if len(op.args) < 3 or not isinstance(op.args[0], (Seq, Lit)):
        raise NoForm("`solve_banded` with a band that is not known")
    given = options_of(op, "overwrite_ab overwrite_b check_finite", 3)
    counts = op.args[0].value if isinstance(op.args[0], Lit) else [s.arg(c) for c in op.args[0].items]
    known = [c.value if isinstance(c, Lit) else c for c in counts]
    if not all(type(c) is int and c >= 0 for c in known):
        raise NoForm("`solve_banded` with a band that is not known")
    lower, upper = known
    ab, b = _operands(s, op, *op.args[1:3], finite=given.get("check_finite", True))
    require_equal(s, ab.lengths[0], Lit(lower + upper + 1))
    require_equal(s, ab.lengths[1], b.lengths[0])
    fn = _of_rank(b, systems.banded_vector, systems.banded_matrix)
    filled_by(s, op, fn, (Lit(lower), Lit(upper), ab.var, b.var), [b.lengths])


_OF_SCIPY = {
    "expm": _exponential,
    "solve_triangular": _solve_triangular,
    "cho_factor": _cho_factor,
    "cho_solve": _cho_solve,
    "cholesky": _cholesky,
    "lu_factor": _lu_factor,
    "lu_solve": _lu_solve,
    "solve": _solve,
    "solve_banded": _solve_banded,
}
