"""How is a softmax over very many classes made cheap? Frequent classes at once, rare ones in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ....eager.operations.joining import cat
from ....eager.tensor import Tensor
from ..functional.activations import log_softmax
from .containers import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Any
    loss: Any


_ASMoutput.__module__ = "torch.nn.modules.adaptive"  # where PyTorch has it


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log-probabilities of classes that are sorted from frequent to rare, and their mean loss.

    Joulin et al., "Efficient softmax approximation for GPUs", ICML 2017: the head decides between the classes
    below ``cutoffs[0]`` and the clusters between the cutoffs; each cluster has a smaller network of its own.

    Args:
        in_features: the length of what comes in.
        n_classes: how many classes there are.
        cutoffs: where clusters start, increasing.
        div_value: how much narrower each cluster's network is than the one before.
        head_bias: whether the head has a bias.

    >>> import ast_ad
    >>> m = AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5], div_value=2.0)
    >>> m.log_prob(ast_ad.ones(3, 8)).shape
    torch.Size([3, 10])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            any(int(c) != c for c in cutoffs)
            or cutoffs != sorted(set(cutoffs))
            or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                "where each value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, dtype=dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            width = int(in_features // div_value ** (i + 1))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            narrow = Linear(in_features, width, bias=False, dtype=dtype)
            self.tail.append(Sequential(narrow, Linear(width, size, bias=False, dtype=dtype)))

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        self.head.reset_parameters()
        for narrow, wide in self.tail:
            narrow.reset_parameters()
            wide.reset_parameters()

    def forward(self, input_: Any, target_: Tensor) -> _ASMoutput:
        """The log-probability of each target, and the mean of their negatives.

        Args:
            input_: of shape ``(N, in_features)`` or ``(in_features)``.
            target_: classes, of shape ``(N)`` or ``()``.

        Raises:
            RuntimeError: shapes that do not fit, or what is no class.
        """
        t = target_._array
        self._check(input_, t)
        rows = input_ if t.ndim else input_.unsqueeze(0)
        classes = np.atleast_1d(t)
        head = log_softmax(self.head(rows), dim=1)
        found, order = [], []
        for cluster in range(-1, self.n_clusters):
            low = 0 if cluster < 0 else self.cutoffs[cluster]
            members = np.flatnonzero((classes >= low) & (classes < self.cutoffs[cluster + 1]))
            if members.size:
                place = Tensor._of(members)
                found.append(self._log_probs(rows[place], head[place], classes[members] - low, cluster))
                order.append(members)
        back = np.argsort(np.concatenate(order)) if order else classes
        output = cat(found)[Tensor._of(back)] if order else head[:, 0]
        output = output if t.ndim else output.squeeze(0)
        return _ASMoutput(output, (-output).mean())

    def _check(self, input_: Any, t: Any) -> None:
        shape = input_._array.shape
        if t.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if t.ndim and shape[0] != t.shape[0]:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if t.ndim and len(shape) != 2:
            raise RuntimeError(
                f"1D target tensor expects 2D input tensors, but found inputs with size {input_.size()}"
            )
        if not t.ndim and len(shape) != 1:
            raise RuntimeError(
                f"0D target tensor expects 1D input tensors, but found inputs with size {input_.size()}"
            )
        if t.size and (t.min() < 0 or t.max() >= self.n_classes):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{t.min()}, {t.max()}] were found. "
            )

    def _log_probs(self, rows: Any, head: Any, classes: Any, cluster: int) -> Any:
        """Of the targets that are in one cluster (-1: the head), counted from its first class."""
        at = Tensor._of(classes[:, None])
        if cluster < 0:
            return head.gather(1, at).squeeze(1)
        own = log_softmax(self.tail[cluster](rows), dim=1).gather(1, at).squeeze(1)
        return own + head[:, self.shortlist_size + cluster]

    def log_prob(self, input: Any) -> Any:
        """The log-probabilities of all classes, of shape ``(N, n_classes)``."""
        head = log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            place = self.shortlist_size + i
            parts.append(log_softmax(cluster(input), dim=1) + head[:, place : place + 1])
        return cat(parts, 1)

    def predict(self, input: Any) -> Any:
        """The most likely class of each row, of shape ``(N)``."""
        return self.log_prob(input).argmax(1)
