"""Is what runs now recorded? The modes, as context managers and as decorators; each thread has its own."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .state import state, watch

DECORATED_CLASS = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
    "functions "
    "or methods. To preserve the current behavior of class decoration, you can directly decorate the "
    "`__init__` "
    "method and nothing else."
)


class Mode:
    """A change of mode: a block (``with``), or a decorator of functions and of generators."""

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *error: Any) -> None:
        raise NotImplementedError

    def clone(self) -> Mode:
        return type(self)()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warnings.warn(DECORATED_CLASS, FutureWarning, stacklevel=2)
            return self(lambda *args, **kwargs: function(*args, **kwargs))
        if inspect.isgeneratorfunction(function):
            return self._generator(function)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    def _generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The generator's own steps run in the mode; between them the caller's mode holds."""

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            step: Callable[[], Any] = functools.partial(next, generator)
            while True:
                try:
                    with self.clone():
                        item = step()
                except StopIteration as stop:
                    return stop.value
                try:
                    sent = yield item
                    step = functools.partial(generator.send, sent)
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    step = functools.partial(generator.throw, error)

        return wrapped


def _keep_tangents() -> None:
    """Refuse to stop recording where tangents depend on it."""
    if state.dual is not None:
        raise RuntimeError(
            "recording can't be switched off inside of a dual level: tangents are derived from what is "
            "recorded. Leave the level first, or detach() what needs no tangent."
        )


class _NoParentheses(Mode):
    """A mode without arguments: ``@no_grad`` and ``@no_grad()`` mean the same."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        self = super().__new__(cls)
        return self if function is None else self(function)

    def __init__(self, function: Any = None) -> None:
        self.previous = False


class no_grad(_NoParentheses):
    """Record nothing.

    >>> import ast_ad
    >>> x = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> with no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __enter__(self) -> None:
        _keep_tangents()
        self.previous, state.grad = state.grad, False

    def __exit__(self, *error: Any) -> None:
        state.grad = self.previous


class enable_grad(_NoParentheses):
    """Record again, within ``no_grad``; inference mode is not left."""

    def __enter__(self) -> None:
        self.previous, state.grad = state.grad, not state.inference

    def __exit__(self, *error: Any) -> None:
        state.grad = self.previous


class set_grad_enabled(Mode):
    """Switch recording on or off: at once where it is called, for the time of a block, or in a function."""

    def __init__(self, mode: bool) -> None:
        self.previous, self.mode = state.grad, bool(mode)
        self.__enter__()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        state.grad = self.previous
        return super().__call__(function)

    def __enter__(self) -> None:
        if not self.mode:
            _keep_tangents()
        state.grad = self.mode and not state.inference

    def __exit__(self, *error: Any) -> None:
        state.grad = self.previous

    def clone(self) -> Mode:
        return type(self)(self.mode)

    def __repr__(self) -> str:
        return f"set_grad_enabled(mode={self.mode})"


class set_multithreading_enabled(Mode):
    """Whether the sweep may use several threads. It never does: the setting is only remembered."""

    def __init__(self, mode: bool) -> None:
        self.previous, self.mode = state.multithreading, bool(mode)
        state.multithreading = self.mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        state.multithreading = self.previous

    def clone(self) -> Mode:
        return type(self)(self.mode)


def is_multithreading_enabled() -> bool:
    """What ``set_multithreading_enabled`` has set last, in this thread."""
    return state.multithreading


class inference_mode(Mode):
    """Record nothing and make inference tensors, which later recorded computation may not save."""

    def __new__(cls, mode: Any = True) -> Any:
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.__init__(True)  # type: ignore[misc]
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.previous = (True, False)

    def __enter__(self) -> None:
        if self.mode:
            _keep_tangents()
        self.previous = state.grad, state.inference
        state.grad, state.inference = not self.mode, self.mode

    def __exit__(self, *error: Any) -> None:
        state.grad, state.inference = self.previous

    def clone(self) -> Mode:
        return type(self)(self.mode)


def is_grad_enabled() -> bool:
    """Whether operations are recorded now, in this thread."""
    return state.grad


def is_inference_mode_enabled() -> bool:
    """Whether results are inference tensors now, in this thread."""
    return state.inference


def is_anomaly_enabled() -> bool:
    """Whether anomalies in the reverse sweep are looked for."""
    return bool(watch.anomaly)


def is_anomaly_check_nan_enabled() -> bool:
    """Whether NaN counts as an anomaly."""
    return bool(watch.check_nan)
