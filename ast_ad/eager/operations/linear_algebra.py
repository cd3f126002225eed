"""How are matrices inverted, solved, factored and measured? The names of ``torch.linalg``, and older ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.numpy.decompositions import symmetric_cholesky, symmetric_eigh, symmetric_eigvalsh
from ...rules.numpy.linalg import symmetric_pinv
from ...rules.torch import matrices as torch_matrices
from ..dispatch import Operation, apply
from ..dtypes import scalar_name
from ..state import state
from ..surface import FUNCTIONS, function
from ..tensor import Tensor
from . import return_types
from .dimensions import axis_of
from .pointwise import require_tensor
from .products import CROSS, MULTI_DOT, matmul, vecdot

DET = Operation(np.linalg.det, "LinalgDetBackward0", ("A",))
SLOGDET = Operation(np.linalg.slogdet, "LinalgSlogdetBackward0", ("A",))
INV = Operation(np.linalg.inv, "LinalgInvExBackward0", ("A",))
PINV = Operation(np.linalg.pinv, "LinalgPinvBackward0", rule=symmetric_pinv)
SOLVE = Operation(np.linalg.solve, "LinalgSolveExBackward0", ("A", "B"))
SOLVE_TRIANGULAR = Operation(torch_matrices.solve_triangular, "LinalgSolveTriangularBackward0", ("self", "B"))
CHOLESKY = Operation(np.linalg.cholesky, "LinalgCholeskyExBackward0", ("A",), rule=symmetric_cholesky)
CHOLESKY_SOLVE = Operation(torch_matrices.cholesky_solve, "CholeskySolveBackward0", ("self", "input2"))
CHOLESKY_INVERSE = Operation(torch_matrices.cholesky_inverse, "CholeskyInverseBackward0")
QR = Operation(np.linalg.qr, "LinalgQrBackward0", ("A",))
SVD = Operation(np.linalg.svd, "LinalgSvdBackward0", ("A",))
SVDVALS = Operation(np.linalg.svdvals, "LinalgSvdBackward0", ("A",))
EIGH = Operation(np.linalg.eigh, "LinalgEighBackward0", ("A",), rule=symmetric_eigh)
EIGVALSH = Operation(np.linalg.eigvalsh, "LinalgEighBackward0", ("A",), rule=symmetric_eigvalsh)
EIG = Operation(np.linalg.eig, "LinalgEigBackward0")
EIGVALS = Operation(np.linalg.eigvals, "LinalgEigBackward0")
LSTSQ = Operation(np.linalg.lstsq, "LinalgLstsqBackward0", ("self", "b"))
MATRIX_POWER = Operation(np.linalg.matrix_power, "MmBackward0", ("self", "n"))
MATRIX_EXP = Operation(torch_matrices.matrix_exp, "LinalgMatrixExpBackward0")
LOGDET = Operation(torch_matrices.logdet, "WhereBackward0")
TENSORINV = Operation(np.linalg.tensorinv, "PermuteBackward0")
TENSORSOLVE = Operation(np.linalg.tensorsolve, "ReshapeBackward0", ("self", "other"))

SLOGDET.results = ("sign", "")
QR.results = ("Q", "R")
SVD.results = ("U", "S", "Vh")
EIGH.results = EIG.results = ("eigenvalues", "eigenvectors")
LSTSQ.results = ("solution", "", "", "")


class LinAlgError(RuntimeError):
    """A matrix that cannot be inverted or factored."""


LINALG: dict[str, Any] = {"LinAlgError": LinAlgError, "matmul": matmul, "vecdot": vecdot}


def linalg(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Publish a function in ``ast_ad.linalg``."""

    def publish(fn: Callable[..., Any]) -> Callable[..., Any]:
        for name in names or (fn.__name__,):
            LINALG[name] = fn
        return fn

    return publish


