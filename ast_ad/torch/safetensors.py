"""Where are the functions of ``safetensors.torch``? Here, under the same names, for our tensors."""

from __future__ import annotations

from .serialization.tensors_only import load, load_file, safe_open, save, save_file

__all__ = ["load", "load_file", "safe_open", "save", "save_file"]
