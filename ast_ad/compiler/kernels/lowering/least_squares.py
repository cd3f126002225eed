"""What becomes of least squares and pseudo-inverses within loops? Calls of what NumPy itself calls for them.

Outside of loops NumPy does them, and of other than double precision.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from ....rules.numpy.linalg import cutoff, is_cut, padded_to
from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import Array, Scalar
from ..numbers.library_functions import EPS, KINDS, require_all_kept
from ..numbers.scalars import NoForm
from .forms import filled_by, form_of, options_of, require_equal, same_length
from .library_calls import library_function, matrix_of, shorter
from .loop_values import Memory, Value
from .lowering import SEVERAL

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

_LEAST = 1e-15  # what NumPy's ``pinv`` compares to where it is not told


@form_of(np.linalg.pinv)
def _pinv(s: Scalarizer, op: Op) -> None:
    given: dict[str, Arg] = dict(zip(("rcond", "hermitian"), op.args[1:], strict=False)) | op.kwargs
    cut, hermitian = given.pop("rcond", Lit(None)), given.pop("hermitian", Lit(False))
    if given or not isinstance(hermitian, Lit) or hermitian.value:
        raise NoForm("`pinv` with an option that is not known")
    a, kind = matrix_of(s, op)
    ratio = s.arg(cut)
    if isinstance(ratio, Lit):
        ratio = Lit(_LEAST if ratio.value is None else float(ratio.value))
    elif not isinstance(ratio, Var) or ratio.type != Scalar("float"):
        raise NoForm("`pinv` with an option that is not known")
    filled_by(s, op, library_function(s, op, f"pinv_{kind}"), [a.var], [a.lengths[::-1]], ratio)


@form_of(cutoff)
def _cutoff(s: Scalarizer, op: Op) -> None:
    """A number: the ratio that is asked for, or what the lengths of the matrix make of none."""
    a, asked = s.array(op.args[0]), s.arg(op.args[1])
    if a.type.dtype not in KINDS or not isinstance(asked, Lit):
        raise NoForm("a cutoff of singular values that is not known")
    ratio = asked.value
    known = None if ratio is None else Lit(max(float(ratio) if ratio < 1 else 0.0, EPS))
    s.env[op.out] = known or _of_lengths(s, a)


def _of_lengths(s: Scalarizer, a: Value) -> Arg:
    """The machine's precision times the greater length of a matrix."""
    one, other = a.lengths
    if isinstance(one, Lit) and isinstance(other, Lit):
        return Lit(max(one.value, other.value) * EPS)
    s.flush()
    most = one if same_length(one, other) else s.body.op(max, one, other, type=Scalar("int"))
    return s.body.op(operator.mul, most, Lit(EPS), type=Scalar("float"))


@form_of(is_cut)
def _is_cut(s: Scalarizer, op: Op) -> None:
    """No: where singular values are left out that are not zero, NumPy answers."""
    found = [s.in_memory(arg) for arg in op.args if isinstance(arg, Var)]
    if not s.depth or len(found) != 2 or any(m.rank != 2 or m.type.dtype not in KINDS for m in found):
        raise NoForm("`is_cut` of arrays")
    if found[0].type.dtype != found[1].type.dtype:
        raise NoForm("`is_cut` of arrays of two types")
    s.flush()
    s.body.append(Op(require_all_kept, tuple(m.var for m in found), (), effect=True))
    s.env[op.out] = Lit(False)


@form_of(np.linalg.lstsq)
def _lstsq(s: Scalarizer, op: Op) -> None:
    given = options_of(op, "rcond", 2)
    a, kind = matrix_of(s, op)
    b = _right_hand_side(s, op, a)
    x, sums, rank, values = op.outs
    count = b.lengths[1:] or (Lit(1),)
    rows, columns = a.lengths
    few = isinstance(rows, Lit) and isinstance(columns, Lit) and rows.value <= columns.value
    told_none = few or not s.uses.get(sums)
    lengths = [a.lengths[1:] + b.lengths[1:], (Lit(0),) if told_none else count, (shorter(s, a),)]
    fn = library_function(s, op, f"lstsq_{'vector' if b.rank == 1 else 'matrix'}_{kind}")
    told = Var(Scalar("int"), rank.hint)
    asked = given.get("rcond")
    ratio = _of_lengths(s, a) if asked is None else Lit(float(asked))
    filled_by(s, op, fn, (a.var, b.var), lengths, ratio, outs=(x, sums, values), told=told)
    s.env[rank] = told


def _right_hand_side(s: Scalarizer, op: Op, a: Memory) -> Memory:
    arg = op.args[1]
    if not isinstance(arg, Var) or not isinstance(arg.type, Array):
        raise NoForm("`lstsq` of arrays")
    b = s.in_memory(arg)
    if b.type.dtype != a.type.dtype or b.rank not in (1, 2):
        raise NoForm("`lstsq` of arrays of two types")
    require_equal(s, a.lengths[0], b.lengths[0])
    return b


@form_of(padded_to)
def _padded_to(s: Scalarizer, op: Op) -> None:
    """The sums of squares, which are told wherever they are read."""
    sums, count = s.array(op.args[0]), s.arg(op.args[1])
    if sums.rank != 1 or isinstance(count, Value):
        raise NoForm("sums of squares of which some may lack")
    require_equal(s, sums.lengths[0], count)
    s.bind(op.out, sums)


SEVERAL.add(np.linalg.lstsq)
