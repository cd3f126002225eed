"""What a function reads from outside: is every later call given what is there then?"""

import functools

import numpy as np

from .harness import after, program

THREE = np.array([0.4, -0.9, 1.3])


class Settings:
    def __init__(self, rate):
        self.rate = rate
        self.table = np.array([1.0, 2.0, 3.0])


# ----- the page's own
DEFAULT = Settings(0.5)


@program(
    after(lambda: setattr(DEFAULT, "rate", 0.5), THREE),
    later=[after(lambda: setattr(DEFAULT, "rate", 2.5), THREE)],
)
def attribute_of_a_default(x, settings=DEFAULT):
    return np.sum(x * x) * settings.rate


WEIGHTS = np.array([1.0, 2.0, 3.0])


@program(
    after(lambda: WEIGHTS.__setitem__(1, 2.0), THREE),
    later=[after(lambda: WEIGHTS.__setitem__(1, 7.0), THREE)],
)
def array_as_a_default(x, weights=WEIGHTS):
    return np.sum(x * x * weights)


PARTIAL = np.array([1.0, 2.0, 3.0])


def weighted(weights, x):
    return np.sum(np.sin(x) * weights)


part = functools.partial(weighted, PARTIAL)


@program(
    after(lambda: PARTIAL.__setitem__(0, 1.0), THREE),
    later=[after(lambda: PARTIAL.__setitem__(0, -4.0), THREE)],
)
def array_in_a_partial(x):
    return part(x) * 2.0


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
