"""How is memory saved by computing twice? What would be saved is computed anew in the backward pass."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...eager.operations.randomness import get_rng_state, set_rng_state
from ...eager.state import state
from ...eager.tensor import Tensor
from ..autograd import backward, enable_grad, no_grad
from ..autograd.function import Function
from .recomputation import CheckpointError, Frame, recorded

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "GraphExecGroup",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

Context = contextlib.AbstractContextManager[Any]
_early_stop: bool | None = None
_debug: bool | None = None

EXPLICIT = (
    "{}: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if "
    "you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
    "more details on the differences between the two variants."
)
INCOMPATIBLE = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
    "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
    ".backward() without passing the `inputs` argument."
)


def noop_context_fn() -> tuple[Context, Context]:
    """Two contexts that do nothing: for the forward pass and for computing anew."""
    return contextlib.nullcontext(), contextlib.nullcontext()


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether checkpoints made in the block stop computing anew once all that was saved is there."""
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Whether errors in the block say more, whatever ``debug`` the checkpoints were given; None: as given."""
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


class GraphExecGroup:
    """Sweeps within the block share what checkpoints compute anew: it is computed once for all of them.

    No two of them may need the same saved tensor.

    >>> import ast_ad
    >>> calls = []
    >>> x = ast_ad.tensor([1.0], requires_grad=True)
    >>> def double_sine(x):
    ...     calls.append(x)
    ...     y = x.sin()
    ...     return y, y.sin()
    >>> y, z = checkpoint(double_sine, x, use_reentrant=False)
    >>> with GraphExecGroup():
    ...     g = ast_ad.autograd.grad(z, y)
    ...     g = ast_ad.autograd.grad(y, x, g)
    >>> len(calls)
    2
    """

    def __enter__(self) -> GraphExecGroup:
        if state.group is not None:
            raise RuntimeError(
                f"GraphExecGroup contexts cannot be nested. Already inside group {state.group}"
            )
        state.group = self
        return self

    def __exit__(self, *error: object) -> None:
        state.group = None


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Context, Context]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, whose intermediate values are computed anew in the backward pass.

    Args:
        function: what to compute; it must do the same when it is called again.
        use_reentrant: compute anew by a backward pass within the backward pass, as PyTorch did first. That
            does not work with ``autograd.grad`` and takes no keywords. False is recommended.
        context_fn: makes the contexts in which the function runs, at first and again.
        determinism_check: 'default' compares shapes and dtypes of what is computed anew, 'none' does not.
        debug: let errors say which function saved something else.
        early_stop: stop computing anew once all that was saved is there.
        preserve_rng_state: let random numbers be the same when they are drawn again.

    Raises:
        CheckpointError: the function saved something else when it was called again.

    >>> import ast_ad
    >>> x = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> y = checkpoint(lambda x: (x * x).exp(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([  5.4366, 218.3926])
    """
    if use_reentrant is None:
        warnings.warn(EXPLICIT.format("torch.utils.checkpoint"), UserWarning, stacklevel=2)
        use_reentrant = True
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant:
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"determinism_check should be one of ['default', 'none'], but got {determinism_check}"
        )
    contexts = context_fn()
    if not state.grad:
        with contexts[0]:
            return function(*args, **kwargs)
    stop = early_stop if _early_stop is None else _early_stop
    checks = determinism_check == "default"
    seed = get_rng_state() if preserve_rng_state else None
    return _unsaved(function, args, kwargs, contexts, seed, stop, checks, debug if _debug is None else _debug)


def _unsaved(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    contexts: tuple[Context, Context],
    seed: Any,
    stop: bool,
    checks: bool,
    talkative: bool,
) -> Any:
    """Run the function; what it would save is computed anew."""
    first, again = contexts

    def compute(*tensors: Any) -> None:
        with _random_numbers(seed), enable_grad(), again:
            function(*tensors, **kwargs)

    name = str(getattr(function, "__qualname__", function)) if talkative else ""
    frame = Frame(compute, args, stop, checks, name)
    with recorded(frame), first:
        return function(*args, **kwargs)


@contextlib.contextmanager
def _random_numbers(seed: Any) -> Iterator[None]:
    """Draw the numbers that follow from ``seed``; those that come later are not affected."""
    if seed is None:
        yield
        return
    now = get_rng_state()
    set_rng_state(seed)
    try:
        yield
    finally:
        set_rng_state(now)


# ----- by a backward pass within the backward pass


def _detached(a: Any) -> Any:
    if not isinstance(a, Tensor):
        return a
    t = a.detach()
    t._requires_grad = a.requires_grad
    return t


class CheckpointFunction(Function):
    """A function that runs unrecorded, and again in the backward pass."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        """Compute ``function(*args)``."""
        if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            text = "None of the inputs have requires_grad=True. Gradients will be None"
            warnings.warn(text, UserWarning, stacklevel=4)
        ctx.function = function
        ctx.seed = get_rng_state() if preserve_rng_state else None
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Compute it again, recorded, and send the gradients back through that."""
        if state.sweep is not None and state.sweep.targets is not None:
            raise RuntimeError(INCOMPATIBLE)
        args = list(ctx.others)
        for i, t in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[i] = _detached(t)
        with _random_numbers(ctx.seed), enable_grad():
            found = ctx.function(*args)
        outputs = found if isinstance(found, tuple) else (found,)
        pairs = [
            (t, g) for t, g in zip(outputs, grads, strict=True) if isinstance(t, Tensor) and t.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([t for t, _ in pairs], [g for _, g in pairs])
        return None, None, *(a.grad if isinstance(a, Tensor) else None for a in args)


def checkpoint_sequential(
    functions: Sequence[Callable[..., Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Apply ``functions`` one after the other, in ``segments`` parts; all but the last are checkpoints.

    >>> import ast_ad
    >>> x = ast_ad.tensor([1.0], requires_grad=True)
    >>> checkpoint_sequential([ast_ad.exp, ast_ad.log, ast_ad.sin], 2, x, use_reentrant=False)
    tensor([0.8415], grad_fn=<SinBackward0>)
    """
    if use_reentrant is None:
        name = "torch.utils.checkpoint.checkpoint_sequential"
        warnings.warn(EXPLICIT.format(name), UserWarning, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(steps) // segments

    def chain(part: Sequence[Callable[..., Any]]) -> Callable[[Any], Any]:
        def run(x: Any) -> Any:
            for step in part:
                x = step(x)
            return x

        return run

    last = size * (segments - 1)
    for start in range(0, last, size or 1):
        part = chain(steps[start : start + size])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return chain(steps[last:])(input)
