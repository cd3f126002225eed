"""What becomes of decompositions and transforms within loops? Calls of what NumPy itself calls for them.

Outside of loops NumPy does them. Values have the same bits as NumPy's, and vectors the same signs.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ....rules.numpy.decompositions import cotangent_of_others
from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import Array, Scalar
from ..numbers.library_functions import CALLS, KINDS
from ..numbers.scalars import NoForm, argument_type
from ..runtime import require
from .forms import filled_by, form_of, options_of, require_equal, same_length
from .loop_values import Filled, Memory, Value

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer


def library_function(s: Scalarizer, op: Op, name: str) -> Any:
    fn = CALLS.get(name)
    if fn is None or not s.depth:
        raise NoForm(f"`{op.fn.__name__}` of arrays")
    return fn


def matrix_of(s: Scalarizer, op: Op) -> tuple[Memory, str]:
    """A matrix in memory, and which of LAPACK's types it has."""
    (arg, *_), value = op.args, s.array(op.args[0])
    kind = KINDS.get(value.type.dtype)
    if kind is None or value.rank != 2 or not isinstance(arg, Var):
        raise NoForm(f"`{op.fn.__name__}` of stacks of matrices, or of other than double precision")
    return s.in_memory(arg), kind


@form_of(np.linalg.eigh)
def _eigh(s: Scalarizer, op: Op) -> None:
    triangle = _triangle(op)
    a, kind = matrix_of(s, op)
    require_equal(s, *a.lengths)
    filled_by(s, op, library_function(s, op, f"eigh_{triangle}_{kind}"), [a.var], [a.lengths[:1], a.lengths])


@form_of(np.linalg.eigvalsh)
def _eigvalsh(s: Scalarizer, op: Op) -> None:
    triangle = _triangle(op)
    a, kind = matrix_of(s, op)
    require_equal(s, *a.lengths)
    filled_by(s, op, library_function(s, op, f"eigvalsh_{triangle}_{kind}"), [a.var], [a.lengths[:1]])


def _triangle(op: Op) -> str:
    name = str(options_of(op, "UPLO").get("UPLO", "L"))
    if name.upper() not in ("L", "U"):
        raise NoForm(f"`{op.fn.__name__}` of another triangle")
    return "lo" if name.upper() == "L" else "up"


@form_of(np.linalg.svd)
def _svd(s: Scalarizer, op: Op) -> None:
    given = options_of(op, "full_matrices compute_uv hermitian")
    a, kind = matrix_of(s, op)
    vectors = given.get("compute_uv", True)
    if given.get("hermitian") or (vectors and given.get("full_matrices", True) and not _is_square(a)):
        raise NoForm("`svd` of such a kind")
    short = (shorter(s, a),)
    if not vectors:
        filled_by(s, op, library_function(s, op, f"svd_{kind}"), [a.var], [short])
        return
    fn = library_function(s, op, f"svd_s_{kind}")
    filled_by(s, op, fn, [a.var], [a.lengths[:1] + short, short, short + a.lengths[1:]])


@form_of(cotangent_of_others)
def _of_no_others(s: Scalarizer, op: Op) -> None:
    """A square matrix has no vectors but those of a value."""
    bar, values = s.array(op.args[0]), s.array(op.args[2])
    alone = bar.rank == 2 and same_length(bar.lengths[1], values.lengths[0])
    if not isinstance(op.out.type, Array) or not alone:
        raise NoForm("vectors beyond the rank of a matrix")
    zero = Lit(op.out.type.dtype.type(0).item())
    s.bind(op.out, Filled(op.out.type, (bar.lengths[0], Lit(0)), zero))


@form_of(np.linalg.svdvals)
def _svdvals(s: Scalarizer, op: Op) -> None:
    options_of(op, "")
    a, kind = matrix_of(s, op)
    filled_by(s, op, library_function(s, op, f"svd_{kind}"), [a.var], [(shorter(s, a),)])


@form_of(np.linalg.qr)
def _qr(s: Scalarizer, op: Op) -> None:
    if options_of(op, "mode").get("mode", "reduced") != "reduced":
        raise NoForm("`qr` of such a mode")
    a, kind = matrix_of(s, op)
    short = (shorter(s, a),)
    filled_by(
        s, op, library_function(s, op, f"qr_{kind}"), [a.var], [a.lengths[:1] + short, short + a.lengths[1:]]
    )


