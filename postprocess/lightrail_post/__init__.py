"""Opens result files of lightrail as pandas DataFrames and draws what they say.

    from lightrail_post import bottleneck, exposed, open_run, timeline, write_page
    run = open_run("result.h5")
    run.tables["ops"]          # DataFrame, names and enumerations resolved
    timeline(run).savefig("timeline.png")
    print(bottleneck(run))     # where the step goes, and what is busiest
    exposed(run, by="role")    # link_use(run), compare(run, other): a line each
    write_page([run], "result.html")
    other = lightrail_post.run("cluster.xml", servers=8)           # simulates, and opens the result
    study = lightrail_post.sweep("cluster.xml", servers=[2, 4, 8])   # a DataFrame, a row a point
    plot(study, x="servers", y="step_time_ps")
"""

import importlib

_MODULES = {
    "answers": ("bottleneck", "compare", "exposed", "parts_of_steps"),
    "breakdown": ("compare_steps", "step_breakdown"),
    "checkpoints": ("checkpoint_steps", "checkpoint_table"),
    "goodput": ("best_intervals", "effective_over_interval"),
    "grain": ("grain_study", "grain_table"),
    "link_uses": ("link_use", "link_use_heatmap"),
    "page": ("write_page",),
    "parts": ("step_parts", "step_parts_bars"),
    "perfetto": ("perfetto_events", "write_perfetto"),
    "plots": ("plot",),
    "program": ("LightrailError", "ScenarioError", "SimulationFailed", "find_program", "run",
                "run_goodput", "sweep"),
    "result": ("Run", "open_run"),
    "scenario": ("Scenario",),
    "serving": ("request_latencies", "serving_table", "throughput_latency"),
    "time_uses": ("time_use", "time_use_bars"),
    "timelines": ("timeline",),
    "traffic": ("traffic_by_dimension", "traffic_matrix"),
    "validation": ("read_validation", "validation_panels", "validation_table"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name):
    """Imports a name with its first use: pandas and matplotlib take a second, which `diff` does not need."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *__all__])
