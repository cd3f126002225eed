"""How is a parameter made a function of others? The module computes it whenever it is read.

``register_parametrization`` gives the module a class of its own, in which the parameter is a property; what
it is computed from is in ``module.parametrizations``.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from ....eager.modes import no_grad
from ....eager.tensor import Tensor
from ..modules.containers import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "type_before_parametrizations",
]

_SEQUENCE = "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
_NO_PICKLE = (
    "Serialization of parametrized modules is only supported through state_dict(). See:\n"
    "https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-checkpoint-for-"
    "inference-and-or-resuming-training"
)


class _Cache:
    """The values that were computed in ``cached`` blocks. ``depth``: how many blocks there are around."""

    depth = 0
    values: dict[tuple[int, str], Any] = {}


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """A block in which every parametrized tensor is computed only once."""
    _Cache.depth += 1
    try:
        yield
    finally:
        _Cache.depth -= 1
        if not _Cache.depth:
            _Cache.values.clear()


class ParametrizationList(ModuleList):
    """The functions that give a parametrized tensor, one after the other, and what they start from.

    That is the parameter ``original``, or ``original0``, ``original1``, ... where the last ``right_inverse``
    returned several tensors.
    """

    def __init__(self, modules: Sequence[Any], original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new = original
            for module in reversed(list(self)):
                new = _inverted(module, new)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(f"{_SEQUENCE}{type(new).__name__}")
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        self._register(original, new)
        if not self.unsafe:
            _check_unchanged(self(), shape, dtype)

    def _register(self, original: Any, new: Any) -> None:
        if self.is_tensor:
            if original.dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            with no_grad():
                original.data = new
            _register(self, "original", original)
            return
        for i, part in enumerate(new):
            if not isinstance(part, Tensor):
                raise ValueError(f"{_SEQUENCE}element {i} of the sequence with type {type(part).__name__}.")
            if isinstance(original, Parameter):
                part = Parameter(part, original.requires_grad)
            part.requires_grad_(original.requires_grad)
            _register(self, f"original{i}", part)

    def originals(self) -> list[Any]:
        """What the tensor is computed from."""
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def right_inverse(self, value: Any) -> None:
        """Change the originals so that the tensor becomes ``value``."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                self._put(
                    "original", value, f"The tensor returned by `right_inverse` has dtype {value.dtype}"
                )
                return
            if not isinstance(value, Sequence):
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}."
                )
            if len(value) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a "
                    f"sequence of length {len(value)}."
                )
            for i, part in enumerate(value):
                self._put(
                    f"original{i}", part, f"Tensor {i} returned by `right_inverse` has dtype {part.dtype}"
                )

    def _put(self, name: str, value: Any, message: str) -> None:
        original = getattr(self, name)
        if value.dtype != original.dtype:
            raise ValueError(f"{message} while `{name}` has dtype {original.dtype}")
        original.data = value

    def forward(self) -> Any:
        first, *others = self
        x = first(*self.originals())
        for module in others:
            x = module(x)
        return x


def _inverted(module: Any, value: Any) -> Any:
    """``right_inverse`` of a value; the value itself where there is none."""
    if not hasattr(module, "right_inverse"):
        return value
    try:
        return module.right_inverse(value)
    except NotImplementedError:
        return value


def _register(module: Module, name: str, value: Any) -> None:
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


def _check_unchanged(found: Any, shape: Any, dtype: Any) -> None:
    if not isinstance(found, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
    for what, was, now in (("dtype", dtype, found.dtype), ("shape", shape, found.shape)):
        if was != now:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` "
                f"flag is enabled.\nunparametrized {what}: {was}\nparametrized {what}: {now}"
            )


# ----- the class with properties


def _give_own_class(module: Module) -> None:
    cls = type(module)

    def getstate(self: Any) -> Any:
        raise RuntimeError(_NO_PICKLE)

    def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
        replica = memo[id(self)] = self.__new__(type(self))
        replica.__dict__ = copy.deepcopy(self.__dict__, memo)
        return replica

    attributes: dict[str, Any] = {"__getstate__": getstate}
    if not hasattr(cls, "__deepcopy__"):
        attributes["__deepcopy__"] = deepcopy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), attributes)


def _add_property(module: Module, name: str) -> None:
    def get(self: Any) -> Any:
        if not _Cache.depth:
            return self.parametrizations[name]()
        key = id(self), name
        if key not in _Cache.values:
            _Cache.values[key] = self.parametrizations[name]()
        return _Cache.values[key]

    def put(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Any, *, unsafe: bool = False
) -> Module:
    """Make a parameter or buffer of a module the result of another module.

    Args:
        module: whose attribute it is.
        tensor_name: the name of the attribute.
        parametrization: what is called with the original tensor. Its method ``right_inverse``, if there is
            one, gives the original tensor, or several, for a value of the parameter.
        unsafe: whether shape and dtype may change.

    Returns:
        The module, which has another class from now on.

    Raises:
        ValueError: no such tensor, or shape or dtype change.

    >>> import ast_ad
    >>> class Square(ast_ad.nn.Module):
    ...     def forward(self, x):
    ...         return x * x
    >>> layer = register_parametrization(ast_ad.nn.Linear(2, 3), "weight", Square())
    >>> bool((layer.weight >= 0).all())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        parametrizations = module.parametrizations[tensor_name]
        if not unsafe:
            _check_next(module, tensor_name, parametrization)
        parametrizations.append(parametrization)
        parametrizations.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        parametrizations = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _give_own_class(module)
            module.parametrizations = ModuleDict()
        _add_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _check_next(module: Module, name: str, parametrization: Any) -> None:
    """A further parametrization must keep shape and dtype, in both directions."""
    value = getattr(module, name)
    found = parametrization(value)
    if not isinstance(found, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
    enabled = "unless the `unsafe` flag is enabled."
    for what in ("dtype", "shape"):
        was, now = getattr(value, what), getattr(found, what)
        if was != now:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, {enabled}\n"
                f"module.{name}.{what}: {was}\nparametrization(module.{name}).{what}: {now}"
            )
    back = _inverted(parametrization, found)
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        was, now = getattr(value, what), getattr(back, what)
        if was != now:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as "
                f"module.{name}, {enabled}\nmodule.{name}.{what}: {was}\nreturned {what}: {now}"
            )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrized tensors, or one of that name."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make a parametrized tensor a plain one again.

    ``leave_parametrized``: with its current value; otherwise with the original one.

    Raises:
        ValueError: it is not parametrized, or there are several originals.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        tensor = parametrizations.original
        if leave_parametrized:
            with no_grad():
                tensor.data = getattr(module, tensor_name)
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        tensor = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in "
            "terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, tensor)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """The class of a module before its tensors were parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
