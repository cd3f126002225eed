"""What is a Variable? A tensor: the name is that of the time when the two differed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ...eager.state import state
from ...eager.tensor import Tensor

__all__ = ["Variable"]


class VariableMeta(type):
    """Lets every tensor count as a Variable."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class _Engine:
    """What programs ask of the engine by name."""

    def queue_callback(self, callback: Callable[[], Any]) -> None:
        """Call ``callback()`` when the backward pass that is under way has ended.

        Raises:
            RuntimeError: none is under way.
        """
        if state.sweep is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        state.sweep.callbacks.append(callback)


class Variable(metaclass=VariableMeta):
    """``Variable(t, requires_grad)`` is a tensor on the memory of ``t``, as older programs write it.

    >>> import ast_ad
    >>> x = Variable(ast_ad.ones(2), requires_grad=True)
    >>> x, isinstance(x, Variable)
    (tensor([1., 1.], requires_grad=True), True)
    """

    _execution_engine = _Engine()

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if volatile:
            text = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."
            warnings.warn(text, stacklevel=2)
        t = data.detach()
        return t.requires_grad_() if requires_grad else t