def check_alike(name: str, A: Tensor, B: Tensor) -> None:
    """Refuse operands of two dtypes."""
    require_tensor(name, B, "B", 2)
    first, second = scalar_name(A._array.dtype), scalar_name(B._array.dtype)
    if first != second and state.rules is None:
        raise RuntimeError(
            f"linalg.{name}: Expected A and B to have the same dtype, but found A of type {first} and B of "
            f"type {second} instead"
        )


def check_inexact(name: str, A: Any) -> None:
    require_tensor(name, A, "A")
    kind = A._array.dtype
    if kind.kind not in "fc":
        raise RuntimeError(
            f"linalg.{name}: Expected a floating point or complex tensor as input. Got {scalar_name(kind)}"
        )


def check_matrices(name: str, A: Any, square: bool = False) -> None:
    check_inexact(name, A)
    shape = A._array.shape
    if len(shape) < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if square and shape[-1] != shape[-2]:
        raise RuntimeError(
            f"linalg.{name}: A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} "
            "matrices"
        )


def run_checked(name: str, op: Operation, args: Any, **options: Any) -> Any:
    try:
        return apply(op, args, options)
    except np.linalg.LinAlgError as error:
        raise LinAlgError(f"linalg.{name}: {_explained(name, str(error))}") from None


def of_square(name: str, op: Operation, A: Any, **options: Any) -> Any:
    """The operation on square matrices."""
    check_matrices(name, A, True)
    return run_checked(name, op, (A,), **options)


def _explained(name: str, text: str) -> str:
    if "Singular" in text:
        return "The input matrix is singular: the inversion could not be completed."
    if "positive definite" in text:
        return "The factorization could not be completed because the input is not positive-definite."
    return text


# ----- determinants and inverses


@linalg()
@function("det")
def det(A: Tensor) -> Any:
    """The determinant of each matrix: ``(..., n, n) -> (...)``."""
    return of_square("det", DET, A)


@linalg()
@function("slogdet")
def slogdet(A: Tensor) -> Any:
    """The sign of each determinant and the logarithm of its modulus: ``(..., n, n) -> (...), (...)``."""
    return return_types.linalg_slogdet(*of_square("slogdet", SLOGDET, A))


@function()
def logdet(input: Tensor) -> Any:
    """The logarithm of each determinant; NaN where that is negative."""
    check_matrices("logdet", input, True)
    if input._array.dtype.kind == "c":
        sign, log = slogdet(input)
        return sign.log() + log
    return run_checked("logdet", LOGDET, (input,))


@linalg("inv")
@function("inverse")
def inv(A: Tensor) -> Any:
    """The inverse of each matrix: ``(..., n, n) -> (..., n, n)``.

    Raises:
        LinAlgError: one of them is singular.
    """
    return of_square("inv", INV, A)


