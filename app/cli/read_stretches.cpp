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
#include "network/wire/address_book.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

struct Stretch {
  TrainStretch trains;
  const Element* element;
  std::string servers;
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

/// Of the components of these servers; empty: of all. An error at the attribute where there is no such one.
std::vector<bool> atoms_of(const Element& element, const std::string& servers, const Model& model,
                           ErrorList& errors) {
  const auto* book = model.resource<AddressBook>();
  if (servers == "all" || !book || book->gpu_count == 0) return {};
  const std::uint32_t count = (*book)[EndpointId{book->gpu_count - 1}].server + 1;
  std::vector<std::uint32_t> numbers;
  if (const std::string problem = parse_number_list(servers, "server", "servers of GPUs", count, numbers);
      !problem.empty()) {
    errors.add(element.error_at("servers", "<stretch> attribute 'servers': " + problem));
    return {};
  }
  std::vector<bool> is_meant(count), atoms(model.atom_count);
  for (const std::uint32_t number : numbers) is_meant[number] = true;
  for (std::uint32_t gpu = 0; gpu < book->gpu_count; ++gpu)
    if (is_meant[(*book)[EndpointId{gpu}].server])
      atoms[model.components[book->component_of[gpu].value].atom.value] = true;
  return atoms;
}

std::string text_of(const TrainStretch& stretch, const std::string& servers) {
  const std::string until = stretch.to == time_never ? "on" : "to " + format_time(stretch.to);
  return fmt::format(
      "from {} {} trains {}have at most {} ({} on NVLink); buffers and thresholds stay those of "
      "the longest trains",
      format_time(stretch.from), until, servers == "all" ? "" : fmt::format("of servers {} ", servers),
      counted(stretch.packets, "packet"), stretch.nvlink_packets);
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
             TrainSettings::max_nvlink_grain)
      .field("servers", &StretchSpec::servers,
             "whose trains these are, what their GPUs, hosts and NICs send, as '0-7,16'; all: everybody's");
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
                               spec.nvlink_grain > 0 ? spec.nvlink_grain : spec.grain,
                               atoms_of(*element, spec.servers, model, errors)};
    if (errors.size() > before) continue;
    if (const std::string problem = problem_of(stretch, usual, detail, has_steps_over); !problem.empty())
      errors.add(element->error("<stretch>: " + problem));
    else
      all.push_back({stretch, element, spec.servers});
  }
  if (all.empty()) return {};
  std::stable_sort(all.begin(), all.end(),
                   [](const Stretch& a, const Stretch& b) { return a.trains.from < b.trains.from; });
  ModelPart part;
  std::vector<TrainStretch> trains;
  for (const Stretch& each : all) {
    if (std::any_of(trains.begin(), trains.end(),
                    [&](const TrainStretch& other) { return other.overlaps(each.trains); }))
      errors.add(each.element->error(
          fmt::format("<stretch>: it begins at {}, inside another one", format_time(each.trains.from))));
    trains.push_back(each.trains);
    part.remarks.push_back({"grain", text_of(each.trains, each.servers)});
  }
  part.resources.add<TrainStretches>(std::make_shared<const TrainStretches>(std::move(trains)));
  return part;
}

}  // namespace lightrail
