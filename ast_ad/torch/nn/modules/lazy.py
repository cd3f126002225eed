"""How is a layer made whose input is not known yet? Its first input decides; until then it has no parameters.

Every lazy class is its full class less one argument, the number of features that come in. When that is known,
a layer of the full class is made, the lazy one takes over what it has, and becomes one of the full class. The
parameters are the same objects before and after, so optimisers may be made in between.
"""

from __future__ import annotations

import inspect
from typing import Any

from ..parameter import UninitializedParameter, is_lazy
from . import batchnorm, conv
from .linear import Linear
from .module import Module

__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d", "LazyConv3d",
    "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d", "LazyInstanceNorm1d",
    "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear",
]  # fmt: skip


class LazyModuleMixin(Module):
    """A layer that is completed by its first input.

    Class attributes: ``cls_to_become``, the full class; ``_inferred``, the argument and attribute that the
    input decides; ``_axis``, the axis of the input whose length it is.
    """

    cls_to_become: Any = None
    _inferred = ""
    _axis = -1

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bound = inspect.signature(type(self)).bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        super().__init__(**{self._inferred: 0}, **given)
        self._arguments = given
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = UninitializedParameter(dtype=parameter.dtype)
        self._initialize_hook = self.register_forward_pre_hook(_infer_parameters, with_kwargs=True)

    def reset_parameters(self) -> None:
        """Draw new parameters, if they are there."""
        if not self.has_uninitialized_params() and getattr(self, self._inferred):
            super().reset_parameters()  # type: ignore[misc]

    def has_uninitialized_params(self) -> bool:
        """Whether the layer is still to be completed."""
        return any(is_lazy(parameter) for parameter in self._parameters.values())

    def initialize_parameters(self, input: Any) -> None:
        """Complete the layer for inputs like this one."""
        number = input.shape[self._axis]
        if self.has_uninitialized_params() or not getattr(self, self._inferred):
            self._take_over(self.cls_to_become(**{self._inferred: number}, **self._arguments))

    def _take_over(self, full: Any) -> None:
        setattr(self, self._inferred, getattr(full, self._inferred))
        for name, made in full._parameters.items():
            own = self._parameters[name]
            if is_lazy(own):
                own.materialize_from(made.detach().to(own.dtype))  # as `layer.double()` has made it
        for name, made in full._buffers.items():
            if made is not None and self._buffers[name].shape != made.shape:
                if self._buffers[name].numel() == 0:
                    self._buffers[name] = made.to(self._buffers[name].dtype)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        for name, own in self._parameters.items():
            stored = state_dict.get(prefix + name)
            if is_lazy(own) and stored is not None and not is_lazy(stored):
                own.materialize(stored.shape)
        for name, own in self._buffers.items():
            stored = state_dict.get(prefix + name)
            if own is not None and stored is not None and own.numel() == 0:
                self._buffers[name] = own.new_empty(stored.shape)
        super()._load_from_state_dict(state_dict, prefix, *rest)


def _infer_parameters(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Before the first forward pass: complete the module and make it one of the full class."""
    module.initialize_parameters(*args, **kwargs)
    module._initialize_hook.remove()
    del module._initialize_hook, module._arguments
    module.__class__ = module.cls_to_become


def _lazy(base: Any, inferred: str, axis: int, defaults: Any = None) -> Any:
    """The lazy class of ``base``, with its arguments' defaults or those of another class."""
    name = f"Lazy{base.__name__}"
    signature = inspect.signature(defaults or base)
    rest = [parameter for key, parameter in signature.parameters.items() if key != inferred]
    text = f"""``{base.__name__}`` without ``{inferred}``, which the first input decides.

    After that it is a ``{base.__name__}``.
    """
    members = {
        "cls_to_become": base, "_inferred": inferred, "_axis": axis, "__doc__": text, "__module__": __name__,
        "__signature__": signature.replace(parameters=rest),
    }  # fmt: skip
    return type(name, (LazyModuleMixin, base), members)


_RANKS = (1, 2, 3)
LazyLinear = _lazy(Linear, "in_features", -1)
LazyConv1d, LazyConv2d, LazyConv3d = (
    _lazy(getattr(conv, f"Conv{rank}d"), "in_channels", -rank - 1) for rank in _RANKS
)
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    _lazy(getattr(conv, f"ConvTranspose{rank}d"), "in_channels", -rank - 1) for rank in _RANKS
)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (
    _lazy(getattr(batchnorm, f"BatchNorm{rank}d"), "num_features", 1) for rank in _RANKS
)
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    _lazy(getattr(batchnorm, f"InstanceNorm{rank}d"), "num_features", -rank - 1, batchnorm.BatchNorm1d)
    for rank in _RANKS
)
