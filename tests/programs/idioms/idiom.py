"""What is an idiom? A piece of a program as a text with holes, and how the holes are filled.

In its text ``@v`` is a vector of the program's, ``@m`` a matrix with columns of its length, ``@s`` a number,
``@k`` an int, ``@j`` an array of places, ``@b`` a mask; ``@v1`` and ``@v2`` are chosen by themselves.
``$name`` is a new name, ``%c`` another constant each time, and ``<[ a || b ]>`` one of several texts. What
stands above a line ``---`` is written at the top of the module.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Idiom:
    name: str
    top: str
    body: str
    gives: tuple[tuple[str, str], ...]  # ("v", text): what the rest of the program may use


@dataclass
class Filled:
    top: str
    body: str
    gives: list[tuple[str, str]]


IDIOMS: dict[str, Idiom] = {}


def idiom(name: str, text: str, **gives: str) -> None:
    """Enter an idiom. ``gives``: of each kind, or of ``any``, names or expressions with ``;`` between."""
    assert name not in IDIOMS, name
    top, line, body = text.strip("\n").rpartition("\n---\n")
    assert set(gives) <= {"v", "m", "s", "k", "any"}
    pairs = [(kind, one.strip()) for kind, texts in gives.items() for one in texts.split(";")]
    IDIOMS[name] = Idiom(name, top if line else "", body.strip("\n"), tuple(pairs))


CHOICE = re.compile(r"<\[((?:(?!<\[).)*?) \]>", re.DOTALL)


def fill(one: Idiom, rng: random.Random, names: dict[str, list[str]], number: int) -> Filled:
    """The idiom with names of the program's in its holes."""
    bound: dict[str, str] = {}

    def hole(match: re.Match[str]) -> str:
        return bound.setdefault(match[0], rng.choice(names[match[1]]))

    def filled(text: str) -> str:
        while CHOICE.search(text):
            text = CHOICE.sub(lambda m: rng.choice(m[1].split("||")).strip(), text)
        text = re.sub(r"@([vmskjb])\d?\b", hole, text)
        text = re.sub(r"\$(\w+)", rf"\g<1>_{number}", text)
        return re.sub(r"%c", lambda _: str(round(rng.uniform(0.2, 1.7), 2)), text)

    whole = filled("\n=====\n".join([one.top, one.body, *(text for _, text in one.gives)]))
    top, body, *texts = whole.split("\n=====\n")
    return Filled(top, body, [(kind, text) for (kind, _), text in zip(one.gives, texts, strict=True)])
