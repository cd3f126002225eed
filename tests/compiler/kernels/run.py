"""Do kernels give what NumPy gives? ``python -m tests.compiler.kernels.run --count 1000`` asks random ones.

Evaluated without compiling, unless ``--how compiled``. Prints a shrunken program for each cause of a
difference, the reasons for what is left to NumPy, and the tally.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import re
import sys
import tempfile
import warnings
from typing import Any

import numpy as np

from tests.programs.check import load, unload
from tests.programs.generate import Program, copies, generate
from tests.programs.shrink import shrink

from .comparing import compare
from .running import Lying, Record
from .typed import Untrue


def difference(program: Program, folder: pathlib.Path, how: str, record: Record | None = None) -> str:
    """How the kernels of a random program differ from its NumPy code."""
    module = load(program, folder)
    try:
        why = compare(module.f, copies(program.args), how, record, argnums=(0, 1, 2))
        return why if why and not _is_unstable(module.f, program.args) else ""
    except (Lying, Untrue) as error:
        return f"kernels: {error}"
    finally:
        unload(module)


def _is_unstable(f: Any, args: tuple[Any, ...]) -> bool:
    """Whether rounding errors of the arguments change the value: then other sums may, too."""
    numbers = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        here = f(*copies(args))
        moved = [f(*(a * (1 + 1e-15 * numbers.normal()) for a in copies(args))) for _ in range(4)]
    return bool(max(abs(here - there) for there in moved) > 1e-12 * max(1.0, abs(here)))


def cause(why: str) -> str:
    """What differences of one kind have in common."""
    return re.sub(r"[0-9.]+|`.*?`", ".", why.partition("\n")[0])[:100]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--how", default="evaluated", choices=("compiled", "evaluated", "interpreted"))
    parser.add_argument("--no-shrink", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    record = Record()
    causes: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(options.start, options.start + options.count):
            program = generate(seed)
            why = difference(program, folder, options.how, record)
            if not why:
                continue
            kind = cause(why)
            causes[kind] += 1
            if causes[kind] == 1:
                small = program
                if not options.no_shrink:
                    small = shrink(
                        program, lambda p, kind=kind: cause(difference(p, folder, options.how)) == kind
                    )
                print(f"seed {seed}: {difference(small, folder, options.how)}\n{small.source}", flush=True)
    for reason, times in record.refused.most_common(40):
        print(f"{times:6} {reason}")
    print(collections.Counter(map(repr, record.dropped)))
    print(record.kernels, "programs with kernels,", record.without, "without")
    for kind, times in causes.most_common():
        print(f"{times:5} {kind}")
    return int(bool(causes))


if __name__ == "__main__":
    sys.exit(main())
