"""Which schedulers follow a cosine? Annealing down and up again, and annealing with restarts.

Source: Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts (2016).
"""

from __future__ import annotations

import math
from typing import Any

from .base import LRScheduler, option_of_groups


class CosineAnnealingLR(LRScheduler):
    """The rate follows half a cosine from its initial value to ``eta_min`` in ``T_max`` epochs, then back.

    It is computed from the rate as it stands, so that other schedulers may change it too.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = CosineAnnealingLR(optimizer, T_max=4)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [1.0, 0.8536, 0.5, 0.1464, 0.0]
    """

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> list[Any]:
        self._check_within_step()
        if self._is_initial:
            return option_of_groups(self.optimizer, "lr")
        low, epoch = self.eta_min, self.last_epoch
        if self._step_count == 1 and epoch > 0:
            return [
                low + (lr - low) * (1 + math.cos(epoch * math.pi / self.T_max)) / 2 for lr in self.base_lrs
            ]
        groups = self.optimizer.param_groups
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # leaving the lowest point
            rise = 1 - math.cos(math.pi / self.T_max)
            return [g["lr"] + (lr - low) * rise / 2 for lr, g in zip(self.base_lrs, groups, strict=True)]
        return [self._height(epoch) / self._height(epoch - 1) * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        return [
            self.eta_min + (lr - self.eta_min) * self._height(self.last_epoch) / 2 for lr in self.base_lrs
        ]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The rate follows half a cosine to ``eta_min`` in ``T_0`` epochs, and begins anew.

    Each period is ``T_mult`` times as long as the one before. ``step(epoch)`` takes fractions of epochs.

    Raises:
        ValueError: periods that are no positive integers.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [1.0, 0.5, 1.0, 0.5, 1.0]
    """

    def __init__(
        self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._check_within_step()
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (lr - self.eta_min) * height / 2 for lr in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or to ``epoch``, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        self._set_rates(self.get_lr)

    def _go_to(self, epoch: float) -> None:
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            growth = self.T_mult - 1
            n = int(math.log(epoch / self.T_0 * growth + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / growth
            self.T_i = self.T_0 * self.T_mult**n
