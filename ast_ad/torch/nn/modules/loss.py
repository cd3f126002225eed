"""Which losses are modules? Each loss of ``nn.functional``; here those without margins between vectors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ....eager.tensor import Tensor
from ..functional import losses as F
from . import adaptive, margin_loss
from .adaptive import *  # noqa: F403
from .loss_bases import _Loss, _WeightedLoss
from .margin_loss import *  # noqa: F403

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CrossEntropyLoss", "GaussianNLLLoss", "HuberLoss",
    "KLDivLoss", "L1Loss", "MSELoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss", *adaptive.__all__, *margin_loss.__all__,
]  # fmt: skip


class L1Loss(_Loss):
    """``abs(input - target)``.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    >>> import ast_ad
    >>> L1Loss()(ast_ad.tensor([1.0, 3.0]), ast_ad.tensor([1.0, 1.0]))
    tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``l1_loss(input, target)``."""
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """``(input - target) ** 2``.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    >>> import ast_ad
    >>> MSELoss()(ast_ad.tensor([1.0, 3.0]), ast_ad.tensor([1.0, 1.0]))
    tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``mse_loss(input, target)``."""
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """``abs(input - target)``, rounded off by a parabola where that is below ``beta``.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``smooth_l1_loss(input, target)``."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """``(input - target) ** 2 / 2``, continued by lines beyond ``delta``.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``huber_loss(input, target)``."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


# ----- classes


class NLLLoss(_WeightedLoss):
    """The negative log-likelihood of classes; ``weight``: of each class.

    Shapes: ``(N, C, ...), (N, ...) -> ()``; ``reduction='none'``: ``(N, C, ...), (N, ...) -> (N, ...)``.

    >>> import ast_ad
    >>> NLLLoss()(ast_ad.tensor([[-1.0, -2.0], [-3.0, -4.0]]), ast_ad.tensor([0, 1]))
    tensor(2.5000)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``nll_loss(input, target)``."""
        return F.nll_loss(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class NLLLoss2d(NLLLoss):
    """``NLLLoss``, under the name that it had for images; with a warning."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """The negative log-likelihood of classes, of scores: ``NLLLoss`` after ``LogSoftmax``.

    Shapes: ``(N, C, ...), (N, ...) -> ()``; ``reduction='none'``: ``(N, C, ...), (N, ...) -> (N, ...)``.

    >>> import ast_ad
    >>> CrossEntropyLoss()(ast_ad.zeros(3, 4), ast_ad.tensor([0, 1, 3]))
    tensor(1.3863)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``cross_entropy(input, target)``."""
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCELoss(_WeightedLoss):
    """The binary cross entropy of probabilities.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    >>> import ast_ad
    >>> BCELoss()(ast_ad.tensor([0.5]), ast_ad.tensor([1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``binary_cross_entropy(input, target)``."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """The binary cross entropy of scores; ``weight`` and ``pos_weight`` are buffers.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.
    """

    weight: Any
    pos_weight: Any

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``binary_cross_entropy_with_logits(input, target)``."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class MultiMarginLoss(_WeightedLoss):
    """By how much other classes come within ``margin`` of the target's score, to the power ``p``.

    Shapes: ``(N, C), (N) -> ()``; ``reduction='none'``: ``(N, C), (N) -> (N)``.
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``multi_margin_loss(input, target)``."""
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(_Loss):
    """By how much other classes come within 1 of the scores of several targets.

    Shapes: ``(N, C), (N, C) -> ()``; ``reduction='none'``: ``(N, C), (N, C) -> (N)``.
    """

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``multilabel_margin_loss(input, target)``."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over the classes of the logistic loss of each.

    Shapes: ``(..., C), (..., C) -> ()``; ``reduction='none'``: ``(..., C), (..., C) -> (...)``.
    """

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``multilabel_soft_margin_loss(input, target)``."""
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


# ----- distributions


class KLDivLoss(_Loss):
    """``target * (log(target) - input)``; ``log_target``: the targets are logarithms too.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``kl_div(input, target)``."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """The negative log-likelihood of counts, by their rates or (``log_input``) the logarithms of those.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Tensor, target: Tensor) -> Any:
        """``poisson_nll_loss(log_input, target)``."""
        return F.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """The negative log-likelihood of samples of normal distributions.

    Shapes: ``(...), (...), (...) -> ()``; ``reduction='none'``: ``(...), (...), (...) -> (...)``.
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Any:
        """``gaussian_nll_loss(input, target, var)``."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class CTCLoss(_Loss):
    """The negative log-likelihood of targets over all their alignments with the input.

    Shapes: ``(T, N, C), (N, S), (N), (N) -> ()``; ``reduction='none'``:
    ``(T, N, C), (N, S), (N), (N) -> (N)``.
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Tensor | Sequence[int],
        target_lengths: Tensor | Sequence[int],
    ) -> Any:
        """``ctc_loss(log_probs, targets, input_lengths, target_lengths)``."""
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
