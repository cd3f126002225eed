"""How often is a random program's gradient right? ``python -m tests.programs.run --count 5000 --start 0``

Prints every program that is wrong or crashes, shrunken, and the tally. Exit status 1 if there is any, or if
more than 5 % of the programs are refused.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import sys
import tempfile
import warnings

from .check import check
from .generate import Program, generate
from .shrink import shrink


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--show-refused", action="store_true")
    parser.add_argument("--show", type=int, help="print the program of this seed and stop")
    options = parser.parse_args()
    if options.show is not None:
        print(generate(options.show).source)
        return 0
    warnings.simplefilter("ignore")
    tally: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def kind(program: Program) -> str:
            return check(program, folder, backend=options.backend).kind

        for seed in range(options.start, options.start + options.count):
            program = generate(seed)
            outcome = check(program, folder, backend=options.backend)
            tally[outcome.kind] += 1
            if outcome.kind == "refused":
                reasons[outcome.why.splitlines()[0]] += 1
                if options.show_refused:
                    print(f"seed {seed} refused:\n{outcome.why}\n")
            elif outcome.kind != "right":
                small = shrink(program, lambda p, wanted=outcome.kind: kind(p) == wanted)
                print(f"seed {seed} {outcome.kind}: {check(small, folder, backend=options.backend).why}")
                print(small.source, flush=True)
    for reason, times in reasons.most_common(20):
        print(f"{times:5} refused: {reason}")
    print(", ".join(f"{tally[kind]} {kind}" for kind in ("right", "wrong", "crashed", "refused")))
    return int(tally["wrong"] + tally["crashed"] > 0 or tally["refused"] > 0.05 * options.count)


if __name__ == "__main__":
    sys.exit(main())
