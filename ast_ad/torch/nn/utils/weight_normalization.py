"""How is a weight split into a length and a direction? ``w = g * v / |v|``.

After Salimans and Kingma, "Weight normalization" (2016), https://arxiv.org/abs/1602.07868.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

from ....eager.dispatch import apply
from ....eager.table import Operation
from ....eager.tensor import Tensor
from ....rules.networks.weight_norm import norms_except, weight_norm as composition
from ..modules.module import Module
from ..parameter import Parameter

__all__ = ["remove_weight_norm", "weight_norm"]


def norm_except(v: Any, dim: int) -> Any:
    """The norms over all dimensions but ``dim``, unrecorded; of everything for -1."""
    return Tensor._of(norms_except(v._array, dim))


@functools.cache
def _operation() -> Operation:
    return Operation(composition, "WeightNormInterfaceBackward0", ("v", "g"))


def composed(v: Any, g: Any, dim: int) -> Any:
    """The weight of direction ``v`` and length ``g``."""
    return apply(_operation(), (v, g, dim))


class WeightNorm:
    """The hook that computes a weight anew before each call of its module."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Any:
        return composed(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))

    def remove(self, module: Module) -> None:
        weight = self.compute_weight(module)
        for name in (self.name, self.name + "_g", self.name + "_v"):
            delattr(module, name)
        setattr(module, self.name, Parameter(weight.data))


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Replace a parameter by its length ``weight_g`` and direction ``weight_v``; deprecated.

    ``parametrizations.weight_norm`` does the same. ``dim``: along which the lengths differ; None if there is
    only one.

    Raises:
        RuntimeError: the parameter has been replaced already.
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    if _hook(module, name) is not None:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(norm_except(weight, hook.dim).data))
    module.register_parameter(name + "_v", Parameter(weight.data))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def _hook(module: Module, name: str) -> int | None:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            return int(key)
    return None


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make the weight a plain parameter again.

    Raises:
        ValueError: it was none of ``weight_norm``.
    """
    key = _hook(module, name)
    if key is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    module._forward_pre_hooks.pop(key).remove(module)
    return module
