"""Does ast_ad show what PyTorch shows? Runs every case with ast_ad and compares with ``expected.json``.

python -m tests.eager.rows.check_rows [-k PART] [-v] [--texts] [--module NAME]
"""

import argparse
import collections
import importlib
import json
import math
import sys
import traceback
from typing import Any

from tests.eager.rows.case import Case, all_cases, observe
from tests.eager.rows.record import EXPECTED

# The relative error that is allowed, for the values of a tensor of this dtype.
TOLERANCE = {"torch.float64": 1e-12, "torch.complex128": 1e-12}
LOOSE = 2e-6
NOT_COMPARED = {"says", "text"}


def close(got: float, expected: float, tolerance: float) -> bool:
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    if got == expected:
        return True
    return math.isclose(got, expected, rel_tol=tolerance, abs_tol=tolerance)


def difference(
    got: Any, expected: Any, where: str = "", tolerance: float = LOOSE, texts: bool = False
) -> str:
    """Where and how the two differ first; empty if they agree."""
    if isinstance(expected, float) and isinstance(got, float):
        same = close(got, expected, tolerance)
    elif isinstance(expected, dict) and isinstance(got, dict):
        tolerance = TOLERANCE.get(expected.get("dtype", ""), tolerance)
        skipped = NOT_COMPARED - {"text"} if texts else NOT_COMPARED
        for key in {**expected, **got}:
            if key in skipped:
                continue
            if key not in got or key not in expected:
                return f"{where}.{key}: {expected} expected, got {got}"
            found = difference(got[key], expected[key], f"{where}.{key}", tolerance, texts)
            if found:
                return f"{found} ({got['says']!r})" if "says" in got else found
        same = True
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for place, (one, other) in enumerate(zip(got, expected)):
            if found := difference(one, other, f"{where}[{place}]", tolerance, texts):
                return found
        same = True
    else:
        same = type(got) is type(expected) and got == expected
    return "" if same else f"{where}: {expected!r} expected, got {got!r}"


def run(torch: Any, case: Case, expected: Any, texts: bool = False) -> str:
    """Empty if the case shows what is expected, otherwise what is wrong."""
    try:
        observed = observe(torch, case)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({last.filename.rpartition('/')[2]}:{last.lineno})"
    return difference(observed, expected, texts=texts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", default="", help="only cases whose name has this part")
    parser.add_argument("-v", action="store_true", help="tell of every failure")
    parser.add_argument("--texts", action="store_true", help="compare the printed form of every tensor too")
    parser.add_argument("--module", default="ast_ad", help="what is tested")
    options = parser.parse_args()
    torch = importlib.import_module(options.module)
    expected = json.loads(EXPECTED.read_text())
    passed, failed = collections.Counter(), collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    for name, case in all_cases().items():
        if options.k not in name:
            continue
        wrong = run(torch, case, expected[name], options.texts)
        (failed if wrong else passed)[name.split(".")[0]] += 1
        if wrong:
            reasons[wrong.splitlines()[0][:110]] += 1
            if options.v:
                print(f"{name}\n    {wrong[:600]}")
    for module in passed.keys() | failed.keys():
        print(f"{module:20} {passed[module]:4} passed {failed[module]:4} failed")
    if not options.v:
        for reason, count in reasons.most_common(40):
            print(f"{count:5}  {reason}")
    print(f"{passed.total()} passed, {failed.total()} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
