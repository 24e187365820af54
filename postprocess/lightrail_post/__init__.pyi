"""What the package offers, for type checkers: __init__.py imports it with its first use."""

from .answers import (
    bottleneck as bottleneck,
    compare as compare,
    exposed as exposed,
    parts_of_steps as parts_of_steps,
)
from .breakdown import compare_steps as compare_steps, step_breakdown as step_breakdown
from .checkpoints import (
    checkpoint_steps as checkpoint_steps,
    checkpoint_table as checkpoint_table,
)
from .goodput import (
    best_intervals as best_intervals,
    effective_over_interval as effective_over_interval,
)
from .grain import grain_study as grain_study, grain_table as grain_table
from .link_uses import link_use as link_use, link_use_heatmap as link_use_heatmap
from .page import write_page as write_page
from .parts import step_parts as step_parts, step_parts_bars as step_parts_bars
from .perfetto import perfetto_events as perfetto_events, write_perfetto as write_perfetto
from .plots import plot as plot
from .program import (
    LightrailError as LightrailError,
    ScenarioError as ScenarioError,
    SimulationFailed as SimulationFailed,
    find_program as find_program,
    run as run,
    run_goodput as run_goodput,
    sweep as sweep,
)
from .result import Run as Run, open_run as open_run
from .scenario import Scenario as Scenario
from .serving import (
    request_latencies as request_latencies,
    serving_table as serving_table,
    throughput_latency as throughput_latency,
)
from .time_uses import time_use as time_use, time_use_bars as time_use_bars
from .timelines import timeline as timeline
from .traffic import traffic_by_dimension as traffic_by_dimension, traffic_matrix as traffic_matrix
from .validation import (
    read_validation as read_validation,
    validation_panels as validation_panels,
    validation_table as validation_table,
)
