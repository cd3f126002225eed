"""How do tensors get into files and back? ``save`` and ``load``: pickles that can hold data only."""

from __future__ import annotations

import os
import pickle
from typing import Any

from .surface import function

MAGIC = b"ast_ad tensors 1\n"
# What such a file may name: containers, numbers, arrays and tensors, nothing that acts when it is loaded.
ALLOWED = {
    "ast_ad.eager.creation": {"rebuilt"},
    "ast_ad.eager.dtypes": {"_named", "dtype"},
    "ast_ad.eager.metadata": {"Size"},
    "ast_ad.eager.tensor": {"Tensor"},
    "builtins": {"bytearray", "complex", "frozenset", "range", "set", "slice"},
    "_codecs": {"encode"},
    "collections": {"OrderedDict", "defaultdict"},
    "numpy": {"dtype", "ndarray"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.numeric": {"_frombuffer"},
}


class _Data(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name not in ALLOWED.get(module, ()):
            raise pickle.UnpicklingError(
                f"the file names {module}.{name}, which is neither data nor a tensor. If you trust the file, "
                "load it with weights_only=False."
            )
        return super().find_class(module, name)


@function(method=False)
def save(obj: Any, f: Any) -> None:
    """Write tensors, or containers of them, to a file: a path, or a file that is open for writing bytes.

    Only tensors that are leaves can be saved; ``detach()`` others. The format is this package's own.

    >>> import io
    >>> import ast_ad
    >>> file = io.BytesIO()
    >>> save({"weights": ast_ad.ones(2)}, file)
    >>> load(io.BytesIO(file.getvalue()))
    {'weights': tensor([1., 1.])}
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as file:
            return save(obj, file)
    f.write(MAGIC)
    pickle.dump(obj, f, protocol=4)
    return None


@function(method=False)
def load(f: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Read what ``save`` has written.

    Args:
        f: a path, or a file that is open for reading bytes.
        map_location: ignored, since everything is in main memory.
        weights_only: refuse files that name anything but data; what else they name could run any program.

    Raises:
        pickle.UnpicklingError: no such file, or one that names something else.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return load(file, weights_only=weights_only)
    if f.read(len(MAGIC)) != MAGIC:
        raise pickle.UnpicklingError("the file was not written by save() of this package")
    return _Data(f).load() if weights_only else pickle.load(f)
