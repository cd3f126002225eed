"""Which few programs of ``tests/soundness`` reach most of the compiler? The core runs them beside its own.

``python -m tests.compiler.frontend.chosen`` prints the list anew, with the package ``coverage``: it runs the
core, and then every program, and takes the one that reaches most new lines for its time until none reaches
eight. Of a random sample of faults in the front end, most lay in lines that the core alone did not run.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import time
from typing import Any

COMPILER = pathlib.Path(__file__).parents[3] / "ast_ad" / "compiler"
FEWEST = 8  # new lines for which a program is taken
CHOSEN = (
    "family_02_apart-changed_in_each_pass_while_another_has_the_last",
    "family_02_helpers-any_stops_at_the_first",
    "family_02_helpers-inserted_in_order",
    "family_02_helpers-powers_by_position",
    "family_02_helpers-vectorized_function_sees_pythons_numbers",
    "family_02_kinds-asarray_dtype_of_one_of_two",
    "family_02_kinds-length_of_its_formatted_text",
    "family_02_kinds-outer_with_array_or_number",
    "family_02_kinds-sorted_keeps_ints",
    "family_02_opened_anew-a_slice_and_a_store",
    "family_02_raising-caught_where_it_is_certain",
    "family_02_stores-tolist_store",
    "family_04_absent-into_it_by_out",
    "family_04_after_loops-element_of_a_list_of_nones",
    "family_04_after_loops-twice_in_a_list",
    "family_04_after_loops-window_or_another_array",
    "family_04_augmented-an_object_from_outside_changes_itself",
    "family_04_company-helper_that_gives_back_its_buffer",
    "family_04_containers-deep_object",
    "family_04_containers-grown_chain",
    "family_04_containers-while_objects",
    "family_04_containers-while_rows_appended",
    "family_04_cursors-callback_of_one",
    "family_04_cursors-closures_swapped",
    "family_04_cursors-iterator_read_twice",
    "family_04_elements-values_of_a_dict",
    "family_04_lists-zip_grow2",
    "family_04_starred-fromiter_of_a_map",
    "family_05_views-require_written",
    "family_05_views-trimmed_then_scaled",
    "family_05_views-unstacked_rows",
    "family_06_classes-operators",
    "family_06_classes-properties_and_kinds_of_methods",
    "family_06_classes-the_class_is_asked",
    "family_06_company-python_s_own_exceptions",
    "family_06_generators-handlers_in_the_generator_do_not_see",
    "family_06_swallowed-never_swallows_within_try",
    "family_06_zipped-dict_zip_array",
    "family_06_zipped-zip_extra_raises",
    "family_07_changes-default_appended_in_a_loop",
    "family_07_changes-module_nested_put_back",
    "family_07_identity-fields_of_a_dataclass",
    "family_07_identity-squeezed_is_the_same",
    "family_10_containers-key_error_caught",
    "family_10_containers-slice_assigned",
    "family_10_containers-suppressed",
    "family_10_containers-two_scopes",
    "family_10_contexts-generator_by_value",
    "family_10_dicts-updated",
    "family_10_first_pass-the_key_that_is_added_last_is_run_over",
    "family_10_order-nearest_first",
    "family_10_paths-arrays_of_other_lengths",
)

Lines = set[tuple[str, int]]


def lines_of_the_core(folder: pathlib.Path) -> Lines:
    """The lines of the compiler that the tests of the core run, without the chosen programs."""
    import coverage

    data = folder / "core"
    tests = [
        sys.executable,
        "-m",
        "coverage",
        "run",
        f"--data-file={data}",
        f"--source={COMPILER}",
        "-m",
        "pytest",
    ]
    left_out = "--ignore=tests/compiler/frontend/test_chosen.py"
    subprocess.run([*tests, "-q", "-m", "core", "-p", "no:cacheprovider", left_out], check=True)
    found = coverage.CoverageData(str(data))
    found.read()
    return {(file, line) for file in found.measured_files() for line in found.lines(file) or ()}


def lines_of_programs(folder: pathlib.Path) -> tuple[dict[str, Lines], dict[str, float]]:
    """The lines that each program runs, and the seconds of CPU time that it takes."""
    import coverage

    from tests.soundness.harness import Wrong, every_program, families, judge

    families()
    recorder: Any = coverage.Coverage(str(folder / "programs"), source=[str(COMPILER)], config_file=False)
    seconds: dict[str, float] = {}
    recorder.start()
    for family, one in every_program():
        recorder.switch_context(f"{family}-{one.name}")
        start = time.process_time()
        try:
            judge(one, "numpy", "right")
        except Wrong:  # known to be
            continue
        seconds[f"{family}-{one.name}"] = time.process_time() - start
    recorder.stop()
    data, lines = recorder.get_data(), dict[str, Lines]()
    for file in data.measured_files():
        for line, names in data.contexts_by_lineno(file).items():
            for name in names:
                lines.setdefault(name, set()).add((file, line))
    return {name: lines.get(name, set()) for name in seconds}, seconds


def choose(lines: dict[str, Lines], seconds: dict[str, float], reached: Lines) -> list[str]:
    """The programs that reach most, one after the other."""
    chosen: list[str] = []
    while True:
        best = max(lines, key=lambda name: len(lines[name] - reached) / (seconds[name] + 0.05))
        if len(lines[best] - reached) < FEWEST:
            return sorted(chosen)
        chosen.append(best)
        reached = reached | lines[best]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        core = lines_of_the_core(pathlib.Path(made))
        for name in choose(*lines_of_programs(pathlib.Path(made)), core):
            print(f'    "{name}",')
