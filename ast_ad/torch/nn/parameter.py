"""Which tensors does a module own? Parameters, which are trained, and buffers, which are only stored."""

from __future__ import annotations

import inspect
from typing import Any

from ...eager.operations.creation import empty
from ...eager.tensor import Tensor

__all__ = ["Buffer", "Parameter", "UninitializedParameter"]
NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
    "`forward` to initialize the parameters before accessing their attributes."
)


class _ParameterType(type):
    """``isinstance(t, Parameter)`` also holds for tensors of other classes that were made parameters."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterType):
    """A tensor that a module registers when it is assigned to one of its attributes.

    It shares the memory of ``data``, has no history, and requires grad unless told otherwise, also in
    ``no_grad`` blocks. What is computed from it are plain tensors.

    Raises:
        RuntimeError: ``requires_grad`` for integers or booleans.

    >>> import ast_ad
    >>> ast_ad.nn.Parameter(ast_ad.tensor([1.0, 2.0]))
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    """

    _face = Tensor

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._face = Tensor

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = empty(0)
        if data._face is Tensor:
            t = cls._of(data._array)
            t._version_counter, t._inference = data._version_counter, data._inference
            _set_requires_grad(t, requires_grad)
            return t
        t = data.detach().requires_grad_(requires_grad)
        t._is_param = True
        return t

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(Tensor._of(self._array.copy(order="K")), self._requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        own = {k: v for k, v in self.__dict__.items() if k not in _STATE}
        return _rebuilt, (type(self), self._array, self._requires_grad, own)


# What tensors keep in attributes; anything else was set by the user.
_STATE = {*vars(Tensor), *inspect.get_annotations(Tensor)}


def _set_requires_grad(t: Tensor, requires_grad: bool) -> None:
    if requires_grad and t._array.dtype.kind not in "fc":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    t._requires_grad = bool(requires_grad)


def _rebuilt(cls: Any, array: Any, requires_grad: bool, own: dict[str, Any]) -> Any:
    """A parameter as it was pickled."""
    t = cls._of(array)
    t._requires_grad = requires_grad
    t.__dict__.update(own)
    return t


class UninitializedParameter(Parameter):
    """A parameter whose shape is not known yet; ``materialize`` makes it a ``Parameter``.

    Errors: ``RuntimeError`` where its shape is asked for.

    >>> p = UninitializedParameter()
    >>> p
    <UninitializedParameter>
    >>> p.materialize((2, 3))
    >>> type(p).__name__, p.shape
    ('Parameter', torch.Size([2, 3]))
    """

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        t = cls._of(empty(0, dtype=dtype)._array)
        _set_requires_grad(t, requires_grad)
        return t

    def __getattribute__(self, name: str) -> Any:
        if name in _NEED_SHAPE and super().__getattribute__("__class__") is UninitializedParameter:
            raise RuntimeError(NO_SHAPE)
        return super().__getattribute__(name)

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become a parameter of this shape, with elements that are still to be set."""
        self.materialize_from(empty(tuple(shape), dtype=dtype or self.dtype))

    def materialize_from(self, values: Tensor) -> None:
        """Become a parameter on the memory of ``values``."""
        self._array = values._array
        self.__class__ = Parameter  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self._requires_grad, dtype=self.dtype)
        return memo[id(self)]

    def __repr__(self) -> str:  # type: ignore[override]
        return "<UninitializedParameter>"


_NEED_SHAPE = {"shape", "size", "numel", "nelement", "dim", "ndim"}


def is_lazy(parameter: Any) -> bool:
    """Whether a parameter is still to get its shape."""
    return type(parameter) is UninitializedParameter


class _BufferType(type):
    """Buffers are tensors of any class that are marked as such."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False):
            return True
        return type.__instancecheck__(cls, instance)


class Buffer(Tensor, metaclass=_BufferType):
    """A tensor that a module registers as a buffer when it is assigned to one of its attributes.

    The result is a plain tensor on the memory of ``data``. It is part of the module's ``state_dict`` if
    ``persistent``.

    >>> import ast_ad
    >>> m = ast_ad.nn.Module()
    >>> m.mean = ast_ad.nn.Buffer(ast_ad.zeros(2))
    >>> dict(m.named_buffers())
    {'mean': tensor([0., 0.])}
    """

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = empty(0)
        t = data.detach().requires_grad_(data.requires_grad)
        t.persistent, t._is_buffer = persistent, True
        return t
