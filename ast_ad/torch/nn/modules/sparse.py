"""Which modules look up rows of a table that is learned? One for single rows, one for bags of them."""

from __future__ import annotations

from typing import Any, Self

from ....eager.modes import no_grad
from ....eager.operations.creation import empty
from ....eager.tensor import Tensor
from .. import init
from ..functional.embedding import embedding, embedding_bag, padding_row
from ..parameter import Parameter
from .module import Module
from .utils import told

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """A table of vectors, normally distributed at first."""

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    weight: Any

    def _make(self, given: Tensor | None, freeze: bool, dtype: Any) -> None:
        """The table itself; ``given``: its values, and they stay."""
        shape = self.num_embeddings, self.embedding_dim
        if given is None:
            self.weight = Parameter(empty(*shape, dtype=dtype), requires_grad=not freeze)
            self.reset_parameters()
            return
        if tuple(given.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(given, requires_grad=not freeze)

    def reset_parameters(self) -> None:
        """Draw new vectors; that of the padding is 0."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def _described(self, *more: str) -> str:
        return ", ".join([f"{self.num_embeddings}, {self.embedding_dim}", *more])

    @classmethod
    def _holding(cls, embeddings: Tensor, **options: Any) -> Self:
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, _weight=embeddings, **options)


class Embedding(_Table):
    """The rows of a table at given places.

    Shapes: ``(...) -> (..., embedding_dim)``.

    Args:
        num_embeddings: how many rows there are.
        embedding_dim: the length of a row.
        padding_idx: a row that is 0 at first and gets no gradient.
        max_norm: rows that are longer are scaled to this length when they are read.
        norm_type: the order of the norm that measures them.
        scale_grad_by_freq: whether gradients are divided by how often a row was read.
        sparse: has no effect: gradients are dense.

    >>> import ast_ad
    >>> Embedding(10, 3)(ast_ad.tensor([[1, 2], [4, 3]])).shape
    torch.Size([2, 2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_row(padding_idx, num_embeddings)
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self._make(_weight, _freeze, dtype)

    def forward(self, input: Tensor) -> Any:
        """``embedding(input, weight)``."""
        return embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        options = told(
            self, padding_idx=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, sparse=False
        )
        return self._described(*options)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """A module whose table is ``embeddings``; ``freeze``: it is not trained.

        >>> import ast_ad
        >>> Embedding.from_pretrained(ast_ad.tensor([[1.0, 2.0], [3.0, 4.0]]))(ast_ad.tensor([1]))
        tensor([[3., 4.]])
        """
        return cls._holding(
            embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


class EmbeddingBag(_Table):
    """The sums, means or largest elements of bags of rows of a table.

    Shapes: ``(N, L) -> (N, embedding_dim)``; of a vector: ``(L), (N) -> (N, embedding_dim)``.

    Args:
        mode: 'sum', 'mean' or 'max'.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: a row that counts in no bag.
        num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, sparse: as of ``Embedding``.

    >>> import ast_ad
    >>> EmbeddingBag(10, 3)(ast_ad.tensor([1, 2, 4, 3]), ast_ad.tensor([0, 2])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = padding_row(padding_idx, num_embeddings)
        self._make(_weight, False, dtype)
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Any:
        """``embedding_bag(input, weight, offsets)``."""
        return embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        options = told(self, max_norm=None, norm_type=2, scale_grad_by_freq=False)
        return self._described(*options, f"mode={self.mode!r}", *told(self, padding_idx=None))

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """A module whose table is ``embeddings``; ``freeze``: it is not trained."""
        made = cls._holding(
            embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        made.weight.requires_grad = not freeze
        return made
