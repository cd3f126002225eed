"""What programs are made of: a module for each subject."""

from . import (  # noqa: F401
    adjoints,
    boxes,
    classes,
    expressions,
    flow,
    functions,
    holders,
    kinds,
    lengths,
    names,
    narrow,
    outside,
    views,
    without_axes,
)
from .registry import FORMS, PRODUCTIONS, Form, Production

__all__ = ["FORMS", "PRODUCTIONS", "Form", "Production"]
