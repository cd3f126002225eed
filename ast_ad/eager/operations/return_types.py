"""What do operations with several results return? Named tuples that print as PyTorch's do."""

from __future__ import annotations

from collections import namedtuple
from typing import Any


def _text(self: Any) -> str:
    fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
    return f"torch.return_types.{type(self).__name__}(\n{fields})"


def _make(name: str, *fields: str) -> Any:
    """A class of results, made from one iterable or from one argument per field."""
    plain = namedtuple(name, fields)  # type: ignore[misc]
    return type(name, (plain,), {"__slots__": (), "__repr__": _text, "__module__": "torch.return_types"})


_VALUES = ("values", "indices")
max = _make("max", *_VALUES)
min = _make("min", *_VALUES)
median = _make("median", *_VALUES)
nanmedian = _make("nanmedian", *_VALUES)
mode = _make("mode", *_VALUES)
kthvalue = _make("kthvalue", *_VALUES)
sort = _make("sort", *_VALUES)
topk = _make("topk", *_VALUES)
cummax = _make("cummax", *_VALUES)
cummin = _make("cummin", *_VALUES)
aminmax = _make("aminmax", "min", "max")
qr = _make("qr", "Q", "R")
svd = _make("svd", "U", "S", "V")
slogdet = _make("slogdet", "sign", "logabsdet")
frexp = _make("frexp", "mantissa", "exponent")
histogram = _make("histogram", "hist", "bin_edges")
triangular_solve = _make("triangular_solve", "solution", "cloned_coefficient")
linalg_qr = _make("linalg_qr", "Q", "R")
linalg_svd = _make("linalg_svd", "U", "S", "Vh")
linalg_eigh = _make("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_eig = _make("linalg_eig", "eigenvalues", "eigenvectors")
linalg_slogdet = _make("linalg_slogdet", "sign", "logabsdet")
linalg_lstsq = _make("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
linalg_inv_ex = _make("linalg_inv_ex", "inverse", "info")
linalg_cholesky_ex = _make("linalg_cholesky_ex", "L", "info")
linalg_lu = _make("linalg_lu", "P", "L", "U")
