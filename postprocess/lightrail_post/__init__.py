"""Opens result files of lightrail as pandas DataFrames and draws what they say.

    from lightrail_post import open_run, timeline
    run = open_run("result.h5")
    run.tables["ops"]          # DataFrame, names and enumerations resolved
    timeline(run).savefig("timeline.png")
"""

from .breakdown import compare, step_breakdown
from .grain import grain_study, grain_table
from .link_use import link_use, link_use_heatmap
from .perfetto import perfetto_events, write_perfetto
from .run import Run, open_run
from .serving import request_latencies, serving_table, throughput_latency
from .time_use import time_use, time_use_bars
from .timeline import timeline
from .traffic import traffic_by_dimension, traffic_matrix
from .validation import read_validation, validation_panels, validation_table

__all__ = ["Run", "open_run", "timeline", "time_use", "time_use_bars",
           "step_breakdown", "compare", "grain_study", "grain_table",
           "link_use", "link_use_heatmap", "traffic_matrix", "traffic_by_dimension", "perfetto_events",
           "write_perfetto", "request_latencies", "serving_table", "throughput_latency", "read_validation",
           "validation_panels", "validation_table"]
