"""Are gradients right? They are compared with differences of the function's values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...eager.dispatch import call
from ...eager.sweeps import grad
from ...eager.tensor import Tensor
from .gradient_properties import check_batched, check_linear, check_undefined
from .jacobians import (
    GradcheckError,
    analytical_jacobians,
    as_tuple,
    close,
    differentiated,
    directional_differences,
    numerical_jacobians,
    pulled,
    shown,
)
from .tangents import check_tangents

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "gradcheck",
    "gradgradcheck",
]

DEPRECATED = (
    "`{}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will "
    "be removed in a future version of PyTorch. If you have a specific use for this or feature request for "
    "this to be a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new"
)
NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
    "different values, although analytical gradient matches numerical gradient.The tolerance for "
    "nondeterminism was {}.\n\nNOTE: a difference that is expected is let pass by a larger `nondet_tol`."
)


@dataclass
class _Check:
    """What is compared, and how closely."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast_mode: bool


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare the gradients of ``func`` at ``inputs`` with central differences.

    Complex outputs are checked as two functions, the real and the imaginary part.

    Args:
        func: takes tensors (and others), returns a tensor or several.
        inputs: its arguments; those that require grad should be in double precision.
        eps: the step of the differences.
        atol, rtol: how far Jacobians may differ.
        raise_exception: raise if they differ, rather than return False.
        nondet_tol: how far two equal backward passes may differ.
        check_undefined_grad, check_grad_dtypes: also check that outputs without a gradient count as zero,
            and the dtypes of gradients.
        check_batched_grad: also check ``is_grads_batched`` of ``autograd.grad``.
        check_forward_ad: also check the tangents of dual tensors.
        fast_mode: compare random projections of the Jacobians only.

    Returns:
        True; False for a difference without ``raise_exception``.

    Raises:
        GradcheckError: a difference.
        ValueError: no input requires grad.

    >>> import ast_ad
    >>> x = ast_ad.tensor([1.0, 2.0], dtype=ast_ad.float64, requires_grad=True)
    >>> gradcheck(lambda x: x**3, (x,))
    True
    """
    _check_choice(check_forward_ad, check_backward_ad, check_batched_forward_grad, check_batched_grad)
    check = _Check(eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode)
    try:
        _check_inputs(as_tuple(inputs))
        if check_backward_ad:
            _run(check, func, as_tuple(inputs), check_undefined_grad, check_batched_grad)
        if check_forward_ad:
            check_tangents(func, as_tuple(inputs), eps, rtol, atol, fast_mode)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_choice(forward: bool, backward: bool, batched_forward: bool, batched: bool) -> None:
    """Refuse checks that don't go together."""
    if not (forward or backward):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if batched and not backward:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if batched_forward and not forward:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")


def _run(check: _Check, func: Any, inputs: tuple[Any, ...], undefined: bool, batched: bool) -> None:
    func_out = as_tuple(func(*inputs))
    outputs = differentiated(func_out)
    if any(_is_complex(o) for o in func_out):
        which = {i for i, o in enumerate(outputs) if _is_complex(o)}
        for part, imaginary in ((np.imag, True), (np.real, False)):
            _compare(check, _part_of(func, part), inputs, which, imaginary)
    else:
        _compare(check, func, inputs, set(), False)
    if batched:
        for i, o in enumerate(outputs):
            check_batched(inputs, o, i)
    check_linear(inputs, outputs)
    if undefined:
        check_undefined(func, inputs)


def _is_complex(t: Any) -> bool:
    return bool(t._array.dtype.kind == "c")


