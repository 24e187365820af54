#include "app/cli/read_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "app/cli/lane_limits.hpp"
#include "engine/model/spec_places.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/has_device.hpp"
#include "network/port/lane_weights.hpp"
#include "network/transport/lane_map.hpp"
#include "network/transport/queue_pairs.hpp"
#include "network/transport/service_levels.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {
namespace {

std::vector<bool> storage_endpoints(const Model& model, const AddressBook& book) {
  std::vector<bool> is_storage;
  for (const ComponentId id : book.component_of)
    is_storage.push_back(role_of(model, id) == DeviceRole::storage);
  return is_storage;
}

/// At the element of a Spec.
void complain_of_spec(const Model& model, std::size_t spec, const std::string& problem, ErrorList& errors) {
  const auto* known = model.resource<SpecPlaces>();
  InputError error = known ? known->places[spec] : InputError{"", 0, ""};
  error.what = "attribute 'sl-to-vl': " + problem;
  errors.add(error);
}

void complain_of_unused_maps(const Model& model, ErrorList& errors) {
  for (std::size_t i = 0; i < model.specs.size(); ++i) {
    const auto* mapping = dynamic_cast<const LaneMapSpec*>(model.specs[i].get());
    if (mapping && mapping->lane_map().count > 0)
      complain_of_spec(model, i, "no <level> has a service level (sl) that it could map", errors);
  }
}

class LanesReader {
 public:
  LanesReader(const Model& model, const AddressBook& book, ErrorList& errors)
      : model_(model),
        book_(book),
        limit_(lane_limit(model)),
        groups_(model.resource<GroupTable>()),
        errors_(errors),
        levels_(std::make_shared<ServiceLevels>(storage_endpoints(model, book))) {}

  void read(const Element& element) {
    LanesSpec spec;
    lanes_parameters().parse(element, spec, errors_);
    read_lane_map(element, fabric_map_, errors_);
    const auto levels = element.children_named("level");
    if (levels.empty()) errors_.add(element.error("<lanes> needs a <level> at least"));
    for (const Element* level : levels) read_level(*level);
    for (const Element* lane : element.children_named("lane")) read_lane(*lane);
    if (!errors_.is_empty()) return;
    if (const auto* pairs = model_.resource<QueuePairs>()) levels_->add_queue_pairs(*pairs);
    if (has_levels_) return map_lanes(element);
    if (fabric_map_.count > 0)
      complain(element, "lanes", "sl-to-vl", "no <level> has a service level (sl) that it could map");
    complain_of_unused_maps(model_, errors_);
  }

  [[nodiscard]] ModelPart part() && {
    ModelPart part;
    part.parameters = std::move(parameters_);
    part.resources.add<ServiceLevels>(std::move(levels_));
    if (has_weights_) part.resources.add(std::make_shared<const LaneWeights>(weights_));
    if (maps_) part.resources.add(std::make_shared<const LaneMaps>(std::move(*maps_)));
    return part;
  }

 private:
  void read_level(const Element& element) {
    const std::size_t before = errors_.size();
    LevelSpec spec;
    level_parameters().parse(element, spec, errors_);
    if (errors_.size() > before) return;
    const bool has_level = element.find("sl"), has_lane = element.find("lane");
    if (has_level == has_lane)
      return errors_.add(element.error("<level> needs 'lane' or 'sl' (a service level), one of them"));
    if (is_first_level_) has_levels_ = has_level;
    is_first_level_ = false;
    if (has_level != has_levels_)
      return complain(element, "level", has_level ? "sl" : "lane",
                      "some levels have a lane, others a service level");
    if (has_level && element.find("weight"))
      return complain(element, "level", "weight",
                      "a lane has weights, and which lane it is says a table (use <lane number= weight=>)");
    if (has_lane && !check_lane(element, "level", "lane", spec.lane)) return;
    if (element.find("weight") && !weigh(element, "level", spec.lane, spec.weight)) return;
    if (!named_.insert(spec.of + ' ' + spec.gpus).second)
      return complain(element, "level", "of", fmt::format("'{}' twice", spec.of));
    add(element, spec, static_cast<std::uint8_t>(has_level ? spec.level : spec.lane));
    if (has_level) used_.insert(spec.level);
    std::string value =
        has_level ? fmt::format("service level {}", spec.level) : fmt::format("lane {}", spec.lane);
    if (element.find("weight")) value += fmt::format(", weight {}", spec.weight);
    declare("level", spec.gpus == "all" ? spec.of : spec.of + " of GPUs " + spec.gpus, value);
  }

