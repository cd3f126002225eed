"""How do the programs fare? ``python -m tests.soundness [family ...] [--backend B] [--mark] [--only NAME]``

Runs every program of the families (all of them on numba, too; the tests do that for some), prints what is
not right or not compiled, and how this differs from what is marked. ``--mark`` writes the marks anew; read
the difference before it is committed: a mark that comes back is a fault that came back.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time
import traceback

from .harness import BACKENDS, JUDGEMENTS, PROGRAMS, Wrong, families, judge
from .known import HEAD


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soundness")
    parser.add_argument("families", nargs="*", help="parts of the names of modules, such as 01 or views")
    parser.add_argument("--backend", choices=BACKENDS, action="append")
    parser.add_argument("--only", action="append", help="names of programs")
    parser.add_argument("--mark", action="store_true", help="write what was found into KNOWN")
    parser.add_argument("--verbose", action="store_true", help="numbers and tracebacks, too")
    options = parser.parse_args()
    unexpected = 0
    for family, module in families().items():
        if options.families and not any(part in family for part in options.families):
            continue
        known = dict(module.KNOWN)
        for one in PROGRAMS.get(family, {}).values():
            if options.only and one.name not in options.only:
                continue
            for backend in options.backend or BACKENDS:
                start = time.perf_counter()
                for judgement in JUDGEMENTS:
                    key = one.name, backend, judgement
                    seen = outcome(one, backend, judgement, options.verbose)
                    if seen != "unfit":
                        known.pop(key, None)
                        if seen and (judgement == "right" or one.compiled):
                            known[key] = seen
                    news = (seen or "right") if (key in known) != (key in module.KNOWN) else ""
                    unexpected += bool(news) or seen == "unfit"
                    if seen:
                        print(f"{family} {one.name} [{backend}] {judgement}: {seen}", end="")
                        print("" if key in module.KNOWN or not news else "   <- not marked", flush=True)
                    elif news:
                        print(f"{family} {one.name} [{backend}] {judgement}: mended, but marked", flush=True)
                if time.perf_counter() - start > 5:
                    print(
                        f"    ({one.name} took {time.perf_counter() - start:.0f} s on {backend})", flush=True
                    )
        if options.mark:
            write(pathlib.Path(str(module.__file__)), known)
    return int(unexpected > 0 and not options.mark)


def outcome(one, backend, judgement, verbose):
    """What is wrong, in words; '' if nothing is; 'unfit' if the program or the harness is at fault."""
    try:
        judge(one, backend, judgement)
    except Wrong as wrong:
        if verbose:
            traceback.print_exception(wrong)
        return str(wrong).split("\n")[0]
    except Exception:
        traceback.print_exc()
        return "unfit"
    return ""


def write(path: pathlib.Path, known: dict[tuple[str, str, str], str]) -> None:
    """Write the marks as the end of the module, one program a line."""
    text = path.read_text()
    head = text[: text.index(HEAD)]
    lines = [f'    ("{name}", "{backend}", "{judgement}"): "{seen}",\n'
             for (name, backend, judgement), seen in known.items()]  # fmt: skip
    body = "KNOWN: dict[tuple[str, str, str], str] = {" + ("\n" + "".join(lines) if lines else "") + "}\n"
    path.write_text(head + HEAD + body)


if __name__ == "__main__":
    sys.exit(main())
