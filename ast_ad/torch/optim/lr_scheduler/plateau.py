"""Which scheduler looks at the loss? The one that lowers the rate where the loss stops improving."""

from __future__ import annotations

import math
import warnings
from typing import Any

from .base import EPOCH_IS_DEPRECATED, LRScheduler, check_optimizer, option_of_groups, set_option


class ReduceLROnPlateau(LRScheduler):
    """The rate times ``factor`` when ``step(metric)`` brought nothing better for ``patience`` epochs.

    Better is lower (``mode="min"``) or higher (``"max"``) than the best by more than ``threshold``, a part
    of the best (``threshold_mode="rel"``) or a difference (``"abs"``). After a reduction, ``cooldown``
    epochs don't count. Rates do not go below ``min_lr``, and change only by more than ``eps``.

    Raises:
        ValueError: a factor of 1 or more, an unknown mode, another number of rates than groups.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.0):
    ...     optimizer.step()
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.1]
    """

    def __init__(
        self,
        optimizer: Any,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        check_optimizer(optimizer)
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        self.default_min_lr: Any = None
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != count:
                raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * count
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = option_of_groups(optimizer, "lr")
        self._set_mode(mode, threshold, threshold_mode)
        self._reset()

    def _set_mode(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in {"min", "max"}:
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take note of the loss (or score) of an epoch, and lower the rates if it is time to."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_IS_DEPRECATED, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = option_of_groups(self.optimizer, "lr")

    def _reduce_lr(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param "
                    f"group being added to the optimizer. Please modify the `min_lrs` field to match the "
                    f"length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_option(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs don't count, since the rate was lowered just now."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.threshold_mode == "rel":
            bar = best * (1.0 - self.threshold if self.mode == "min" else self.threshold + 1.0)
        else:
            bar = best - self.threshold if self.mode == "min" else best + self.threshold
        return a < bar if self.mode == "min" else a > bar

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` returned."""
        super().load_state_dict(state_dict)
        self._set_mode(self.mode, self.threshold, self.threshold_mode)
