"""A factor that is infinite where nobody looks: does it stay out of the derivative, whatever made it?"""

from math import inf

import numpy as np

from .harness import program

STEPS = np.array([1.0, 2.0, 3.0])
LAYERS = [inf, 0.5, np.inf]
AROUND = {"first": np.inf, "last": float("nan")}


@program(0.3, 0.7)
def of_numpy(k, e):
    d = np.array([np.inf, e, np.inf])
    return np.sin((k * STEPS * d)[1])


@program(0.3, 0.7)
def of_a_name(k, e):
    d = np.array([inf, e, -inf])
    return np.sin((k * STEPS * d)[1])


@program(0.3, 0.7)
def of_a_table(k, e):
    d = np.array([AROUND["first"], e, AROUND["last"]])
    return np.sin((k * STEPS * d)[1])


@program(0.3)
def of_a_list(k):
    return np.sin((k * STEPS * np.array(LAYERS))[1])


@program(0.3, 0.7)
def complex_phases(k, e):
    d = np.array([inf, e, inf], dtype=float)
    delta = k * np.array([1 + 1j, 2.0, 3.0]) * d
    for i in range(1, 2):
        if delta[i].imag > 35:
            delta[i] = delta[i].real + 35j
    made = np.zeros((3, 2), dtype=complex)
    for i in range(1, 2):
        made[i] = np.exp(delta[i]) * STEPS[:2]
    return np.real(np.sum(made))


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
