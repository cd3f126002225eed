"""What programs are made of: a module for each subject."""

from . import adjoints, boxes, expressions, flow, functions, holders, kinds, lengths, names, outside, views  # noqa: F401
from .registry import FORMS, PRODUCTIONS, Form, Production

__all__ = ["FORMS", "PRODUCTIONS", "Form", "Production"]
