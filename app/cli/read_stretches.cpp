#include "app/cli/read_stretches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/counted.hpp"
#include "engine/scenario/units.hpp"
#include "links/train_settings.hpp"
#include "network/port/train_stretches.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

struct Stretch {
  TrainStretch trains;
  const Element* element;
};

/// "" or why there can be none.
std::string problem_of(const TrainStretch& stretch, const LongestTrains& usual, Detail detail,
                       bool has_steps_over) {
  if (!has_trains(detail))
    return fmt::format("there are no trains that could be shorter (detail=\"{}\")", name_of(detail));
  if (has_steps_over)
    return "step-over leaves out a part of the step, and times of the run are not those of the whole one";
  if (stretch.from >= stretch.to)
    return fmt::format("it ends at {}, and begins at {}", format_time(stretch.to), format_time(stretch.from));
  if (stretch.packets >= usual.fabric && stretch.nvlink_packets >= usual.nvlink)
    return fmt::format("it changes nothing: trains have at most {} ({} on NVLink) at all times",
                       counted(usual.fabric, "packet"), usual.nvlink);
  return "";
}

std::string text_of(const TrainStretch& stretch) {
  const std::string until = stretch.to == time_never ? "on" : "to " + format_time(stretch.to);
  return fmt::format(
      "from {} {} trains have at most {} ({} on NVLink); buffers and thresholds stay those of "
      "the longest trains",
      format_time(stretch.from), until, counted(stretch.packets, "packet"), stretch.nvlink_packets);
}

}  // namespace

Describe<StretchSpec> stretch_parameters() {
  return Describe<StretchSpec>()
      .field("from", &StretchSpec::from, "simulated time from which trains are shorter", SimTime{0},
             time_never)
      .field("to", &StretchSpec::to, "until when; the end of the run without it", picoseconds(1), time_never)
      .field("grain", &StretchSpec::grain, "packets in a train at most; 1: packet by packet", 1u,
             TrainSettings::max_grain)
      .field("nvlink-grain", &StretchSpec::nvlink_grain, "the same on NVLink; 0: as grain", 0u,
             TrainSettings::max_nvlink_grain);
}

ModelPart read_stretches(Detail detail, const Element* run, const Model& model, ErrorList& errors) {
  if (!run) return {};
  const LongestTrains usual = longest_trains(model);
  const auto* programs = model.resource<ProgramSet>();
  const bool has_steps_over = programs && programs->steps_over();
  std::vector<Stretch> all;
  for (const Element* element : run->children_named("stretch")) {
    StretchSpec spec;
    const std::size_t before = errors.size();
    stretch_parameters().parse(*element, spec, errors);
    if (errors.size() > before) continue;
    const TrainStretch stretch{spec.from, spec.to, spec.grain,
                               spec.nvlink_grain > 0 ? spec.nvlink_grain : spec.grain};
    if (const std::string problem = problem_of(stretch, usual, detail, has_steps_over); !problem.empty())
      errors.add(element->error("<stretch>: " + problem));
    else
      all.push_back({stretch, element});
  }
  if (all.empty()) return {};
  std::stable_sort(all.begin(), all.end(),
                   [](const Stretch& a, const Stretch& b) { return a.trains.from < b.trains.from; });
  ModelPart part;
  std::vector<TrainStretch> trains;
  for (const Stretch& each : all) {
    if (!trains.empty() && each.trains.from < trains.back().to)
      errors.add(each.element->error(
          fmt::format("<stretch>: it begins at {}, inside another one", format_time(each.trains.from))));
    trains.push_back(each.trains);
    part.remarks.push_back({"grain", text_of(each.trains)});
  }
  part.resources.add<TrainStretches>(std::make_shared<const TrainStretches>(std::move(trains)));
  return part;
}

}  // namespace lightrail