@linalg("pinv")
@function("pinverse")
def pinv(A: Tensor, rcond: Any = None, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudoinverse of each matrix; singular values up to ``max(atol, rtol * largest)`` count as 0.
    Shapes: ``(..., m, n) -> (..., n, m)``."""
    check_matrices("pinv", A)
    least, cut = (_bound(v) for v in (atol, rtol if rcond is None else rcond))
    if cut is None:
        given = least is not None and np.any(np.greater(least, 0))
        cut = 0.0 if given else max(A._array.shape[-2:]) * float(np.finfo(A._array.dtype).eps)
    if least is not None and A._array.size:
        largest = np.linalg.svdvals(A._array)[..., 0]
        cut = np.maximum(cut, least / np.where(largest > 0, largest, 1.0))
    batch = np.broadcast_shapes(np.shape(cut), A._array.shape[:-2])
    if batch != A._array.shape[:-2]:
        A = A.expand(*batch, *A._array.shape[-2:])
    return run_checked("pinv", PINV, (A,), rcond=cut, hermitian=hermitian)


def _bound(given: Any) -> Any:
    """A tolerance: a number, or one for each matrix."""
    return given._array if isinstance(given, Tensor) else given


@linalg()
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Any:
    """``X`` with ``A @ X = B`` (not ``left``: ``X @ A = B``); ``B`` may be vectors.
    Shapes: ``(..., n, n), (..., n, k) -> (..., n, k)``, ``(..., n, n), (..., n) -> (..., n)``.

    Raises:
        LinAlgError: ``A`` is singular.
    """
    check_matrices("solve", A, True)
    check_alike("solve", A, B)
    if not left:
        return solve(A.transpose(-2, -1), B.transpose(-2, -1)).transpose(-2, -1)
    vectors = B._array.ndim > 1 and B._array.shape == A._array.shape[:-1]
    if vectors:
        return run_checked("solve", SOLVE, (A, B.unsqueeze(-1))).squeeze(-1)
    return run_checked("solve", SOLVE, (A, B))


@linalg()
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    """``X`` with ``A @ X = B`` (not ``left``: ``X @ A = B``), of which only one triangle of ``A`` is read.
    Shapes: ``(..., n, n), (..., n, k) -> (..., n, k)``; all ``...`` broadcast."""
    check_matrices("solve_triangular", A, True)
    how = {"upper": upper, "left": left, "unitriangular": unitriangular}
    return run_checked("solve_triangular", SOLVE_TRIANGULAR, (A, B), **how)


@function()
def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """``X`` with ``A @ X = b`` for triangular ``A`` (or its transpose), and ``A``."""
    turned, side = (A.transpose(-2, -1), not upper) if transpose else (A, upper)
    found = solve_triangular(turned, b, upper=side, unitriangular=unitriangular)
    return return_types.triangular_solve(found, A.clone())


@linalg()
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The least-squares solution of ``A @ X = B`` for each matrix, and what is left of ``B``.
    Shapes: ``(..., m, n), (..., m, k) -> (..., n, k), (..., k), (...), (..., min(m, n))``; ``(0)``: not told.

    All drivers compute alike; 'gels' does not tell ranks, and only 'gelsd' and 'gelss' tell singular values.
    """
    check_matrices("lstsq", A)
    check_alike("lstsq", A, B)
    if driver not in DRIVERS:
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    if A._array.ndim > 2:
        x, residuals, rank, values = _lstsq_of_each(A, B, rcond)
    else:
        x, residuals, rank, values = run_checked("lstsq", LSTSQ, (A, B), rcond=rcond)
    none = Tensor._of(np.zeros(0, A._array.real.dtype))
    ranks = np.zeros(0, np.int64) if driver == "gels" else np.asarray(rank, np.int64)
    told = values.detach() if driver in ("gelsd", "gelss") else none
    return return_types.linalg_lstsq(x, residuals, Tensor._of(ranks), told)


DRIVERS = (None, "gels", "gelsy", "gelsd", "gelss")


def _lstsq_of_each(A: Tensor, B: Tensor, rcond: float | None) -> tuple[Any, Any, Any, Any]:
    """The solutions, residuals, ranks and singular values of the matrices of a batch."""
    stack = FUNCTIONS["stack"]
    vectors = B._array.ndim == A._array.ndim - 1 and B._array.shape == A._array.shape[:-1]
    columns = B.unsqueeze(-1) if vectors else B
    batch = np.broadcast_shapes(A._array.shape[:-2], columns._array.shape[:-2])
    many, sides = (t.expand(*batch, *t._array.shape[-2:]).flatten(0, -3) for t in (A, columns))
    each = [run_checked("lstsq", LSTSQ, pair, rcond=rcond) for pair in zip(many, sides, strict=True)]
    x, residuals, values = (stack([one[i] for one in each]).unflatten(0, batch) for i in (0, 1, 3))
    rank = np.reshape([int(one[2]) for one in each], batch)
    return x.squeeze(-1) if vectors else x, residuals, rank, values


# ----- factorizations


@linalg()
def cholesky(A: Tensor, *, upper: bool = False) -> Any:
    """The Cholesky factor of each matrix, lower or ``upper``: ``(..., n, n) -> (..., n, n)``."""
    return of_square("cholesky", CHOLESKY, A, upper=upper)


@function("cholesky")
def cholesky_of(input: Tensor, upper: bool = False) -> Any:
    """The lower (or ``upper``) triangular factor of each positive-definite matrix."""
    return cholesky(input, upper=upper)


@function()
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Any:
    """``X`` with ``A @ X = input``, of whose Cholesky factor is ``L``."""
    for name, t in (("b", input), ("u", L)):
        if t._array.ndim < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {t._array.ndim} dimensions instead"
            )
    return run_checked("cholesky_solve", CHOLESKY_SOLVE, (input, L), upper=upper)