def _part_of(func: Any, part: Any) -> Callable[..., tuple[Any, ...]]:
    """``func`` with the real or the imaginary parts of its complex outputs."""

    def of_part(*inputs: Any) -> tuple[Any, ...]:
        return tuple(call(part, (o,)) if _is_complex(o) else o for o in as_tuple(func(*inputs)))

    return of_part


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    for i, t in enumerate(inputs):
        if not isinstance(t, Tensor) or not t.requires_grad:
            continue
        a = t._array
        if a.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or "
                "complex. ",
                stacklevel=3,
            )
        if not all(stride > 0 or n <= 1 for stride, n in zip(a.strides, a.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                ".contiguous on the input before passing it to gradcheck."
            )
    if not differentiated(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True."
        )


# ----- Jacobians


def _compare(check: _Check, func: Any, inputs: tuple[Any, ...], which: set[int], imaginary: bool) -> None:
    """Compare the Jacobians of all outputs, ``which`` of them are parts of complex ones."""
    func_out = as_tuple(func(*inputs))
    outputs = differentiated(func_out)
    if outputs and check.fast_mode:
        _compare_projections(check, func, inputs, which, imaginary)
        return
    numerical = numerical_jacobians(func, inputs, inputs, check.eps)
    if not outputs:
        if any((jacobian != 0).any() for jacobians in numerical for jacobian in jacobians):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    places = [i for i, o in enumerate(func_out) if o.requires_grad]
    for i, (o, place) in enumerate(zip(outputs, places, strict=True)):
        for j, a in enumerate(_twice(check, inputs, o)):
            n = numerical[j][place]
            if not close(a, n, check.rtol, check.atol):
                raise GradcheckError(_mismatch(a, n, i, j, i in which, imaginary))


def _twice(check: _Check, inputs: tuple[Any, ...], output: Tensor) -> list[np.ndarray]:
    """The Jacobians of an output, which must come out the same again."""
    first, right = analytical_jacobians(inputs, output)
    second, _ = analytical_jacobians(inputs, output)
    if not right and check.check_grad_dtypes:
        raise GradcheckError("Gradient has dtype mismatch")
    if any(a.size and np.abs(a - b).max() > check.nondet_tol for a, b in zip(first, second, strict=True)):
        raise GradcheckError(NOT_REENTRANT.format(check.nondet_tol))
    return first


def _mismatch(a: Any, n: Any, output: int, input: int, of_complex: bool, imaginary: bool) -> str:
    part = "imaginary" if imaginary else "real"
    return (
        (f"While considering the {part} part of complex outputs only, " if of_complex else "")
        + f"Jacobian mismatch for output {output} with respect to input {input},\n"
        + f"numerical:{shown(n)}\nanalytical:{shown(a)}\n"
    )


def _compare_projections(
    check: _Check, func: Any, inputs: tuple[Any, ...], which: set[int], imaginary: bool
) -> None:
    """Compare one number per pair of an input and an output: the Jacobian between two random vectors."""
    func_out = as_tuple(func(*inputs))
    outputs = differentiated(func_out)
    places = [i for i, o in enumerate(func_out) if o.requires_grad]
    random = np.random.default_rng(0)  # the same vectors every time: so is the verdict
    seeds = [_unit(random, o._array.size) for o in outputs]
    wanted = differentiated(inputs)
    rows = [_row_twice(check, o, wanted, v) for o, v in zip(outputs, seeds, strict=True)]
    for j, t in enumerate(wanted):
        x = t._array
        if x.dtype.kind == "c":
            u: Any = _unit(random, x.size), _unit(random, x.size)
        else:
            u = _unit(random, x.size)
        columns = directional_differences(func, inputs, x, u, check.eps)
        for i, (place, v) in enumerate(zip(places, seeds, strict=True)):
            n = columns[place] @ v
            a = _between(rows[i][j], u)
            atol = check.atol * np.sum(u) * v.sum()
            if not close(a, n, check.rtol, atol):
                message = _mismatch(a, n, i, j, i in which, imaginary)
                raise GradcheckError(message + _in_full(check, func, inputs, outputs[i], place, j))


def _row_twice(check: _Check, output: Tensor, wanted: Any, v: np.ndarray) -> list[Any]:
    """The gradients for one gradient of an output, which must come out the same again."""
    seed = v.astype(output._array.dtype)
    first, second = pulled(output, wanted, seed), pulled(output, wanted, seed)
    for t, a, b in zip(wanted, first, second, strict=True):
        if a is None or b is None:
            continue
        if check.check_grad_dtypes and a.dtype != t._array.dtype:
            raise GradcheckError("Gradient has dtype mismatch")
        if a.size and np.abs(a - b).max() > check.nondet_tol:
            raise GradcheckError(NOT_REENTRANT.format(check.nondet_tol))
    return first


def _unit(random: Any, n: int) -> np.ndarray:
    v = random.random(n)
    return np.asarray(v / np.linalg.norm(v)) if n else v


def _between(row: Any, u: Any) -> Any:
    if row is None:
        return np.zeros(())
    if isinstance(u, tuple):
        return row.real.reshape(-1) @ u[0] + 1j * (row.imag.reshape(-1) @ u[1])
    return row.reshape(-1) @ u


def _in_full(check: _Check, func: Any, inputs: tuple[Any, ...], o: Tensor, place: int, j: int) -> str:
    """The Jacobians whose projections differ."""
    n = numerical_jacobians(func, inputs, inputs, check.eps)[j][place]
    a = analytical_jacobians(inputs, o)[0][j]
    text = (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. "
        "Below, we recompute numerical and analytical jacobians in slow mode:\n\n"
        f"Numerical:\n {shown(n)}\nAnalytical:\n{shown(a)}\n\n"
        f"The max per-element difference (slow mode) is: {np.abs(n - a).max()}.\n"
    )
    if close(a, n, check.rtol, check.atol):
        text += (
            "Fast gradcheck failed but element-wise differences are small. This means that the\n"
            "test might've passed in slow_mode!"
        )
    return text


# ----- second derivatives


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compare the second derivatives of ``func`` with differences of its gradients.

    Args:
        func, inputs: as for ``gradcheck``.
        grad_outputs: the gradients of the outputs from which the gradients start; random by default.
        gen_non_contig_grad_outputs: let the random ones not be contiguous.
        eps, atol, rtol, raise_exception, nondet_tol, fast_mode: as for ``gradcheck``, like the checks.

    Returns:
        True; False for a difference without ``raise_exception``.

    Raises:
        GradcheckError: a difference.

    >>> import ast_ad
    >>> x = ast_ad.tensor([1.0, 2.0], dtype=ast_ad.float64, requires_grad=True)
    >>> gradgradcheck(lambda x: x**3, (x,))
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    given = as_tuple(inputs)
    seeds = _random_seeds(func, given, gen_non_contig_grad_outputs) if grad_outputs is None else grad_outputs
    seeds = as_tuple(seeds)
    return gradcheck(
        _gradients(func, given, len(seeds)),
        given + seeds,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _gradients(func: Callable[..., Any], given: tuple[Any, ...], n: int) -> Callable[..., Any]:
    """The gradients of ``func``, as a function of its arguments and of the ``n`` gradients of its outputs."""
    wanted = [i for i, t in enumerate(given) if isinstance(t, Tensor) and t.requires_grad]

    def gradients(*args: Any) -> tuple[Any, ...]:
        args_in, args_out = args[: len(args) - n], args[len(args) - n :]
        outputs = differentiated(as_tuple(func(*args_in)))
        found = grad(outputs, [args_in[i] for i in wanted], args_out, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradients


def _random_seeds(func: Callable[..., Any], given: tuple[Any, ...], spread: bool) -> tuple[Tensor, ...]:
    return tuple(_random_like(o, spread) for o in differentiated(as_tuple(func(*given))))


def _random_like(o: Tensor, spread: bool) -> Tensor:
    """Random numbers between -1 and 1 in the shape of ``o``."""
    random = np.random.default_rng(0)  # the same vectors every time: so is the verdict
    shape = o._array.shape
    full = (*shape, 2) if spread and shape else shape
    values = random.uniform(-1, 1, full)
    if _is_complex(o):
        values = values + 1j * random.uniform(-1, 1, full)
    values = np.asarray(values).astype(o._array.dtype)
    t: Tensor = Tensor._of(values[..., 0] if spread and shape else values)
    t._requires_grad = True
    return t


# ----- names of older programs


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """The Jacobians of the first output of ``fn(inputs)`` by differences; deprecated."""
    warnings.warn(DEPRECATED.format("get_numerical_jacobian"), FutureWarning, stacklevel=2)
    if grad_out != 1.0:
        raise ValueError(
            "Expected grad_out to be 1.0. get_numerical_jacobian no longer supports values of grad_out != "
            "1.0."
        )
    found = numerical_jacobians(
        lambda *args: fn(args), as_tuple(inputs), as_tuple(inputs if target is None else target), eps
    )
    return tuple(shown(jacobians[0]) for jacobians in found)


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobians of ``output`` by backward passes, and three judgements of them; deprecated."""
    warnings.warn(DEPRECATED.format("get_analytical_jacobian"), FutureWarning, stacklevel=2)
    if grad_out != 1.0:
        raise ValueError(
            "Expected grad_out to be 1.0. get_analytical_jacobian no longer supports values of grad_out != "
            "1.0."
        )
    if _is_complex(output):
        raise ValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer supports functions that "
            "return complex outputs."
        )
    first, right = analytical_jacobians(as_tuple(inputs), output)
    second, _ = analytical_jacobians(as_tuple(inputs), output)
    pairs = zip(first, second, strict=True)
    reentrant = not any(a.size and np.abs(a - b).max() > nondet_tol for a, b in pairs)
    return tuple(map(shown, first)), reentrant, True, right
