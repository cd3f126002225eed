"""How are weights written? ``save``: as PyTorch does, and to a path either completely or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import InputTypeError, InputValueError, UnsavableError
from . import tensors_only
from .archive_writer import write_archive
from .complete_files import write_completely
from .emitter import FEWER, Emitter
from .limits import MAX_PICKLE


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Write tensors and plain data to a file that ``ast_ad.load`` and ``torch.load`` read.

    Tensors that share memory share it again after loading, and views keep their strides: all of the memory
    that they are views of is written, once. Gradients, histories and hooks are not saved. A path that ends in
    ``.safetensors`` gets that format; then ``obj`` is a dict of tensors (see ``ast_ad.safetensors``).

    Args:
        obj: tensors, parameters, numbers, text, bytes, None, dtypes, and lists, tuples, dicts, sets of them.
        f: a path, or a file that is open for writing bytes. A path's file is replaced when all is written;
            if that fails, it stays as it was.
        pickle_module: only None.
        pickle_protocol: only 2, which PyTorch writes.

    Errors:
        UnsavableError, which is a ``TypeError`` and a ``pickle.PicklingError`` too: something else is in
        ``obj``; the message says where.
        OSError: the file can't be written.

    >>> import io
    >>> import ast_ad
    >>> ast_ad.save({"layers": [{"x": {1: object()}}]}, io.BytesIO())
    Traceback (most recent call last):
    ast_ad.errors.UnsavableError: [E306] obj['layers'][0]['x'][1] is of type builtins.object
      why: only tensors and plain data are saved
    """
    if pickle_module is not None or pickle_protocol != 2 or not _use_new_zipfile_serialization:
        raise InputValueError(
            "only PyTorch's own format is written: pickle protocol 2 in a zip file",
            fix="leave out pickle_module, pickle_protocol and _use_new_zipfile_serialization",
        )
    if isinstance(f, (str, os.PathLike)):
        path = os.fsdecode(f)
        name = os.path.basename(path)
        if name.endswith(".safetensors"):
            tensors_only.save_file(obj, path)
            return
        members = _members(obj)
        root = name.rpartition(".")[0] or name
        write_completely(path, lambda file: write_archive(file, root.replace("\\", "_"), members))
    elif hasattr(f, "write"):
        write_archive(f, "archive", _members(obj))
    else:
        raise InputTypeError(f"a {type(f).__name__} is neither a path nor a file to write to")


def _members(obj: Any) -> Iterator[tuple[str, bytes | np.ndarray]]:
    """The records of the archive; all of ``obj`` is looked at before the first."""
    emitter = Emitter()
    description = emitter.describe(obj)
    if len(description) > MAX_PICKLE:
        raise UnsavableError(
            f"obj needs {len(description)} bytes besides its tensors",
            why=f"at most {MAX_PICKLE} could be read again",
            fix=FEWER,
        )

    def members() -> Iterator[tuple[str, bytes | np.ndarray]]:
        yield "data.pkl", description
        yield "byteorder", sys.byteorder.encode()
        for key, record in enumerate(emitter.memory.records):
            yield f"data/{key}", record
        yield "version", b"3\n"

    return members()
