"""What does a profile record, and how is it printed?"""

import json
import threading

import pytest

import ast_ad
from ast_ad.torch.autograd.profiler import profile, record_function
from ast_ad.torch.autograd.profiler_events import FunctionEvent
from ast_ad.torch.autograd.profiler_table import table_of


def names(prof):
    return [event.name for event in prof.function_events]


def event(name, start, end, parent=None, shapes=(), memory=0):
    found = FunctionEvent(1, name, 1, parent=parent)
    found.time_range.start, found.time_range.end = start, end
    found.input_shapes, found.allocated = list(shapes), memory
    return found


def test_names():
    class Double(ast_ad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return -g

    x = ast_ad.ones(2, 2, requires_grad=True)
    with profile() as prof:
        y = (x @ x).exp_()
        Double.apply(y).sum().backward()
    step = "autograd::engine::evaluate_function: "
    nodes = "SumBackward0", "DoubleBackward", "ExpBackward0", "MmBackward0", "torch::autograd::AccumulateGrad"
    backward = [name for node in nodes for name in (step + node, node)]
    assert names(prof) == [
        *("aten::matmul", "aten::mm", "aten::exp_", "Double", "aten::mul", "aten::sum"),
        *backward[:4],
        "aten::neg",
        *backward[4:],
    ]
    parents = {e.name: None if e.cpu_parent is None else e.cpu_parent.name for e in prof.function_events}
    assert parents["aten::mm"] == "aten::matmul" and parents["aten::mul"] == "Double"
    assert parents["aten::neg"] == "DoubleBackward" and parents["DoubleBackward"] == step + "DoubleBackward"


CALLS = {
    "aten::rsub": lambda x: 2 - x,
    "aten::pow": lambda x: 2**x,
    "aten::gt": lambda x: x > 1,
    "aten::clone": lambda x: x.clone(),
    "aten::zeros": lambda x: ast_ad.zeros(2),
    "aten::where": lambda x: ast_ad.where(x.data, x, x),
    "aten::split": lambda x: x.split(1),
    "aten::add_": lambda x: x.add_(1),
    "aten::sub_": lambda x: x.__isub__(1),
    "aten::reshape": lambda x: x.reshape(3, 1),
    "aten::linalg_vector_norm": lambda x: x.norm(),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_operation_is_an_event(name):
    x = ast_ad.ones(3, dtype=ast_ad.bool if name == "aten::where" else ast_ad.float32)
    with profile() as prof:
        CALLS[name](x)
    assert [event.name for event in prof.function_events if event.cpu_parent is None] == [name]


def test_nothing_stays_behind():
    before = {**vars(ast_ad.Tensor)}, ast_ad.exp
    with pytest.raises(ZeroDivisionError), profile(), profile():
        1 / 0  # noqa: B018
    assert ({**vars(ast_ad.Tensor)}, ast_ad.exp) == before


def test_nothing_is_recorded_outside():
    x = ast_ad.ones(3)
    x * 2
    with profile(enabled=False) as off:
        x * 2
    assert off is None
    with profile() as prof:
        pass
    x * 2
    assert names(prof) == [] and str(prof) == ""
    assert str(profile()) == "<unfinished torch.autograd.profile>"
    with pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"):
        with prof:
            pass


def test_averages():
    x = ast_ad.ones(3)
    with profile(record_shapes=True, profile_memory=True) as prof:
        for _ in range(3):
            x.exp()
        ast_ad.ones(4).exp()
    average = next(a for a in prof.key_averages() if a.key == "aten::exp")
    assert (average.count, average.cpu_memory_usage, average.input_shapes) == (4, 3 * 12 + 16, "")
    by_shape = prof.key_averages(group_by_input_shape=True)
    assert [(a.count, a.input_shapes) for a in by_shape if a.key == "aten::exp"] == [(3, [[3]]), (1, [[4]])]
    total = prof.total_average()
    assert (total.key, total.count) == ("Total", len(prof.function_events))
    assert prof.self_cpu_time_total == pytest.approx(total.self_cpu_time_total)


def test_blocks_have_names():
    @record_function("decorated")
    def run(x):
        return x * 2

    x = ast_ad.ones(3)
    run(x)
    with profile() as prof:
        run(x)
        with record_function("block", "with arguments"):
            run(x)
    assert names(prof) == ["decorated", "aten::mul", "block", "decorated", "aten::mul"]
    block = prof.function_events[2]
    assert [child.name for child in block.cpu_children] == ["decorated"]
    assert block.cpu_time_total >= block.self_cpu_time_total > 0


def test_the_table():
    outer = event("outer", 0.0, 2500.0, shapes=[[2, 3], []], memory=2048)
    inner = event("aten::mul", 100.0, 1100.0, outer, memory=12)
    lines = table_of([outer, inner], (55, 80, 75), 100, None, True, False, None).split("\n")
    rule = "-" * 13 + ("  " + "-" * 12) * 8 + "  " + "-" * 16 + "  "
    assert lines == [
        rule,
        "         Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg       CPU Mem  "
        "Self CPU Mem    # of Calls      Input Shapes  ",
        rule,
        "        outer        60.00%       1.500ms       100.00%       2.500ms       2.500ms       2.01 KB  "
        "     2.00 KB             1      [[2, 3], []]  ",
        "    aten::mul        40.00%       1.000ms        40.00%       1.000ms       1.000ms          12 B  "
        "        12 B             1                []  ",
        rule,
        "Self CPU time total: 2.500ms",
        "",
    ]


def test_parts_of_the_table():
    x = ast_ad.ones(3)
    with profile(with_stack=True) as prof:
        with record_function("a long name of a block"):
            x * 2
    text = prof.key_averages().table(header="title", top_level_events_only=True, max_name_column_width=10)
    assert "title\n" in text and "This report only display top-level ops statistics" in text
    assert "a long ..." in text and "aten::mul" not in text
    assert prof.table(row_limit=0).count("\n") == 5
    assert prof.table(sort_by="self_cpu_time_total").startswith("-")
    assert "Source Location" in str(prof) and "test_parts_of_the_table" in prof.function_events[0].stack[0]
    with pytest.raises(AttributeError, match="'FunctionEvent' object has no attribute 'nonsense'"):
        prof.table(sort_by="nonsense")


def test_traces(tmp_path):
    x = ast_ad.ones(3)
    with profile(with_stack=True) as prof:
        x.exp()
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    (entry,) = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert (entry["ph"], entry["name"], entry["cat"]) == ("X", "aten::exp", "cpu_op") and entry["dur"] > 0
    prof.function_events.export_chrome_trace(str(tmp_path / "events.json"))
    assert json.loads((tmp_path / "events.json").read_text())[0]["name"] == "aten::exp"
    prof.export_stacks(str(tmp_path / "stacks"))
    assert "test_traces" in (tmp_path / "stacks").read_text()


def test_each_thread_has_its_own_nesting():
    x = ast_ad.ones(3)
    with profile() as prof, record_function("main"):
        thread = threading.Thread(target=lambda: x * 2)
        thread.start()
        thread.join()
    main, product = prof.function_events
    assert product.cpu_parent is None and product.thread != main.thread


def test_other_devices():
    with pytest.warns(UserWarning, match="CUDA is not available, disabling CUDA profiling"):
        profile(use_device="cuda")
    with pytest.warns(
        FutureWarning,
        match="The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
    ):
        with pytest.warns(UserWarning, match="CUDA is not available"):
            profile(use_cuda=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'profile_name'"):
        profile(profile_name=None)
