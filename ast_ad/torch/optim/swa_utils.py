"""How are the weights of a training averaged? By a second model, which follows the first one's parameters.

Source: Izmailov et al., Averaging weights leads to wider optima and better generalization (2018).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from ...eager.dtypes import NAMESPACE
from ...eager.modes import no_grad
from ...eager.operations.creation import tensor
from ..nn.modules.module import Module
from .lr_scheduler.base import LRScheduler, one_per_group

__all__ = [
    "AveragedModel",
    "SWALR",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Any, Any, Any], Any]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """``decay * average + (1 - decay) * current``: a moving average.

    Raises:
        ValueError: a decay outside of [0, 1].
    """
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")

    def moved(average: Any, current: Any, count: Any) -> Any:
        with no_grad():
            return decay * average + (1 - decay) * current

    return moved


def get_swa_avg_fn() -> Average:
    """``average + (current - average) / (count + 1)``: the mean of all."""

    def mean(average: Any, current: Any, count: Any) -> Any:
        with no_grad():
            return average + (current - average) / (count + 1)

    return mean


def _of_lists(average: Average) -> Callable[[Iterable[Any], Iterable[Any], Any], None]:
    def update(averages: Iterable[Any], currents: Iterable[Any], count: Any) -> None:
        with no_grad():
            for mine, current in zip(averages, currents, strict=True):
                mine.copy_(average(mine, current, count))

    return update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[Iterable[Any], Iterable[Any], Any], None]:
    """A moving average for lists of tensors, in place.

    Raises:
        ValueError: a decay outside of [0, 1].
    """
    return _of_lists(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Callable[[Iterable[Any], Iterable[Any], Any], None]:
    """The mean of all for lists of tensors, in place."""
    return _of_lists(get_swa_avg_fn())


class AveragedModel(Module):
    """A copy of ``model`` whose parameters are the averages of those that ``update_parameters`` is given.

    Args:
        model: what is copied; its parameters are the first of the average.
        device: where the copy is.
        avg_fn: ``avg_fn(average, current, count)`` is the next average (default: the mean of all).
        multi_avg_fn: the same for lists of tensors, in place.
        use_buffers: average the buffers too; otherwise the last ones are taken over.

    Raises:
        AssertionError: both functions.

    >>> import ast_ad
    >>> model = ast_ad.nn.Linear(1, 1, bias=False)
    >>> average = AveragedModel(model)
    >>> for value in (1.0, 2.0, 6.0):
    ...     with ast_ad.no_grad():
    ...         _ = model.weight.fill_(value)
    ...     average.update_parameters(model)
    >>> average(ast_ad.ones(1, 1)).item(), average.n_averaged
    (3.0, tensor(3))
    """

    n_averaged: Any

    def __init__(
        self,
        model: Any,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=NAMESPACE["long"]))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model computes."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Any) -> None:
        """Take the parameters of ``model`` into the averages."""
        mine = [p.detach() for p in self._averaged(self.module)]
        current = [p.detach() for p in self._averaged(model)]
        if self.n_averaged == 0:
            for average, value in zip(mine, current, strict=False):
                average.copy_(value)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(mine, current, self.n_averaged)
        else:
            following = self.avg_fn or get_swa_avg_fn()
            for average, value in zip(mine, current, strict=True):
                average.copy_(following(average, value, self.n_averaged))
        if not self.use_buffers:
            for own, buffer in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(buffer.detach())
        self.n_averaged += 1

    def _averaged(self, model: Any) -> Iterable[Any]:
        return chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


@no_grad()
def update_bn(loader: Iterable[Any], model: Any, device: Any = None) -> None:
    """Compute the running statistics of a model's batch normalisations anew, in one pass over the data.

    Args:
        loader: batches; of a list or tuple the first entry is the input.
        model: the model, which is put back in the mode that it was in.
        device: where the inputs go.
    """
    from ..nn.modules.batchnorm import _BatchNorm

    momenta = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    if not momenta:
        return
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None  # a plain mean
    was_training = model.training
    model.train()
    for batch in loader:
        given = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(given if device is None else given.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """The rate goes to ``swa_lr`` in ``anneal_epochs`` epochs, along half a cosine or a line, and stays.

    Raises:
        ValueError: an unknown strategy, or a negative number of epochs.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     print(scheduler.get_last_lr())
    [0.75]
    [0.5]
    [0.5]
    """

    def __init__(
        self,
        optimizer: Any,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(
            one_per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True
        ):
            group["swa_lr"] = rate
        if anneal_strategy not in ["cos", "linear"]:
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, step: int) -> float:
        """How much of the way is gone after a step."""
        t = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[Any]:
        self._check_within_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            start = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
            rates.append(goal * now + start * (1 - now))
        return rates