def _is_square(a: Memory) -> bool:
    one, other = a.lengths
    return same_length(one, other)


def shorter(s: Scalarizer, a: Memory) -> Arg:
    """The smaller one of a matrix' lengths."""
    one, other = a.lengths
    if same_length(one, other):
        return one
    if isinstance(one, Lit) and isinstance(other, Lit):
        return Lit(min(one.value, other.value))
    s.flush()
    return s.body.op(min, one, other, type=Scalar("int"))


# ----- transforms of vectors -----
@form_of(np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)
def _transform(s: Scalarizer, op: Op) -> None:
    name, (a, asked, norm) = op.fn.__name__, _transformed(s, op)
    real, backwards = name == "rfft", name.startswith("i")
    if real and a.type.dtype != np.float64:
        raise NoForm("`rfft` of other than double precision")
    memory = s.in_memory(op.args[0]) if real and isinstance(op.args[0], Var) else _complex(s, a)
    s.flush()
    given = memory.lengths[0]
    if name == "irfft" and asked is None:
        given = _int(s, operator.mul, _int(s, operator.sub, given, Lit(1)), Lit(2))
    n = given if asked is None else asked
    length = _int(s, operator.add, _int(s, operator.floordiv, n, Lit(2)), Lit(1)) if real else n
    scale = _scale(s, n, norm, backwards)
    more = (scale, n) if real else (scale,)
    filled_by(s, op, library_function(s, op, name), [memory.var], [(length,)], *more)


def _transformed(s: Scalarizer, op: Op) -> tuple[Value, Arg | None, Any]:
    """The vector, the length of its transform where one is asked for, and the name of its scale."""
    given: dict[str, Arg] = dict(zip(("n", "axis", "norm"), op.args[1:], strict=False)) | op.kwargs
    a, n = s.array(op.args[0]), given.get("n", Lit(None))
    axis, norm = given.get("axis", Lit(-1)), given.get("norm", Lit(None))
    if a.rank != 1 or not isinstance(norm, Lit) or not (isinstance(axis, Lit) and axis.value in (0, -1)):
        raise NoForm(f"`{op.fn.__name__}` of arrays of several axes")
    if isinstance(n, Lit) and n.value is None:
        return a, None, norm.value
    s.flush()
    n = s.number(n)
    type = argument_type(n)
    if not isinstance(type, Scalar) or type.kind != "int":
        raise NoForm(f"`{op.fn.__name__}` of a length that is no int")
    s.body.append(Op(require, (s.body.op(operator.ge, n, Lit(1), type=Scalar("bool")),), (), effect=True))
    return a, n, norm.value


def _complex(s: Scalarizer, a: Value) -> Memory:
    """An array of complex numbers of double precision in memory."""
    if a.type.dtype not in KINDS:
        raise NoForm("a transform of other than double precision")
    if isinstance(a, Memory) and a.type.dtype == np.complex128:
        return a
    memory = s.allocate(replace(a.type, dtype=np.dtype(np.complex128)), a.lengths)
    s.fill(memory, a)
    return memory


def _scale(s: Scalarizer, n: Arg, norm: str | None, backwards: bool) -> Arg:
    """What NumPy multiplies a transform of ``n`` numbers by."""
    if norm == "ortho":
        root = _float(s, np.sqrt, _float(s, float, n))
        return _float(s, operator.truediv, Lit(1.0), root)
    if (norm in (None, "backward")) == backwards:
        return _float(s, operator.truediv, Lit(1.0), n)
    return Lit(1.0)


def _int(s: Scalarizer, fn: Any, *args: Arg) -> Arg:
    if all(isinstance(arg, Lit) for arg in args):
        return Lit(fn(*(arg.value for arg in args)))  # type: ignore[union-attr]
    return s.body.op(fn, *args, type=Scalar("int"))


def _float(s: Scalarizer, fn: Any, *args: Arg) -> Arg:
    return s.body.op(fn, *args, type=Scalar("float"))
