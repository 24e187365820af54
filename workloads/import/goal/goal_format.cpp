#include "workloads/import/goal/goal.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "engine/base/quantity.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {

namespace {

struct GoalSpec {
  GoalSendEnd send_end = GoalSendEnd::sent;
  Bytes eager_limit{1'000'000'000'000};
  std::string message_time = "nccl", loggops;
};

Describe<GoalSpec> table() {
  Describe<GoalSpec> table;
  table
      .choice(
          "send-ends", &GoalSpec::send_end,
          "when a send ends: its last byte is on the wire, its software is done, or the receiver has told",
          {{"sent", GoalSendEnd::sent}, {"eager", GoalSendEnd::eager}, {"delivered", GoalSendEnd::delivered}})
      .field("eager-limit", &GoalSpec::eager_limit, "with send-ends=eager: larger messages end as delivered",
             Bytes{0}, Bytes{1'000'000'000'000})
      .field("message-time", &GoalSpec::message_time,
             "software of a message at each of its ends, such as 200 ns; nccl: as <nccl> says")
      .field("loggops", &GoalSpec::loggops,
             "L=3700 o=200 g=5 G=0.04 O=0 S=0 [ns, ns/B, B]: LogGOPSim's times instead of the network's");
  return table;
}

TraceFormat::Import prepare(const Element& at, ErrorList& errors) {
  GoalSpec spec;
  table().parse(at, spec, errors);
  GoalOptions options;
  auto complain = [&](const char* attribute, const std::string& problem) {
    const Attribute* found = at.find(attribute);
    errors.add({found ? found->file : at.file, found ? found->line : at.line,
                fmt::format("<{}> attribute '{}': {}", at.name, attribute, problem)});
  };
  options.send_end = spec.send_end;
  options.eager_limit = spec.eager_limit.value;
  if (at.find("eager-limit") && spec.send_end != GoalSendEnd::eager)
    complain("eager-limit", "has no effect (expected send-ends=\"eager\" beside it)");
  if (spec.message_time != "nccl") {
    SimTime time{};
    if (std::string problem = parse_value(spec.message_time, time); !problem.empty())
      complain("message-time", problem + ", or nccl");
    else if (time < SimTime{0} || time > milliseconds(1000))
      complain("message-time", fmt::format("'{}' is out of range (0 ns ... 1 s)", spec.message_time));
    else
      options.message_time = time;
  }
  if (!spec.loggops.empty()) {
    options.loggops.emplace();
    if (std::string problem = LogGops::parse(spec.loggops, *options.loggops); !problem.empty())
      complain("loggops", problem);
    for (const char* other : {"send-ends", "message-time"})
      if (at.find(other)) complain(other, "has no effect beside 'loggops', which says what messages take");
  }
  return [options](const TraceFormat::Files& files, JobOutput& output) {
    GoalOptions all = options;
    all.file = files[0];
    import_goal(all, output);
  };
}

}  // namespace

std::shared_ptr<const TraceFormat> goal_format() {
  auto format = std::make_shared<TraceFormat>();
  format->name = "goal";
  format->doc = "one GOAL schedule";
  format->parameters = table().documentation();
  format->prepare = prepare;
  format->is_one_file = true;
  return format;
}

}  // namespace lightrail
