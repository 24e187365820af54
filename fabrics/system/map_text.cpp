#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/counted.hpp"
#include "engine/base/time.hpp"
#include "engine/model/kind.hpp"
#include "engine/scenario/units.hpp"
#include "fabrics/system/system_text.hpp"
#include "fabrics/system/train_cap.hpp"
#include "links/cable_table.hpp"
#include "links/optical/bit_errors.hpp"
#include "links/optical/path_loss.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/trains_per_message.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

namespace {

/// The group a component is listed under: its name's prefix, or its kind when the scenario names it itself.
std::string family_of(const Model& model, const ComponentRecord& record) {
  const std::string& prefix = model.name_prefixes[record.name_prefix];
  return prefix.starts_with('=') ? model.kinds[record.kind]->name : prefix;
}

struct Family {
  std::uint64_t count = 0, ports = 0, connected = 0;
  std::uint32_t fewest = 0xffffffff, most = 0;  ///< connected ports of one component
};

/// What trains are shorter than the cables' table says.
std::string train_text(const Model& model) {
  std::string out;
  if (const auto* cap = model.resource<TrainCap>()) out += fmt::format("trains {}\n", cap->text());
  if (const std::uint32_t fewer = short_trains(model); fewer > 0)
    out += fmt::format("trains of {} from NICs that lack credits\n", counted(fewer, "packet"));
  const bool has_trains = std::any_of(model.link_classes.begin(), model.link_classes.end(),
                                      [](const LinkClass& link) { return link.grain > 1; });
  if (const std::uint32_t least = TrainsPerMessage::of(model); has_trains && least > 1)
    out += fmt::format("trains of a message that meets others: {} at least\n", least);
  return out;
}

}  // namespace

std::string map_text(const Model& model) {
  std::map<std::string, Family> families;
  for (const ComponentRecord& record : model.components) {
    std::uint32_t connected = 0;
    for (std::uint32_t port = 0; port < record.port_count; ++port)
      connected += model.ports[record.first_port + port].out.is_valid();
    Family& family = families[family_of(model, record)];
    ++family.count;
    family.ports += record.port_count;
    family.connected += connected;
    family.fewest = std::min(family.fewest, connected);
    family.most = std::max(family.most, connected);
  }
  std::string out = fmt::format("{:<12} {:>8} {:>10} {:>10} {:>14}\n", "components", "count", "ports",
                                "in use", "each uses");
  for (const auto& [name, f] : families)
    out +=
        fmt::format("{:<12} {:>8} {:>10} {:>10} {:>14}\n", name, f.count, f.ports, f.connected,
                    f.fewest == f.most ? std::to_string(f.most) : fmt::format("{} ... {}", f.fewest, f.most));

  std::map<std::tuple<std::string, std::string, std::uint16_t>, std::uint64_t> cables;
  for (const LinkRecord& link : model.links)
    ++cables[{family_of(model, model.components[link.from.value]),
              family_of(model, model.components[link.to.value]), link.link_class}];
  out += fmt::format("\n{:<24} {:>8} {:<18} {:>12} {:>12} {:>12}\n", "links", "count", "cable", "rate",
                     "latency", "train");
  for (const auto& [key, count] : cables) {
    const auto& [from, to, index] = key;
    const LinkClass& link = model.link_classes[index];
    out += fmt::format("{:<24} {:>8} {:<18} {:>12} {:>12} {:>12}\n", fmt::format("{} -> {}", from, to), count,
                       link.name, fmt::format("{:.1f} Gb/s", static_cast<double>(link.rate.value) / 1e9),
                       format_time(link.latency),
                       fmt::format("{} x {}", link.grain, format_value(Bytes{link.mtu_bytes})));
  }
  if (const auto* book = model.resource<AddressBook>())
    out += fmt::format("\n{} atoms, {} endpoints ({} GPUs), {} lids, {} directed links\n", model.atom_count,
                       book->endpoints.size(), book->gpu_count, book->lid_count, model.links.size());
  return out + train_text(model);
}

