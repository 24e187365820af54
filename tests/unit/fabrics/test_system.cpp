#include "tests/unit/fabrics/test_system.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace lightrail::test {

namespace {

struct PlainSpec : Spec, DeviceTraits {
  DeviceRole what = DeviceRole::other;
  std::uint32_t ports = 0;
  SimTime pipeline{};
  std::string routing = "static";

  explicit PlainSpec(DeviceRole r = DeviceRole::other) : what(r) {}
  DeviceRole role() const override { return what; }
  std::uint32_t radix() const override { return what == DeviceRole::nic ? 0 : ports; }
  std::uint32_t fabric_ports() const override { return what == DeviceRole::nic && ports > 0 ? ports : 1; }
  SimTime arrival_latency() const override { return pipeline; }
};
template <DeviceRole R>
struct PlainSpecOf final : PlainSpec {
  PlainSpecOf() : PlainSpec(R) {}
};
struct PlainOcsSpec final : Spec, OpticalSwitchTraits {
  std::uint32_t ports = 0;
  std::string circuits = "none";
  Decibel loss{2.0};

  std::uint32_t radix() const override { return ports; }
  Decibel path_loss() const override { return loss; }
  Decibel path_loss_spread() const override { return Decibel{0.0}; }
  Decibel port_drift_spread() const override { return Decibel{0.0}; }
  bool is_bidirectional() const override { return false; }
  bool darkens_all() const override { return false; }
};

std::shared_ptr<ComponentKind> named(const std::string& name) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = name;
  return kind;
}

template <DeviceRole R>
std::shared_ptr<const ComponentKind> plain_kind(const std::string& name) {
  using S = PlainSpecOf<R>;
  Describe<S> table;
  if (R == DeviceRole::packet_switch || R == DeviceRole::nvswitch || R == DeviceRole::nic)
    table.field("ports", static_cast<std::uint32_t S::*>(&S::ports), "radix", 0u, 10000u);
  if (R == DeviceRole::packet_switch)
    table.field("routing", static_cast<std::string S::*>(&S::routing), "any text")
        .field("pipeline-latency", static_cast<SimTime S::*>(&S::pipeline), "delay on arrival");
  auto kind = named(name);
  bind_spec(*kind, table);
  return kind;
}

std::shared_ptr<const ComponentKind> plain_ocs_kind() {
  auto kind = named("ocs");
  bind_spec(*kind, Describe<PlainOcsSpec>()
                       .field("ports", &PlainOcsSpec::ports, "radix", 0u, 10000u)
                       .field("circuits", &PlainOcsSpec::circuits, "at the start")
                       .field("insertion-loss", &PlainOcsSpec::loss, "of a path"));
  return kind;
}

std::uint32_t lid_count(const Model& model) {
  return model.resource<AddressBook>()->lid_count;
}

std::uint32_t fabric_ports(const Model& model, ComponentId nic) {
  return fabric_ports_of(*model.specs[model.components[nic.value].spec]);
}

/// NIC of each lid.
std::vector<ComponentId> nics_by_lid(const Model& model) {
  std::vector<ComponentId> nics(lid_count(model));
  const auto& book = *model.resource<AddressBook>();
  for (std::size_t e = 0; e < book.endpoints.size(); ++e) {
    if (!book.endpoints[e].lid.is_valid()) continue;
    for (std::uint32_t port = 0; port < model.components[book.component_of[e].value].port_count; ++port) {
      const ComponentId other = far_end(model, book.component_of[e], port);
      if (!other.is_valid() || model.kinds[model.components[other.value].kind]->name != "nic") continue;
      nics[book.endpoints[e].lid.value] = other;
      break;
    }
  }
  return nics;
}

class Walker {
 public:
  Walker(const Model& model, Lid lid, ComponentId target, bool is_up_down)
      : model_(model),
        routing_(*model.resource<RoutingTables>()),
        lid_(lid),
        target_(target),
        is_up_down_(is_up_down) {}

  /// Switches on the longest way from `id` on; 0 at the target.
  std::uint32_t walk(ComponentId id, bool has_gone_down) {
    if (id == target_) return 0;
    auto route = routing_.route_of.find(id.value);
    REQUIRE(route != routing_.route_of.end());
    auto [place, is_new] = longest_.emplace(std::pair{id.value, has_gone_down}, 0);
    if (!is_new) {
      REQUIRE(place->second > 0);  // 0: still on the way, so this is a loop
      return place->second;
    }
    const SwitchRoute& r = routing_.routes[route->second];
    const auto candidates = r.candidates(lid_);
    REQUIRE(candidates.count > 0);
    std::uint32_t longest = 0;
    for (std::uint32_t i = 0; i < candidates.count; ++i) {
      const bool is_up = r.listed.empty() && r.up_count > 0 && candidates[i] >= r.first_up;
      if (is_up_down_) REQUIRE(!(is_up && has_gone_down));
      ComponentId next = far_end(model_, id, candidates[i]);
      REQUIRE(next.is_valid());
      longest = std::max(longest, 1 + walk(next, has_gone_down || (is_up_down_ && !is_up)));
    }
    return longest_[{id.value, has_gone_down}] = longest;
  }

 private:
  const Model& model_;
  const RoutingTables& routing_;
  Lid lid_;
  ComponentId target_;
  bool is_up_down_;
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> longest_;
};

}  // namespace

