"""What of the calls of a program that is not to be used again? They are traced, or get another one."""

from __future__ import annotations

from typing import Any


def retire(owner: Any, variant: Any, traced: Any) -> None:
    """From now on calls like those that a program was for are traced."""
    for key in _keys(owner, variant):
        owner._variants.setdefault(key, []).insert(0, traced)
        if key in owner._tiers:
            owner._tiers[key].close()


def drop(owner: Any, variant: Any) -> None:
    """The next of these calls gets another program."""
    for key in _keys(owner, variant):
        tier = owner._tiers.get(key)
        for known in (owner._variants.get(key, []), tier.variants if tier is not None else []):
            known[:] = [one for one in known if one is not variant]


def _keys(owner: Any, variant: Any) -> list[Any]:
    """The kinds of arguments that a program is kept for."""
    variants, tiers = owner._variants, owner._tiers
    return [
        key
        for key in {*variants, *tiers}
        if variant in variants.get(key, ()) or key in tiers and variant in tiers[key].variants
    ]
