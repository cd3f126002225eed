"""Many small cases in one test: of thousands, pytest takes longer to set each up than it runs.

``together(names, groups)`` stands where ``pytest.mark.parametrize`` would; the cases of a group are one test.
Each is run, whatever another one does, and the error tells which it was.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Case = tuple[str, Sequence[Any]]  # what it is called, and its values


def together(names: Sequence[str], groups: dict[str, list[Case]]) -> Callable[[Any], Any]:
    """A test of ``names`` and fixtures, once for each group: it is run with the values of each case in it."""

    def marked(test: Callable[..., None]) -> Any:
        fixtures = [p for p in inspect.signature(test).parameters.values() if p.name not in names]

        def run(cases: list[Case], **given: Any) -> None:
            run_each(cases, lambda values: test(**dict(zip(names, values, strict=True)), **given))

        one = inspect.Parameter("cases", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = inspect.Signature([one, *fixtures])  # type: ignore[attr-defined]
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        run.__dict__.update(vars(test))  # its marks
        return pytest.mark.parametrize("cases", list(groups.values()), ids=list(groups))(run)

    return marked


def grouped(cases: Iterable[Case], group: Callable[[str], str]) -> dict[str, list[Case]]:
    """The cases by what ``group`` makes of their names.

    >>> grouped([("sin-0", [1]), ("sin-1", [2]), ("cos-0", [3])], lambda name: name.partition("-")[0])
    {'sin': [('sin-0', [1]), ('sin-1', [2])], 'cos': [('cos-0', [3])]}
    """
    found: dict[str, list[Case]] = {}
    for name, values in cases:
        found.setdefault(group(name), []).append((name, values))
    return found


def run_each(cases: Iterable[Case], test: Callable[[Sequence[Any]], None]) -> None:
    """Run all; what is drawn begins anew for each. One error is raised as it is, several are in a group.

    No case may skip itself: pytest would leave out the ones behind it, and the errors of those before.
    """
    errors: list[Exception] = []
    for name, values in cases:
        draw_the_same()
        try:
            test(values)
        except pytest.skip.Exception as skipped:
            errors.append(AssertionError(f"the case {name} skips itself among others: {skipped}"))
        except Exception as error:
            error.add_note(f"in the case {name}")
            errors.append(error)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup(f"{len(errors)} cases fail", errors)


def draw_the_same() -> None:
    """The generator of tensors, where it is loaded, starts from the same seed."""
    package = sys.modules.get("ast_ad.eager.operations.randomness")
    if package is not None:
        package.manual_seed(0)