const std::string copper = "kind=\"electrical\" rate=\"400 Gb/s\" length=\"1 m\"";

const KindRegistry& plain_kinds() {
  static const KindRegistry registry = [] {
    KindRegistry kinds;
    kinds.add(plain_kind<DeviceRole::gpu>("gpu"));
    kinds.add(plain_kind<DeviceRole::nvswitch>("nvswitch"));
    kinds.add(plain_kind<DeviceRole::nic>("nic"));
    kinds.add(plain_kind<DeviceRole::host>("host"));
    kinds.add(plain_kind<DeviceRole::storage>("storage"));
    kinds.add(plain_kind<DeviceRole::gateway>("gateway"));
    kinds.add(plain_kind<DeviceRole::controller>("scheduler"));
    kinds.add(plain_kind<DeviceRole::packet_switch>("switch"));
    kinds.add(plain_ocs_kind());
    kinds.add(plain_kind<DeviceRole::other>("relay"));
    return kinds;
  }();
  return registry;
}

Model system(const std::string& inner, const FabricRegistry& fabrics, bool has_scheduler) {
  const Scenario scenario = scenario_of(inner);
  ErrorList errors;
  Model model = build_system(scenario, plain_kinds(), fabrics, errors, has_scheduler);
  report_unread(scenario.root, errors);
  REQUIRE(texts(errors) == "");
  return model;
}

std::string problems(const std::string& inner) {
  ErrorList errors;
  try {
    const Scenario scenario = scenario_of(inner);
    (void)build_system(scenario, plain_kinds(), built_in_fabrics(), errors);
  } catch (const InputErrors& thrown) {
    std::string all;
    for (const InputError& error : thrown.errors()) all += to_string(error) + "\n";
    return all;
  }
  return texts(errors);
}

std::string cluster(int servers, int gpus, int nics, const std::string& extra) {
  return "<cluster servers=\"" + std::to_string(servers) + "\"><server gpus=\"" + std::to_string(gpus) +
         "\" nics=\"" + std::to_string(nics) + "\"><gpu/><nic/>" + extra +
         "<link role=\"nvlink\" kind=\"nvlink\" links=\"1\" rate-per-link=\"100 GB/s\" latency=\"50 ns\"/>"
         "<link role=\"pcie\" kind=\"pcie\" generation=\"5\"/></server></cluster>";
}

std::string fabric(const std::string& attributes, int ports) {
  return "<fabric " + attributes + "><switch ports=\"" + std::to_string(ports) + "\"/><link role=\"host\" " +
         copper + "/><link role=\"trunk\" " + copper + "/></fabric>";
}

ComponentId find(const Model& model, const std::string& name) {
  for (std::uint32_t id = 0; id < model.components.size(); ++id)
    if (model.component_name(ComponentId{id}) == name) return ComponentId{id};
  FAIL("no component " + name);
  return {};
}

ComponentId far_end(const Model& model, ComponentId id, std::uint32_t port) {
  const ComponentRecord& record = model.components[id.value];
  REQUIRE(port < record.port_count);
  const LinkId out = model.ports[record.first_port + port].out;
  return out.is_valid() ? model.links[out.value].to : ComponentId{};
}

std::uint32_t expect_all_reachable(const Model& model, bool is_up_down) {
  const std::vector<ComponentId> nics = nics_by_lid(model);
  std::uint32_t longest = 0;
  for (std::uint32_t lid = 0; lid < nics.size(); ++lid) {
    if (!nics[lid].is_valid()) continue;  // a NIC that no endpoint receives on
    Walker walker(model, Lid{lid}, nics[lid], is_up_down);
    for (std::uint32_t from = 0; from < nics.size(); ++from)
      if (from != lid && nics[from].is_valid())
        for (std::uint32_t port = 0; port < fabric_ports(model, nics[from]); ++port)
          longest = std::max(longest, walker.walk(far_end(model, nics[from], port), false));
  }
  return longest;
}

void expect_sound(const Model& model) {
  for (std::uint32_t l = 0; l < model.links.size(); ++l) {
    const LinkRecord& link = model.links[l];
    const LinkRecord& back = model.links[l ^ 1];
    REQUIRE((link.from == back.to && link.to == back.from && link.from_port == back.to_port));
    REQUIRE(link.from != link.to);
    REQUIRE(model.ports[model.components[link.from.value].first_port + link.from_port].out == LinkId{l});
    REQUIRE(link.link_class < model.link_classes.size());
  }
  std::uint32_t first_port = 0, atom = 0;
  for (const ComponentRecord& record : model.components) {
    REQUIRE(record.first_port == first_port);
    first_port += record.port_count;
    REQUIRE((record.atom.value == atom || record.atom.value == atom + 1));
    atom = record.atom.value;
  }
  REQUIRE(first_port == model.ports.size());
  REQUIRE(atom + 1 == model.atom_count);
  const auto& book = *model.resource<AddressBook>();
  REQUIRE(book.component_of.size() == book.endpoints.size());
  for (std::uint32_t e = 0; e < book.endpoints.size(); ++e) {
    REQUIRE(model.components[book.component_of[e].value].number == book.device(EndpointId{e}).value);
    if (book.endpoints[e].lid.is_valid()) REQUIRE(book.endpoints[e].lid.value < book.lid_count);
  }
}

}  // namespace lightrail::test
