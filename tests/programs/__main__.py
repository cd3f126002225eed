"""Are derivatives of random programs right? ``python -m tests.programs --seeds 0:20000 --backend numpy``

Prints a shrunken program for each cause of wrong gradients, of crashes, or of defects told of programs whose
gradients are right, and the tally; exit status 1 if there is one. The net is off, as in ``AST_AD_CHECK=0``:
what is measured is the compiler. With ``--checked`` or ``--derivatives`` its false alarms are looked for.
"""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence

from .case import Case
from .cases import make
from .check import Outcome
from .differential import Settings, check
from .productions import FORMS, PRODUCTIONS
from .reduce import reduce

KINDS = ("right", "partly", "traced", "declined", "unstable", "nan", "alarm", "wrong", "crashed")

TOLD = "nan", "alarm", "wrong", "crashed"


def cause(outcome: Outcome) -> str:
    """What outcomes with the same reason share: their first line without names, numbers and arrays."""
    first = re.sub(r"^call \d: ", "", outcome.why).partition("\n")[0]
    if outcome.kind == "wrong":
        return f"wrong {first.partition(':')[0]}"
    return f"{outcome.kind} {re.sub(r'[-0-9.]+|`[^`]*`|[a-z]_[0-9]+', '.', first)[:160]}"


def shares(seeds: Sequence[int], short: bool) -> None:
    """How many programs have each production?"""
    tally: collections.Counter[str] = collections.Counter()
    for seed in seeds:
        tally.update(make(seed, short).productions)
    for name in sorted([*PRODUCTIONS, *FORMS], key=lambda n: tally[n]):
        print(f"{100 * tally[name] / len(seeds):5.1f} %  {name}")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", default="0:1000", help="first:last+1, or seeds with commas between them")
    parser.add_argument("--backend", default="numpy", choices=["numpy", "numba", "auto"])
    parser.add_argument(
        "--productions", action="store_true", help="print the share of programs with each production"
    )
    parser.add_argument("--show", action="store_true", help="print the programs and stop")
    parser.add_argument(
        "--short", action="store_true", help="programs of one or two statements: more of them"
    )
    parser.add_argument("--no-shrinking", action="store_true")
    parser.add_argument("--every", action="store_true", help="print each failure, not one for each cause")
    parser.add_argument(
        "--declined", action="store_true", help="print the programs that are neither compiled nor traced"
    )
    parser.add_argument("--second", type=int, default=5, help="every n-th program to second order; 0: none")
    parser.add_argument(
        "--checked", action="store_true", help="leave the net on, with what AST_AD_CHECK asks of it"
    )
    parser.add_argument(
        "--derivatives", action="store_true", help="the net with derivatives along a direction, check=True"
    )
    parser.add_argument("--into", type=pathlib.Path, help="a folder for the programs that fail")
    return parser.parse_args()


def main() -> int:
    options = parsed()
    warnings.simplefilter("ignore")
    first, _, last = options.seeds.partition(":")
    seeds = range(int(first), int(last)) if last else [int(seed) for seed in first.split(",")]
    if options.productions:
        shares(seeds, options.short)
        return 0
    if options.show:
        for seed in seeds:
            print(f"# seed {seed}\n{make(seed, options.short).script()}")
        return 0
    if options.derivatives:
        os.environ["AST_AD_CHECK"] = "1"
    elif not options.checked:
        os.environ["AST_AD_CHECK"] = "0"
    tally: collections.Counter[str] = collections.Counter()
    causes: collections.Counter[str] = collections.Counter()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        for done, seed in enumerate(seeds):
            if sys.stderr.isatty():
                print(f"\r{done} of {len(seeds)}: {dict(tally)}", end="\r", file=sys.stderr, flush=True)
            settings = Settings(options.backend, bool(options.second) and seed % options.second == 0)
            case = make(seed, options.short)
            outcome = check(case, pathlib.Path(name), settings)
            tally[outcome.kind] += 1
            why = cause(outcome)
            causes[why] += outcome.kind in (*TOLD, "declined")
            told = (*TOLD, "declined") if options.declined else TOLD
            if outcome.kind in told and (options.every or causes[why] == 1):
                report(seed, case, outcome, settings, pathlib.Path(name), options)
    for reason, times in causes.most_common(40):
        print(f"{times:5} {reason}" if times else "", end="\n" if times else "")
    print(", ".join(f"{tally[kind]} {kind}" for kind in KINDS))
    print(f"{len(seeds) / (time.perf_counter() - started):.2f} programs per second")
    return int(tally["alarm"] + tally["wrong"] + tally["crashed"] > 0)


def report(
    seed: int,
    case: Case,
    outcome: Outcome,
    settings: Settings,
    folder: pathlib.Path,
    options: argparse.Namespace,
) -> None:
    """Print the program, shrunken, and how it goes wrong."""
    why = cause(outcome)
    if not options.no_shrinking and not outcome.why.startswith("not done"):
        enough = settings.enough_for(outcome.why)
        case = reduce(case, lambda c: cause(check(c, folder, enough)) == why)
        outcome = check(case, folder, settings)
    text = f"# seed {seed} {outcome.kind}\n# " + outcome.why.replace("\n", "\n# ") + f"\n{case.script()}"
    print(text, flush=True)
    if options.into:
        options.into.mkdir(parents=True, exist_ok=True)
        (options.into / f"seed_{seed}_{settings.backend}{'_short' * options.short}.py").write_text(text)


if __name__ == "__main__":
    sys.exit(main())
