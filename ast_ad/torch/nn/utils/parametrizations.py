"""Which ready-made parametrizations are there? Weight normalization and spectral normalization."""

from __future__ import annotations

from typing import Any

from ....eager.tensor import Tensor
from ..modules.module import Module
from .parametrize import register_parametrization
from .spectral_normalization import as_matrix, default_dim, improved, normalize_into
from .weight_normalization import composed, norm_except

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return composed(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        return norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Parametrize a weight by its length (``original0``) and direction (``original1``).

    State dicts of the older ``utils.weight_norm`` can be loaded.

    Args:
        module: whose parameter it is.
        name: of the parameter.
        dim: along which the lengths differ; None for one length.

    >>> import ast_ad
    >>> layer = weight_norm(ast_ad.nn.Linear(2, 3))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([3, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict: Any, prefix: str, *others: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        n = weight.dim()
        if dim >= n or dim < -n:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{n}, {n - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim if dim >= 0 else dim + n, eps
        if n <= 1:
            return
        self.n_power_iterations = n_power_iterations
        matrix = as_matrix(weight.detach(), self.dim)
        for name, size in zip(("_u", "_v"), matrix.shape, strict=True):
            vector = matrix.new_empty(size).normal_(0, 1)
            normalize_into(vector, vector._array, eps)
            self.register_buffer(name, vector)
        improved(matrix._array, self._u, self._v, 15, eps, u_first=True)

    def forward(self, weight: Any) -> Any:
        if weight.dim() <= 1:
            return weight / weight.norm().clamp(min=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            improved(matrix._array, self._u, self._v, self.n_power_iterations, self.eps, u_first=True)
        u, v = self._u.clone(), self._v.clone()
        return weight / u.vdot(matrix.mv(v))

    def right_inverse(self, value: Any) -> Any:
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a parameter by its largest singular value, whenever it is read.

    Args:
        module: whose parameter it is.
        name: of the parameter.
        n_power_iterations: steps of the power method per reading in training mode.
        eps: the smallest length of a vector that is divided by its length.
        dim: the dimension of the outputs; by default 0, and 1 for transposed convolutions.

    Raises:
        ValueError: no such parameter.

    >>> import ast_ad
    >>> _ = ast_ad.manual_seed(0)
    >>> layer = spectral_norm(ast_ad.nn.Linear(20, 40))
    >>> bool(abs(ast_ad.linalg.matrix_norm(layer.weight, 2).item() - 1) < 0.1)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    dim = default_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