std::string dot_text(const Model& model) {
  std::vector<std::uint32_t> first(model.atom_count, 0xffffffff);
  std::vector<std::map<std::string, std::uint32_t>> contents(model.atom_count);
  for (std::uint32_t id = 0; id < model.components.size(); ++id) {
    const ComponentRecord& record = model.components[id];
    if (first[record.atom.value] == 0xffffffff) first[record.atom.value] = id;
    ++contents[record.atom.value][model.kinds[record.kind]->name];
  }
  std::string out = "graph system {\n  node [shape=box];\n";
  for (std::uint32_t atom = 0; atom < model.atom_count; ++atom) {
    if (first[atom] == 0xffffffff) continue;
    std::string label = model.component_name(ComponentId{first[atom]});
    if (contents[atom].size() > 1 || contents[atom].begin()->second > 1) {
      label += " ...";
      for (const auto& [kind, count] : contents[atom]) label += fmt::format("\\n{} {}", count, kind);
    }
    out += fmt::format("  a{} [label=\"{}\"];\n", atom, label);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> edges;
  for (std::size_t l = 0; l < model.links.size(); l += 2) {
    const std::uint32_t a = model.components[model.links[l].from.value].atom.value;
    const std::uint32_t b = model.components[model.links[l].to.value].atom.value;
    if (a != b) ++edges[{std::min(a, b), std::max(a, b)}];
  }
  for (const auto& [pair, count] : edges)
    out += fmt::format("  a{} -- a{}{};\n", pair.first, pair.second,
                       count > 1 ? fmt::format(" [label=\"{}\"]", count) : "");
  return out + "}\n";
}

namespace {

/// Every path that a circuit of a fabric's optical switch could take, a line each.
std::string path_text(const Model& model) {
  std::string out;
  for (std::uint32_t id = 0; id < model.components.size(); ++id) {
    const ComponentRecord& ocs = model.components[id];
    const auto* traits = dynamic_cast<const OpticalSwitchTraits*>(model.specs[ocs.spec].get());
    if (!traits) continue;
    const PathLoss loss{traits->path_loss(), traits->path_loss_spread(), traits->port_drift_spread()};
    const auto light_at = [&](std::uint32_t port, bool outwards) -> const LinkLight* {
      const LinkId link = model.ports[ocs.first_port + port].out;
      if (!link.is_valid()) return nullptr;
      const LinkClass& at = model.link_classes[model.links[link.value ^ (outwards ? 0u : 1u)].link_class];
      return at.medium == "optical" ? &at.light : nullptr;
    };
    for (std::uint32_t in = 0; in < ocs.port_count; ++in)
      for (std::uint32_t to = 0; to < ocs.port_count; ++to) {
        const LinkLight *from_light = light_at(in, false), *to_light = light_at(to, true);
        if (in == to || !from_light || !to_light) continue;
        const Decibel lost = loss.of(model.seed, ComponentId{id}, static_cast<std::uint16_t>(in),
                                     static_cast<std::uint16_t>(to));
        const Decibel margin{from_light->level_dbm - lost.value - to_light->needed_dbm};
        const double errors = pre_fec_bit_error_rate(margin);
        out += fmt::format("{} {:>4} -> {:<4} loss {:5.2f} dB  margin {:6.2f} dB  bit errors {:8.2e}{}\n",
                           model.component_name(ComponentId{id}), in, to, lost.value, margin.value, errors,
                           margin.value < 0 ? "  below the receiver's sensitivity" : "");
      }
  }
  return out;
}

}  // namespace

std::string budget_text(const Model& model) {
  std::string out;
  if (const auto* budgets = model.resource<LightBudgets>())
    for (const LightBudget& budget : budgets->budgets) out += (out.empty() ? "" : "\n") + budget.text();
  if (const std::string paths = path_text(model); !paths.empty())
    out += "\npaths through optical switches\n" + paths;
  return out;
}

}  // namespace lightrail
