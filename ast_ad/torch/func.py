"""Which functions treat modules as functions? Those of ``torch.func`` that need no transformation of code.

>>> import ast_ad
>>> ast_ad.func.functional_call(ast_ad.nn.ReLU(), {}, ast_ad.tensor([-1.0, 1.0]))
tensor([0., 1.])
"""

from __future__ import annotations

from .nn.utils.stateless import functional_call

__all__ = ["functional_call"]
