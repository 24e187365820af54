#include "components/gpu/tables.hpp"

namespace lightrail {

namespace {
constexpr auto i64 = ColumnType::int64;
}  // namespace

TableSchema ops_schema() {
  return {"ops",
          {{"gpu", i64, "1", "endpoint id"},
           {"stream", i64, "1", "stream index of the GPU's program"},
           {"op", i64, "1", "index in the program"},
           {"name", ColumnType::name, "1", "kernel or operation"},
           {"kind", i64, "1", "what it is"},
           {"iteration", i64, "1", "0, 1, ..."},
           {"t_start_ps", i64, "ps", "start on its stream"},
           {"t_end_ps", i64, "ps", "end"},
           {"dimension", i64, "1", "index into /summary dimensions; -1: none"},
           {"size_bytes", i64, "B", "payload of the operation"},
           {"t_launch_ps", i64, "ps", "a CPU launches its first kernel; -1: without a CPU, or in no time"}},
          "what every recorded GPU executed",
          TableScope::first_endpoints};
}

TableSchema collectives_schema() {
  return {"collectives",
          {{"gpu", i64, "1", "endpoint id"},
           {"group", i64, "1", "group kind"},
           {"collective", i64, "1", "which collective"},
           {"algorithm", i64, "1", "chosen algorithm"},
           {"protocol", i64, "1", "chosen protocol"},
           {"size_bytes", i64, "B", "nccl-tests' size"},
           {"t_start_ps", i64, "ps", "start on this GPU"},
           {"t_end_ps", i64, "ps", "end on this GPU"}},
          "collectives as each recorded GPU saw them",
          TableScope::first_endpoints};
}

TableSchema steps_schema() {
  return {"steps",
          {{"gpu", i64, "1", "endpoint id"},
           {"iteration", i64, "1", "0, 1, ..."},
           {"t_start_ps", i64, "ps", "first operation starts"},
           {"t_end_ps", i64, "ps", "last operation ends"},
           {"t_compute_ps", i64, "ps", "some kernel runs"},
           {"t_exposed_ps", i64, "ps", "communication runs and no kernel does"},
           {"t_idle_ps", i64, "ps", "neither"},
           {"t_host_ps", i64, "ps", "of t_idle_ps: something waits for nothing but its launch"},
           {"attempt", i64, "1", "how often its job had been restarted"}},
          "one row a GPU and iteration",
          TableScope::all_endpoints};
}

TableSchema exposed_schema() {
  return {"exposed",
          {{"gpu", i64, "1", "endpoint id"},
           {"iteration", i64, "1", "0, 1, ..."},
           {"use",
            i64,
            "1",
            "what the time went into",
            {"compute", "communication", "bubble", "host", "copy", "storage", "idle"}},
           {"dimension", i64, "1", "of communication and bubble: index into /dimensions; else -1"},
           {"group", i64, "1", "of communication and bubble: group kind; else -1"},
           {"time_ps", i64, "ps", "time that went into it alone; those of an iteration add up to its time"},
           {"attempt", i64, "1", "how often its job had been restarted"}},
          "where the time of GPUs went: a row a GPU, iteration and use",
          TableScope::all_endpoints};
}

TableSchema stepped_over_schema() {
  return {
      "stepped_over",
      {{"gpu", i64, "1", "endpoint id"},
       {"iteration", i64, "1", "0, 1, ..."},
       {"t_begin_ps", i64, "ps", "the measured periods begin, in simulated time"},
       {"t_middle_ps", i64, "ps", "half of them are over"},
       {"t_end_ps", i64, "ps", "all are over"},
       {"measured", i64, "1", "periods measured"},
       {"skipped", i64, "1", "periods stepped over"},
       {"added_ps", i64, "ps",
        "time that stands for them in steps and exposed: by the second half of the slowest GPU"},
       {"what", i64, "1", "what a period is", {"micro_batches", "iterations"}},
       {"difference_ps", i64, "ps",
        "of the halves: the largest difference of any part of this GPU's time (compute, exposed, host, "
        "idle; of iterations also of the table exposed)"}},
      "what was not simulated because it repeats itself: a row a GPU and iteration; where iterations were "
      "not, one more a GPU",
      TableScope::all_endpoints};
}

}  // namespace lightrail
