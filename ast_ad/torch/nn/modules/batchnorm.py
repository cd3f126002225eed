"""Which layers normalise channels? By the moments of batches or of single samples, and running ones."""

from __future__ import annotations

from typing import Any

from ....eager.dtypes import int64
from ....eager.operations.creation import ones, tensor, zeros
from ....eager.tensor import Tensor
from .. import functional as F, init
from ..parameter import Parameter
from .module import Module

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    "SyncBatchNorm",
]  # fmt: skip


class ChannelNorm(Module):
    """What the layers share: ``weight`` and ``bias`` of each channel, and running moments in buffers."""

    _version = 2
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(
        self, num_features: int, eps: float, momentum: float | None, affine: bool, track_running_stats: bool,
        dtype: Any, bias: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, there in (("weight", affine), ("bias", affine and bias)):
            made = Parameter(zeros(num_features, dtype=dtype)) if there else None
            self.register_parameter(name, made)
        self.register_buffer(
            "running_mean", zeros(num_features, dtype=dtype) if track_running_stats else None
        )
        self.register_buffer("running_var", ones(num_features, dtype=dtype) if track_running_stats else None)
        count = tensor(0, dtype=int64) if track_running_stats else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Let the running moments be those of nothing: mean 0, variance 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Let ``weight`` be 1 and ``bias`` 0, and the running moments those of nothing."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        version = local_metadata.get("version", None)
        key = f"{prefix}num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked  # files of older programs don't have it
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


def _refuse_rank(input: Tensor, *ranks: int) -> None:
    if input.dim() not in ranks:
        wanted = " or ".join(f"{rank}D" for rank in ranks)
        raise ValueError(f"expected {wanted} input (got {input.dim()}D input)")


# ----- by batches


class _BatchNorm(ChannelNorm):
    """Normalise each channel by the moments of the batch; in evaluation by the running ones."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input: Tensor) -> Any:
        """The normalised batch. In training, the running moments move."""
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked._array += 1
            self.num_batches_tracked._version_counter[0] += 1
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked._array)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        running = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if running else None,
            self.running_var if running else None,
            self.weight,
            self.bias,
            by_batch,
            factor,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalise each channel of ``(N, C)`` or ``(N, C, L)`` by the moments of the batch.

    Shapes: ``(N, num_features, L) -> (N, num_features, L)``, ``(N, num_features) -> (N, num_features)``.

    Args:
        num_features: the number of channels ``C``.
        eps: added to the variance.
        momentum: how far the running moments move towards each batch's; None: they are the plain average.
        affine: whether there are a ``weight`` and a ``bias`` for each channel, which are trained.
        bias: whether there is the latter.
        track_running_stats: whether there are running moments, which count in evaluation.

    >>> import ast_ad
    >>> BatchNorm1d(1, eps=0.0)(ast_ad.tensor([[1.0], [3.0]])).detach()
    tensor([[-1.],
            [ 1.]])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        _refuse_rank(input, 2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalise each channel of images ``(N, C, H, W)`` by the moments of the batch; see ``BatchNorm1d``.

    Shapes: ``(N, num_features, H, W) -> (N, num_features, H, W)``.

    >>> BatchNorm2d(3)
    BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    def _check_input_dim(self, input: Tensor) -> None:
        _refuse_rank(input, 4)


class BatchNorm3d(_BatchNorm):
    """Normalise each channel of volumes ``(N, C, D, H, W)`` by the moments of the batch.

    Shapes: ``(N, num_features, D, H, W) -> (N, num_features, D, H, W)``.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        _refuse_rank(input, 5)


class SyncBatchNorm(_BatchNorm):
    """Not available: it joins the batches of several processes.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "SyncBatchNorm joins the batches of several processes, and there is one here: use BatchNorm1d, "
            "BatchNorm2d or BatchNorm3d"
        )


# ----- by samples


class _InstanceNorm(ChannelNorm):
    """Normalise each channel of each sample."""

    rank = 0

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def _check_input_dim(self, input: Tensor) -> None:
        _refuse_rank(input, self.rank + 1, self.rank + 2)

    def forward(self, input: Tensor) -> Any:
        """The normalised samples; one without a batch is one."""
        self._check_input_dim(input)
        axis = input.dim() - self.rank - 1
        if input.size(axis) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={axis} to match num_features ({self.num_features}), but "
                    f"got: {input.size(axis)}."
                )
            import warnings

            warnings.warn(
                f"input's size at dim={axis} does not match num_features. You can silence this warning by "
                "not passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if input.dim() == self.rank + 1:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _normalized(self, input: Tensor) -> Any:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )


class InstanceNorm1d(_InstanceNorm):
    """Normalise each channel of each sample of ``(N, C, L)`` or ``(C, L)``.

    Shapes: ``(N, num_features, L) -> (N, num_features, L)``; ``N`` may be missing.

    The arguments are those of ``BatchNorm1d``, with other defaults.

    >>> InstanceNorm1d(3)
    InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=False, bias=False, track_running_stats=False)
    """

    rank = 1


class InstanceNorm2d(_InstanceNorm):
    """Normalise each channel of each image of ``(N, C, H, W)`` or ``(C, H, W)``; see ``InstanceNorm1d``.

    Shapes: ``(N, num_features, H, W) -> (N, num_features, H, W)``; ``N`` may be missing.
    """

    rank = 2


class InstanceNorm3d(_InstanceNorm):
    """Normalise each channel of each volume of ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    Shapes: ``(N, num_features, D, H, W) -> (N, num_features, D, H, W)``; ``N`` may be missing.
    """

    rank = 3
