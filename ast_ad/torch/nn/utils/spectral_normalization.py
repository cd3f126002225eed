"""How is a weight kept from amplifying? It is divided by its largest singular value.

After Miyato et al., "Spectral normalization for generative adversarial networks" (2018),
https://arxiv.org/abs/1802.05957.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....eager.modes import no_grad
from ....eager.tensor import Tensor
from ..modules.module import Module
from ..parameter import Parameter

__all__ = ["remove_spectral_norm", "spectral_norm"]


def default_dim(module: Any) -> int:
    """The dimension of a module's outputs in its weight."""
    transposed = ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
    return 1 if any(cls.__name__ in transposed for cls in type(module).__mro__) else 0


def as_matrix(weight: Any, dim: int) -> Any:
    """A weight with ``dim`` as its first dimension and all others as the second."""
    if dim != 0:
        weight = weight.permute(dim, *[d for d in range(weight.dim()) if d != dim])
    return weight.flatten(1)


def normalize_into(target: Tensor, x: np.ndarray, eps: float) -> None:
    """Write a vector of length 1 into a tensor."""
    with no_grad():
        target.copy_(Tensor._of(x / max(float(np.linalg.norm(x)), eps)))


def improved(matrix: np.ndarray, u: Tensor, v: Tensor, n: int, eps: float, u_first: bool) -> None:
    """``n`` steps of the power method on estimates of the first singular vectors, in place."""
    for _ in range(n):
        for left in (u_first, not u_first):
            if left:
                normalize_into(u, matrix @ v._array, eps)
            else:
                normalize_into(v, matrix.conj().T @ u._array, eps)


class SpectralNorm:
    """The hook that computes a weight anew before each call of its module."""

    _version = 1

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Any:
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            improved(matrix._array, u, v, self.n_power_iterations, self.eps, u_first=False)
        # copies: the next call changes the vectors, and the gradient of this one needs them
        u, v = u.clone(), v.clone()
        return weight / u.dot(matrix.mv(v))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))

    def remove(self, module: Module) -> None:
        with no_grad():
            weight = self.compute_weight(module, False)
        for end in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, Parameter(weight.detach()))


class _NotesVersion:
    """The hook that writes the version of the algorithm into a state dict."""

    def __init__(self, hook: SpectralNorm) -> None:
        self.hook = hook

    def __call__(self, module: Any, state_dict: Any, prefix: str, local_metadata: dict[str, Any]) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        versions[self.hook.name + ".version"] = self.hook._version


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a parameter by its largest singular value before each call of its module.

    Args:
        module: whose parameter it is.
        name: of the parameter, which becomes ``weight_orig``.
        n_power_iterations: steps of the power method per call in training mode.
        eps: the smallest length of a vector that is divided by its length.
        dim: the dimension of the outputs; by default 0, and 1 for transposed convolutions.

    Raises:
        RuntimeError: the parameter has been replaced already.
    """
    if _hook(module, name) is not None:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    hook = SpectralNorm(name, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    weight = getattr(module, name)
    with no_grad():
        matrix = as_matrix(weight, hook.dim)
        u, v = matrix.new_empty(matrix.size(0)).normal_(0, 1), matrix.new_empty(matrix.size(1)).normal_(0, 1)
        for x in (u, v):
            normalize_into(x, x._array, eps)
    delattr(module, name)
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    module._register_state_dict_hook(_NotesVersion(hook))
    return module


def _hook(module: Module, name: str) -> int | None:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            return int(key)
    return None


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make the weight a plain parameter again.

    Raises:
        ValueError: it was none of ``spectral_norm``.
    """
    key = _hook(module, name)
    if key is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    hook = module._forward_pre_hooks.pop(key)
    hook.remove(module)
    for other, notes in list(module._state_dict_hooks.items()):
        if isinstance(notes, _NotesVersion) and notes.hook is hook:
            del module._state_dict_hooks[other]
    return module
