"""What of the calls of a program that is not to be used again? They are traced, or get another one."""

from __future__ import annotations

from typing import Any


def retire(owner: Any, program: Any, traced: Any) -> None:
    """From now on calls like those that a program was for are traced."""
    owner.shared.lengthen()
    for key in _keys(owner, program):
        owner._programs.setdefault(key, []).insert(0, traced)
        if key in owner._tiers:
            owner._tiers[key].close()


def drop(owner: Any, program: Any) -> None:
    """The next of these calls gets another program."""
    owner.shared.lengthen()
    for key in _keys(owner, program):
        tier = owner._tiers.get(key)
        for known in (owner._programs.get(key, []), tier.programs if tier is not None else []):
            known[:] = [one for one in known if one is not program]


def _keys(owner: Any, program: Any) -> list[Any]:
    """The kinds of arguments that a program is kept for."""
    programs, tiers = owner._programs, owner._tiers
    return [
        key
        for key in {*programs, *tiers}
        if program in programs.get(key, ()) or key in tiers and program in tiers[key].programs
    ]
