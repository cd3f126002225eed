"""Pieces of programs as people write them: classes, scopes, iterators, views, kinds of numbers."""

from . import classes, flow, iterators, kinds, scopes, views, writes
from .idiom import IDIOMS, Idiom, idiom

__all__ = ["IDIOMS", "Idiom", "classes", "flow", "idiom", "iterators", "kinds", "scopes", "views", "writes"]
