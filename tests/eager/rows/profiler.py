"""What does the profiler record and show?"""

from tests.eager.rows.case import leaf, raises


def columns(table):
    """The titles of the columns, from the second line of the table."""
    head = next(line for line in table.splitlines() if line.strip() and not line.startswith("-"))
    return [part.strip() for part in head.split("  ") if part.strip()]


def profiled(torch, **options):
    x = leaf(torch, [1.0, 2.0])
    with torch.autograd.profiler.profile(**options) as prof:
        y = x.exp().exp() * x
        y.sum().backward()
    return prof


def s003_083(torch):
    prof = profiled(torch)
    table = str(prof)
    names = {event.key for event in prof.key_averages()}
    wanted = ["aten::exp", "aten::mul", "aten::sum"]
    return (
        columns(table),
        [name in table for name in wanted],
        [n in names for n in wanted],
        "CPU time total" in table,
    )


def s003_083_rule(torch):
    lines = [line for line in str(profiled(torch)).splitlines() if line.strip()]
    return set(lines[0].strip()) <= {"-", " "}, lines[-1].startswith("Self CPU time total:")


def s003_083_backward(torch):
    names = {event.key for event in profiled(torch).key_averages()}
    return ["ExpBackward0" in names, "MulBackward0" in names, "torch::autograd::AccumulateGrad" in names]


def s003_084(torch):
    shaped = profiled(torch, use_cuda=False, profile_memory=False, record_shapes=True)
    shapes = columns(shaped.key_averages(group_by_input_shape=True).table())
    memory = columns(profiled(torch, profile_memory=True).key_averages().table())
    part = "unexpected keyword argument 'profile_name'"
    refused = raises(lambda: torch.autograd.profiler.profile(profile_name=None), part)
    return "Input Shapes" in shapes, [c for c in memory if "Mem" in c], refused


def s003_085(torch):
    x = leaf(torch, [1.0])
    x.sin()
    with torch.autograd.profiler.profile() as prof:
        for _ in range(3):
            x.exp()
    x.cos()
    counts = {e.key: e.count for e in prof.key_averages()}
    return {name: counts.get(name) for name in ("aten::exp", "aten::sin", "aten::cos")}


def s003_085_disabled(torch):
    x = leaf(torch, [1.0])
    with torch.autograd.profiler.profile(enabled=False) as prof:
        x.exp()
    return "aten::exp" in str(prof)


def s003_085_fields(torch):
    event = next(e for e in profiled(torch).key_averages() if e.key == "aten::exp")
    times = event.cpu_time_total >= event.self_cpu_time_total > 0
    return event.count, times, event.cpu_time_total >= event.cpu_time


def s003_085_sorted(torch):
    table = profiled(torch).key_averages().table(sort_by="cpu_time_total", row_limit=2)
    return columns(table), "::" in table or "Backward" in table


def s003_086(torch):
    x = leaf(torch, [1.0])
    with torch.autograd.profiler.profile() as prof:
        with torch.autograd.profiler.record_function("my block"):
            x.exp()
    names = {e.key: e.count for e in prof.key_averages()}
    return "my block" in str(prof), names["my block"], names["aten::exp"]


def s003_086_decorator(torch):
    @torch.autograd.profiler.record_function("labelled")
    def f(x):
        return x * 2

    with torch.autograd.profiler.profile() as prof:
        f(leaf(torch, [1.0]))
        f(leaf(torch, [1.0]))
    return {e.key: e.count for e in prof.key_averages()}["labelled"]


def more_record_outside(torch):
    with torch.autograd.profiler.record_function("no profiler"):
        return leaf(torch, [1.0]) * 2


def more_profile_exception(torch):
    profile = torch.autograd.profiler.profile()

    def run():
        with profile:
            leaf(torch, [1.0]).exp()
            raise ValueError("out")

    return raises(run, "out"), "aten::exp" in str(profile)


def more_function_events(torch):
    prof = profiled(torch)
    names = [e.name for e in prof.function_events]
    return "aten::exp" in names, names.count("aten::exp"), prof.total_average().count > 3


def more_twice(torch):
    profile = torch.autograd.profiler.profile()
    with profile:
        torch.ones(1).exp()
    return raises(lambda: profile.__enter__())
