"""A derivative rule that is wrong on purpose."""

import dataclasses

import numpy as np

from ast_ad.eager import namespace  # noqa: F401  (which imports the operations in their order)
from ast_ad.eager.table import operation
from ast_ad.rules import registry


def install_rule(monkeypatch, rule):
    """Sine has another rule, in programs and in traces."""
    wrong = dataclasses.replace(registry.lookup(np.sin), rule=rule)
    monkeypatch.setitem(registry._primitives, np.sin, wrong)
    recorded = operation(np.sin)
    monkeypatch.setattr(recorded, "primitive", wrong)
    monkeypatch.setattr(recorded, "plans", {})
    monkeypatch.setattr(recorded, "short", [None] * 4)
    monkeypatch.setattr(recorded, "singles", {})
