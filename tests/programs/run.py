"""How often is a random program's gradient right? ``python -m tests.programs.run --count 5000 --start 0``

Prints a shrunken program for each cause of wrong gradients or crashes, and the tally. Exit status 1 if there
is any, or if more than 5 % of the programs are refused.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import re
import sys
import tempfile
import warnings

from .check import Outcome, check, check_traced
from .generate import Program, generate
from .shrink import shrink


def cause(outcome: Outcome) -> str:
    """What two outcomes with the same reason share: the first line without names, numbers and arrays."""
    return f"{outcome.kind}: {re.sub(r'[0-9.]+|`.*?`', '.', outcome.why.partition(chr(10))[0])}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--traced", action="store_true", help="trace instead of compiling; second order too")
    parser.add_argument("--show-refused", action="store_true", help="a shrunken program for each refusal")
    parser.add_argument("--show", type=int, help="print the program of this seed and stop")
    options = parser.parse_args()
    if options.show is not None:
        print(generate(options.show).source)
        return 0
    warnings.simplefilter("ignore")
    tally: collections.Counter[str] = collections.Counter()
    causes: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def outcome_of(program: Program) -> Outcome:
            if options.traced:
                return check_traced(program, folder)
            return check(program, folder, backend=options.backend)

        for seed in range(options.start, options.start + options.count):
            program = generate(seed)
            outcome = outcome_of(program)
            tally[outcome.kind] += 1
            if outcome.kind == "right":
                continue
            why = cause(outcome)
            causes[why] += 1
            if causes[why] == 1 and (outcome.kind != "refused" or options.show_refused):
                small = shrink(program, lambda p, why=why: cause(outcome_of(p)) == why)
                print(f"seed {seed} {outcome.kind}: {outcome_of(small).why}\n{small.source}", flush=True)
    for reason, times in causes.most_common(30):
        print(f"{times:5} {reason}")
    print(", ".join(f"{tally[kind]} {kind}" for kind in ("right", "wrong", "crashed", "refused")))
    return int(tally["wrong"] + tally["crashed"] > 0 or tally["refused"] > 0.05 * options.count)


if __name__ == "__main__":
    sys.exit(main())
