"""Which programs are known to fail, and how?

Each family's module ends with the dict ``KNOWN``: (program, backend, judgement) -> what is seen. They are
strict ``xfail``, so that a mended program fails them until its line is deleted.
"""

from __future__ import annotations

from typing import Any

import pytest

from .harness import JUDGEMENTS, Wrong, every_program, families

HEAD = (
    "# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).\n"
)


def cases(backend: str) -> list[Any]:
    """The parameters (program, judgement) of a test on a backend, with their marks."""
    modules = families()
    for name, module in modules.items():
        check_known(name, module.KNOWN)
    found = []
    for family, one in every_program():
        if backend == "numba" and not one.kernels:
            continue
        for judgement in JUDGEMENTS:
            if judgement == "compiled" and not one.compiled:
                continue
            reason = modules[family].KNOWN.get((one.name, backend, judgement))
            marks = [pytest.mark.xfail(strict=True, raises=Wrong, reason=reason)] if reason else []
            found.append(pytest.param(one, judgement, marks=marks, id=f"{family}-{one.name}-{judgement}"))
    return found


def check_known(family: str, known: dict[tuple[str, str, str], str]) -> None:
    """Every line names a program that there is."""
    there = {one.name for name, one in every_program() if name == family}
    lost = {name for name, _, _ in known} - there
    assert not lost, f"KNOWN in {family} names {lost}, which are no programs of it"
