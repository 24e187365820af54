#include "app/cli/read_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "network/port/buffered_spec.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/lane_weights.hpp"
#include "network/routing/packet_switch_traits.hpp"
#include "network/transport/service_levels.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {
namespace {

/// How many lanes messages may choose among, and which device has no more.
struct LaneLimit {
  std::uint32_t lanes = max_lanes;
  std::uint32_t per_class = max_lanes;  ///< from a level's lane to its lane of the next class of a routing
  std::string of;
};

LaneLimit lane_limit(const Model& model) {
  LaneLimit limit;
  for (const auto& spec : model.specs) {
    const auto* buffered = dynamic_cast<const BufferedSpec*>(spec.get());
    const DeviceRole role = role_of(*spec);
    if (!buffered || (role != DeviceRole::nic && role != DeviceRole::packet_switch)) continue;
    std::uint32_t lanes = buffered->input_buffer(0).lanes;
    const auto* traits = dynamic_cast<const PacketSwitchTraits*>(spec.get());
    const std::uint32_t classes = traits ? traits->routing_kind().lane_classes : 1;
    lanes /= classes;
    if (classes > 1) limit.per_class = std::min(limit.per_class, std::max(lanes, 1u));
    if (lanes >= limit.lanes) continue;
    limit.lanes = lanes;
    limit.of = role == DeviceRole::nic ? "a NIC of the fabric" : "a switch of the fabric";
    if (classes > 1)
      limit.of += fmt::format(", whose routing takes {} for each to be free of deadlock,", classes);
  }
  return limit;
}

std::vector<bool> storage_endpoints(const Model& model, const AddressBook& book) {
  std::vector<bool> is_storage;
  for (const ComponentId id : book.component_of)
    is_storage.push_back(role_of(*model.specs[model.components[id.value].spec]) == DeviceRole::storage);
  return is_storage;
}

class LevelReader {
 public:
  LevelReader(const Model& model, const AddressBook& book, ErrorList& errors)
      : limit_(lane_limit(model)),
        groups_(model.resource<GroupTable>()),
        errors_(errors),
        levels_(std::make_shared<ServiceLevels>(storage_endpoints(model, book))) {}

  void read(const Element& element) {
    const std::size_t before = errors_.size();
    LevelSpec spec;
    level_parameters().parse(element, spec, errors_);
    if (errors_.size() > before) return;
    if (spec.lane >= limit_.lanes)
      return complain(element, "lane",
                      fmt::format("there is no lane {}: {} has {}", spec.lane, limit_.of, limit_.lanes));
    if (const std::string problem = weigh(element, spec); !problem.empty())
      return complain(element, "weight", problem);
    if (!named_.insert(spec.of).second) return complain(element, "of", fmt::format("'{}' twice", spec.of));
    if (!add(spec)) return complain(element, "of", unknown(spec.of));
    const std::string value = element.find("weight")
                                  ? fmt::format("lane {}, weight {}", spec.lane, spec.weight)
                                  : fmt::format("lane {}", spec.lane);
    parameters_.push_back(
        {"level", static_cast<std::uint32_t>(parameters_.size()), {spec.of, value, "", ""}});
  }

  [[nodiscard]] ModelPart part() && {
    ModelPart part;
    part.parameters = std::move(parameters_);
    part.resources.add<ServiceLevels>(std::move(levels_));
    if (has_weights_) part.resources.add(std::make_shared<const LaneWeights>(weights_));
    return part;
  }

 private:
  /// "" or what is wrong with the weight.
  std::string weigh(const Element& element, const LevelSpec& spec) {
    if (!element.find("weight")) return "";
    has_weights_ = true;
    const std::uint8_t weight = weights_.of[spec.lane];
    if (is_weighed_[spec.lane] && weight != spec.weight)
      return fmt::format("lane {} has weight {} already", spec.lane, weight);
    is_weighed_[spec.lane] = true;
    for (std::uint32_t lane = spec.lane; lane < max_lanes; lane += limit_.per_class)
      weights_.of[lane] = static_cast<std::uint8_t>(spec.weight);
    return "";
  }
  /// False where nothing is called so.
  bool add(const LevelSpec& spec) {
    const auto lane = static_cast<std::uint8_t>(spec.lane);
    if (spec.of == "control") return levels_->add_control(lane), true;
    if (spec.of == "storage") return levels_->add_storage(lane), true;
    const GroupKindId kind = groups_ ? groups_->find(spec.of) : GroupKindId{};
    if (kind.is_valid()) levels_->add_communicator(kind.value, lane);
    return kind.is_valid();
  }
  [[nodiscard]] std::string unknown(const std::string& name) const {
    std::string all = "control, storage";
    for (std::size_t i = 0; groups_ && i < groups_->kind_count(); ++i)
      all += ", " + groups_->kind(GroupKindId{static_cast<std::uint8_t>(i)}).name;
    return fmt::format("the job has no communicator '{}' (expected one of: {})", name, all);
  }
  void complain(const Element& element, const char* name, const std::string& problem) {
    const Attribute* at = element.find(name);
    errors_.add({at->file, at->line, fmt::format("<level> attribute '{}': {}", name, problem)});
  }

  LaneLimit limit_;
  const GroupTable* groups_;
  ErrorList& errors_;
  std::set<std::string> named_;
  std::shared_ptr<ServiceLevels> levels_;
  LaneWeights weights_;
  bool has_weights_ = false;
  std::array<bool, max_lanes> is_weighed_{};
  std::vector<DeclaredParameter> parameters_;
};

}  // namespace

Describe<LevelSpec> level_parameters() {
  return Describe<LevelSpec>()
      .required("of", &LevelSpec::of, "control, storage, or a communicator of the job, as ep")
      .required("lane", &LevelSpec::lane, "virtual lane of NICs and switches", 0u, max_lanes - 1)
      .field(
          "weight", &LevelSpec::weight,
          "of the lane: its share of a line that several lanes want; without any, first come, first served",
          1u, LaneWeights::max_weight);
}

ModelPart read_lanes(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("lanes");
  const auto* book = model.resource<AddressBook>();
  if (!element || !book || !errors.is_empty()) return {};
  const bool has_nic = std::any_of(model.specs.begin(), model.specs.end(),
                                   [](const auto& spec) { return role_of(*spec) == DeviceRole::nic; });
  if (!has_nic) {
    errors.add(element->error("<lanes> needs NICs: NVLink has no virtual lanes"));
    return {};
  }
  const auto levels = element->children_named("level");
  if (levels.empty()) errors.add(element->error("<lanes> needs a <level> at least"));
  LevelReader reader(model, *book, errors);
  for (const Element* level : levels) reader.read(*level);
  return std::move(reader).part();
}

}  // namespace lightrail