@function()
def cholesky_inverse(L: Tensor, upper: bool = False) -> Any:
    """The inverse of the matrix whose Cholesky factor is ``L``."""
    if L._array.ndim < 2:
        raise RuntimeError("cholesky_inverse: The input tensor A must have at least 2 dimensions.")
    return run_checked("cholesky_inverse", CHOLESKY_INVERSE, (L,), upper=upper)


@linalg()
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """Orthogonal columns ``Q`` and a triangle ``R`` with ``Q @ R = A``; ``mode`` 'r': ``R`` only.
    Shapes: ``(..., m, n) -> (..., m, k), (..., k, n)`` with ``k = min(m, n)``."""
    check_matrices("qr", A)
    found = run_checked("qr", QR, (A,), mode=mode)
    if mode == "r":
        return return_types.linalg_qr(Tensor._of(np.zeros(0, A._array.dtype)), found)
    return return_types.linalg_qr(*found)


@function("qr")
def qr_of(input: Tensor, some: bool = True) -> Any:
    """``Q`` and ``R`` with ``Q @ R = input``."""
    return return_types.qr(*qr(input, "reduced" if some else "complete"))


@linalg()
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """``A`` as ``U @ diag(S) @ Vh``: ``(..., m, n) -> (..., m, m), (..., min(m, n)), (..., n, n)``."""
    check_matrices("svd", A)
    _no_driver("svd", driver)
    return return_types.linalg_svd(*run_checked("svd", SVD, (A,), full_matrices=full_matrices))


def _no_driver(name: str, driver: str | None) -> None:
    if driver is not None:
        raise RuntimeError(
            f"torch.linalg.{name}: keyword argument `driver=` is only supported on CUDA inputs with "
            "cuSOLVER backend."
        )