  void read_lane(const Element& element) {
    const std::size_t before = errors_.size();
    LaneSpec spec;
    lane_parameters().parse(element, spec, errors_);
    if (errors_.size() > before || !check_lane(element, "lane", "number", spec.number)) return;
    if (weigh(element, "lane", spec.number, spec.weight))
      declare("lane", fmt::format("{}", spec.number), fmt::format("weight {}", spec.weight));
  }

  bool check_lane(const Element& element, const char* what, const char* name, std::uint32_t lane) {
    if (lane < limit_.lanes) return true;
    complain(element, what, name,
             fmt::format("there is no lane {}: {} has {}", lane, limit_.of, limit_.lanes));
    return false;
  }
  bool weigh(const Element& element, const char* what, std::uint32_t lane, std::uint32_t weight) {
    has_weights_ = true;
    if (is_weighed_[lane] && weights_.of[lane] != weight) {
      complain(element, what, "weight",
               fmt::format("lane {} has weight {} already", lane, weights_.of[lane]));
      return false;
    }
    is_weighed_[lane] = true;
    for (std::uint32_t same = lane; same < max_lanes; same += limit_.per_class)
      weights_.of[same] = static_cast<std::uint8_t>(weight);
    return true;
  }

  void add(const Element& element, const LevelSpec& spec, std::uint8_t level) {
    if (spec.of == "job") return add_job(element, spec, level);
    if (spec.gpus != "all")
      return complain(element, "level", "gpus", "only a job (of=\"job\") is named by its GPUs");
    if (spec.of == "control") return levels_->add_control(level);
    if (spec.of == "storage") return levels_->add_storage(level);
    const GroupKindId kind = groups_ ? groups_->find(spec.of) : GroupKindId{};
    if (!kind.is_valid()) return complain(element, "level", "of", unknown(spec.of));
    levels_->add_communicator(kind.value, level);
  }
  void add_job(const Element& element, const LevelSpec& spec, std::uint8_t level) {
    std::vector<std::uint32_t> gpus;
    if (const std::string problem = parse_gpu_list(spec.gpus, book_.gpu_count, gpus); !problem.empty())
      return complain(element, "level", "gpus", problem);
    const std::set<std::uint32_t> chosen(gpus.begin(), gpus.end());
    std::vector<EndpointId> members;
    for (std::uint32_t id = 0; id < book_.endpoints.size(); ++id)
      if (chosen.count(book_.device(EndpointId{id}).value)) members.emplace_back(id);
    levels_->add_job(members, level);
  }
  [[nodiscard]] std::string unknown(const std::string& name) const {
    std::string all = "control, storage, job";
    for (std::size_t i = 0; groups_ && i < groups_->kind_count(); ++i)
      all += ", " + groups_->kind(GroupKindId{static_cast<std::uint8_t>(i)}).name;
    return fmt::format("the job has no communicator '{}' (expected one of: {})", name, all);
  }

