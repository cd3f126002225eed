"""How do learning rates change during training? PyTorch's schedulers, stepped once an epoch (or a batch).

>>> import ast_ad
>>> p = ast_ad.tensor([1.0], requires_grad=True)
>>> optimizer = ast_ad.optim.SGD([p], lr=1.0)
>>> scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
>>> for epoch in range(4):
...     optimizer.step()
...     scheduler.step()
...     print(scheduler.get_last_lr())
[1.0]
[0.5]
[0.5]
[0.25]
"""

from __future__ import annotations

from .base import LRScheduler
from .composed import ChainedScheduler, SequentialLR
from .cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from .cycles import CyclicLR, OneCycleLR
from .factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from .plateau import ReduceLROnPlateau

_LRScheduler = LRScheduler  # its name of old

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