@function("svd")
def svd_of(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """``U``, ``S`` and ``V`` with ``U @ diag(S) @ V.mH = input``; without ``compute_uv`` two are zero."""
    if not compute_uv:
        *batch, m, n = input._array.shape
        zeros = [np.zeros((*batch, k, k), input._array.dtype) for k in (m, n)]
        return return_types.svd(Tensor._of(zeros[0]), svdvals(input), Tensor._of(zeros[1]))
    u, s, vh = svd(input, not some)
    v = vh.transpose(-2, -1)
    return return_types.svd(u, s, v.conj() if v._array.dtype.kind == "c" else v)


def _recorded(A: Tensor) -> bool:
    return state.grad and A.requires_grad


@linalg()
def svdvals(A: Tensor, *, driver: str | None = None) -> Any:
    """The singular values of each matrix: ``(..., m, n) -> (..., min(m, n))``."""
    check_matrices("svdvals", A)
    _no_driver("svdvals", driver)
    if _recorded(A):  # the derivative needs the vectors
        return run_checked("svdvals", SVD, (A,), full_matrices=False)[1]
    return run_checked("svdvals", SVDVALS, (A,))


@linalg()
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """The eigenvalues and eigenvectors of each Hermitian matrix: ``(..., n, n) -> (..., n), (..., n, n)``."""
    return return_types.linalg_eigh(*of_square("eigh", EIGH, A, UPLO=UPLO))


@linalg()
def eigvalsh(A: Tensor, UPLO: str = "L") -> Any:
    """The eigenvalues of each symmetric (Hermitian) matrix: ``(..., n, n) -> (..., n)``."""
    check_matrices("eigvalsh", A, True)
    if _recorded(A):
        return run_checked("eigvalsh", EIGH, (A,), UPLO=UPLO)[0]
    return run_checked("eigvalsh", EIGVALSH, (A,), UPLO=UPLO)


def _complex(A: Tensor) -> Tensor:
    return A if A._array.dtype.kind == "c" else A.to(A.dtype.to_complex())


@linalg()
def eig(A: Tensor) -> Any:
    """The eigenvalues and eigenvectors of each matrix, complex: ``(..., n, n) -> (..., n), (..., n, n)``."""
    check_matrices("eig", A, True)
    return return_types.linalg_eig(*run_checked("eig", EIG, (_complex(A),)))


@linalg()
def eigvals(A: Tensor) -> Any:
    """The eigenvalues of each matrix, complex: ``(..., n, n) -> (..., n)``."""
    check_matrices("eigvals", A, True)
    if _recorded(A):
        return run_checked("eigvals", EIG, (_complex(A),))[0]
    return run_checked("eigvals", EIGVALS, (_complex(A),))


# ----- powers and products


@linalg()
@function("matrix_power")
def matrix_power(A: Tensor, n: int) -> Any:
    """Each matrix to the power of an integer: ``(..., n, n) -> (..., n, n)``."""
    check_matrices("matrix_power", A, True)
    return A.clone() if n == 1 else run_checked("matrix_power", MATRIX_POWER, (A, n))


@linalg()
@function("matrix_exp")
def matrix_exp(A: Tensor) -> Any:
    """The exponential of each matrix: ``(..., n, n) -> (..., n, n)``."""
    return of_square("matrix_exp", MATRIX_EXP, A)


@linalg()
def multi_dot(tensors: Any) -> Any:
    """The product of several matrices in the cheapest order: ``(a, b), (b, c), (c, d) -> (a, d)``."""
    given = list(tensors)
    if len(given) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(given)}")
    for i, t in enumerate(given):
        ends, which = i in (0, len(given) - 1), "first" if i == 0 else "last"
        if t._array.ndim not in ((1, 2) if ends else (2,)):
            what = f"the {which} tensor must be 1D or 2D" if ends else f"tensor {i} must be 2D"
            raise RuntimeError(f"multi_dot(): {what} but got {t._array.ndim}D")
    return apply(MULTI_DOT, (given,))


@linalg()
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Any:
    """The cross products of vectors along ``dim``, which broadcast: ``(..., 3), (..., 3) -> (..., 3)``."""
    return apply(CROSS, (input, other), {"axis": axis_of(input._array.ndim, dim)})


@linalg()
def tensorinv(A: Tensor, ind: int = 2) -> Any:
    """The inverse of a tensor as a map onto ``ind`` dimensions: ``(a, b, a * b) -> (a * b, a, b)``."""
    return run_checked("tensorinv", TENSORINV, (A,), ind=ind)


@linalg()
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Any:
    """``X`` with ``tensordot(A, X, X.ndim) = B``: ``(a, b, a * b), (a, b) -> (a * b)``; ``dims`` go last."""
    if dims is not None:
        last = [axis_of(A._array.ndim, d) for d in dims]
        A = A.permute(*[d for d in range(A._array.ndim) if d not in last], *last)
    check_alike("tensorsolve", A, B)
    found = run_checked("tensorsolve", TENSORSOLVE, (A, B))
    return found if A._array.ndim > B._array.ndim else found.reshape(())  # NumPy takes no dimensions for all


@linalg("diagonal")
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonal of each matrix: ``(..., m, n) -> (..., min(m, n))``."""
    return FUNCTIONS["diagonal"](A, offset, dim1, dim2)
