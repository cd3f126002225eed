"""How is what modules do compared with PyTorch? Cases run on either package; what they yield is told as text.

A case is a generator that takes the package. A function that it yields is called, and an error is its result.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "recorded" / "behaviours.json"
CASES: dict[str, Callable[[Any], Any]] = {}


def case(fn):
    """Make a generator function a case."""
    CASES[fn.__name__] = fn
    return fn


def told(value: Any) -> str:
    """A result as text, without addresses and with PyTorch's name for either package."""
    if callable(value) and not isinstance(value, type):
        try:
            value = value()
        except Exception as error:
            value = f"{type(error).__name__}: {error}"
    text = value if isinstance(value, str) else repr(value)
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r"tests\.torch\.nn\.\w+\.", "", text)
    return (
        text.replace("ast_ad.torch", "torch").replace("ast_ad", "torch").replace("containers.", "container.")
    )


def outcome(name: str, torch: Any) -> list[str]:
    """What a case yields on a package."""
    return [told(value) for value in CASES[name](torch)]
