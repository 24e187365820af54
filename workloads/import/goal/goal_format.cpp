#include "workloads/import/goal/goal.hpp"

#include <memory>

namespace lightrail {

namespace {

struct GoalSpec {};

void import_files(const TraceFormat::Files& files, const GoalSpec&, JobOutput& output) {
  import_goal(files[0], output);
}

}  // namespace

std::shared_ptr<const TraceFormat> goal_format() {
  auto format = trace_format("goal", "one GOAL schedule", Describe<GoalSpec>{}, import_files);
  format->is_one_file = true;
  return format;
}

}  // namespace lightrail