  /// The table of every device that has lanes: its own, the fabric's, or all lanes in turns.
  void map_lanes(const Element& element) {
    used_.insert(0);  // of what no <level> names
    std::vector<LaneMap> by_spec;
    for (std::size_t i = 0; i < model_.specs.size(); ++i) {
      const Spec& spec = *model_.specs[i];
      const LaneLimit own = lane_limit(spec);
      const auto* mapping = dynamic_cast<const LaneMapSpec*>(&spec);
      const bool has_own = mapping && mapping->lane_map().count > 0;
      by_spec.push_back(has_own                 ? mapping->lane_map()
                        : fabric_map_.count > 0 ? fabric_map_
                                                : LaneMap::in_turns(std::max(limit_.lanes, 1u)));
      if (own.of.empty()) continue;
      const std::string problem = problem_of(by_spec.back(), own);
      if (problem.empty()) continue;
      if (has_own)
        complain_of_spec(model_, i, problem, errors_);
      else
        complain(element, "lanes", "sl-to-vl", problem);
      if (!has_own) return;
    }
    if (fabric_map_.count > 0) declare("lanes", "sl-to-vl", element.find("sl-to-vl")->value);
    maps_.emplace(std::move(by_spec));
  }
  [[nodiscard]] std::string problem_of(const LaneMap& map, const LaneLimit& own) const {
    for (const std::uint32_t level : used_) {
      if (map.of[level] == LaneMap::none) return fmt::format("service level {} has no lane", level);
      if (map.of[level] >= own.lanes)
        return fmt::format("there is no lane {} for service level {}: {} has {}", map.of[level], level,
                           own.of, own.lanes);
    }
    return "";
  }

  void declare(const char* element, std::string name, std::string value) {
    const auto index = static_cast<std::uint32_t>(
        std::count_if(parameters_.begin(), parameters_.end(),
                      [&](const DeclaredParameter& other) { return other.element == element; }));
    parameters_.push_back({element, index, {std::move(name), std::move(value), "", ""}});
  }
  void complain(const Element& element, const char* what, const char* name, const std::string& problem) {
    errors_.add(element.error_at(name, fmt::format("<{}> attribute '{}': {}", what, name, problem)));
  }

  const Model& model_;
  const AddressBook& book_;
  LaneLimit limit_;
  const GroupTable* groups_;
  ErrorList& errors_;
  std::set<std::string> named_;
  std::shared_ptr<ServiceLevels> levels_;
  LaneWeights weights_;
  bool has_weights_ = false, has_levels_ = false, is_first_level_ = true;
  std::array<bool, max_lanes> is_weighed_{};
  LaneMap fabric_map_;
  std::set<std::uint32_t> used_;  ///< service levels
  std::optional<LaneMaps> maps_;
  std::vector<DeclaredParameter> parameters_;
};

}  // namespace

Describe<LanesSpec> lanes_parameters() {
  return Describe<LanesSpec>().field(
      "sl-to-vl", &LanesSpec::lane_map,
      "lanes of service levels 0, 1, 2 ... in switches and NICs that have no table of their own (0,0,1); "
      "without it level k is on lane k, those above the last lane on the first ones again");
}

Describe<LevelSpec> level_parameters() {
  return Describe<LevelSpec>()
      .required("of", &LevelSpec::of, "control, storage, job, or a communicator of the job, as ep")
      .field("gpus", &LevelSpec::gpus, "of a job: its own, as 0-7,16, or all")
      .field("lane", &LevelSpec::lane, "virtual lane of NICs and switches", 0u, max_lanes - 1)
      .field("sl", &LevelSpec::level, "service level instead, to which sl-to-vl gives lanes", 0u,
             max_levels - 1)
      .field(
          "weight", &LevelSpec::weight,
          "of the lane: its share of a line that several lanes want; without any, first come, first served",
          1u, LaneWeights::max_weight);
}

Describe<LaneSpec> lane_parameters() {
  return Describe<LaneSpec>()
      .required("number", &LaneSpec::number, "virtual lane of NICs and switches", 0u, max_lanes - 1)
      .required("weight", &LaneSpec::weight, "its share of a line that several lanes want", 1u,
                LaneWeights::max_weight);
}

ModelPart read_lanes(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("lanes");
  const auto* book = model.resource<AddressBook>();
  if (!book || !errors.is_empty()) return {};
  if (!element) {
    complain_of_unused_maps(model, errors);
    return {};
  }
  if (!has_device(model, DeviceRole::nic)) {
    errors.add(element->error("<lanes> needs NICs: NVLink has no virtual lanes"));
    return {};
  }
  LanesReader reader(model, *book, errors);
  reader.read(*element);
  return std::move(reader).part();
}

}  // namespace lightrail
