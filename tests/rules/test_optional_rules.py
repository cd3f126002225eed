"""Are the rules of libraries read when the libraries are there, whatever happens in between?"""

import importlib
import sys
import types

import pytest

from ast_ad.rules import registry


def test_rules_that_could_not_be_read_are_read_later(monkeypatch):
    """A filter that makes errors of warnings may end the import of one: it and those behind it come later."""
    asked = []

    def imported(name, package):
        asked.append(name)
        if len(asked) == 1:
            raise DeprecationWarning("old")

    monkeypatch.setattr(registry, "_optional", {"colours": ".colours", "sizes": ".sizes"})
    monkeypatch.setattr(importlib, "import_module", imported)
    for name in ("colours", "sizes"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    with pytest.raises(DeprecationWarning):
        registry.load_optional()
    assert registry.load_optional()
    assert asked[0] == ".colours" and sorted(asked[1:]) == [".colours", ".sizes"]
    assert not registry.load_optional()
