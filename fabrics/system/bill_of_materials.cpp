#include "fabrics/system/bill_of_materials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "engine/model/kind.hpp"
#include "engine/model/network_cost.hpp"
#include "engine/model/require_together.hpp"
#include "engine/scenario/scenario.hpp"
#include "links/cable_table.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail {

namespace {

struct PricesSpec {
  bool fill = false;
  bool panel = false;
  bool copper = false;
  bool nvlink = false;
  Dollars nvlink_port{}, circulator{};
};
/// What one port, module or fibre of a line rate costs.
struct PriceSpec {
  BitRate rate{};
  Dollars transceiver{}, nic{}, switch_port{}, ocs_port{}, panel_port{}, fibre{};
};

Describe<PricesSpec> prices_table() {
  return Describe<PricesSpec>()
      .field("nvlink", &PricesSpec::nvlink, "NVSwitches belong to the network, not to the servers")
      .field("nvlink-port", &PricesSpec::nvlink_port, "one GPU's share of NVSwitches and their cables")
      .field("circulator", &PricesSpec::circulator, "one circulator of a link that has them")
      .field("fill", &PricesSpec::fill, "unused switch ports carry a transceiver and half a fibre too")
      .field("copper", &PricesSpec::copper, "copper cables are priced as optical ones")
      .field("panel", &PricesSpec::panel, "the optical switches are patch panels");
}

Describe<PriceSpec> price_table() {
  using S = PriceSpec;
  return Describe<S>()
      .required("rate", &S::rate, "line rate it is for", BitRate{1}, BitRate{1'000'000'000'000'000})
      .required("transceiver", &S::transceiver, "one module")
      .required("nic", &S::nic, "one network adapter")
      .required("switch-port", &S::switch_port, "one port of a packet switch")
      .required("ocs-port", &S::ocs_port, "one port of an optical switch")
      .required("panel-port", &S::panel_port, "one port of a patch panel")
      .required("fibre", &S::fibre, "one fibre link");
}

const Spec& spec_of(const Model& model, const ComponentRecord& record) {
  return *model.specs[record.spec];
}

double watts_of(const Spec& spec) {
  const DeviceTraits* traits = traits_of(spec);
  return traits ? traits->electrical_power().value : 0;
}

/// Ports that the device has, or that are joined where it has any number of them.
std::uint32_t ports_of(const Spec& spec, const ComponentRecord& record) {
  const DeviceTraits* traits = traits_of(spec);
  return traits && traits->radix() > 0 ? traits->radix() : record.port_count;
}

class Counter {
 public:
  Counter(const Model& model, const PricesSpec& spec) : model_(model), spec_(spec) {}

  /// Line rate of the network: of the links at NICs; power by component.
  void count() {
    const auto& cables = *model_.resource<CableTable>();
    for (const ComponentRecord& record : model_.components) {
      const Spec& spec = spec_of(model_, record);
      switch (role_of(spec)) {
        case DeviceRole::nic:
          add("nics", 1, watts_of(spec));
          break;
        case DeviceRole::optical_switch:
          ocs_power_ += watts_of(spec);
          break;
        case DeviceRole::nvswitch:
          if (spec_.nvlink) {
            const std::uint32_t ports = ports_of(spec, record);
            add("NVLink ports", ports, watts_of(spec) / ports);
          }
          break;
        case DeviceRole::packet_switch:
          add("switch ports", record.port_count, watts_of(spec) / record.port_count);
          for (std::uint32_t port = 0; port < record.port_count; ++port)
            if (!model_.ports[record.first_port + port].out.is_valid() && spec_.fill) ++spare_;
          break;
        case DeviceRole::gpu:
        case DeviceRole::host:
        case DeviceRole::storage:
        case DeviceRole::gateway:
        case DeviceRole::controller:
        case DeviceRole::other:
          break;  // no part of the network
      }
    }
    for (std::size_t l = 0; l < model_.links.size(); l += 2) {
      const LinkClass& link = model_.link_classes[model_.links[l].link_class];
      const std::uint32_t index = cables.cable_of_class[model_.links[l].link_class];
      if (index == no_cable || (link.medium != "optical" && !(spec_.copper && link.medium == "electrical")))
        continue;
      ++fibres_;
      if (cables.cables[index].optics) circulators_ += cables.cables[index].optics->circulators;
      for (const ComponentId end : {model_.links[l].from, model_.links[l].to}) {
        if (role_of(spec_of(model_, model_.components[end.value])) == DeviceRole::optical_switch) {
          ++ocs_ports_;
          continue;
        }
        const auto& optics = cables.cables[index].optics;
        add("transceivers", 1, optics ? optics->transceiver.power.value : 0);
      }
      if (cables.cables[index].optics) line_rate_ = std::max(line_rate_, cables.cables[index].optics->rate);
      line_rate_ = std::max(line_rate_, nearest_rate(link.rate));
    }
  }

  [[nodiscard]] BitRate line_rate() const { return line_rate_; }
  [[nodiscard]] bool has_circulators() const { return circulators_ > 0; }

  [[nodiscard]] BillOfMaterials bill(const PriceSpec& price) const {
    BillOfMaterials bill;
    const auto line = [&](const char* what, std::int64_t count, Dollars each, double power) {
      if (count > 0) bill.lines.push_back({what, count, each, Watts{power / static_cast<double>(count)}});
    };
    const auto of = [&](const char* what) {
      const auto it = parts_.find(what);
      return it == parts_.end() ? Part{} : it->second;
    };
    const Part nics = of("nics"), ports = of("switch ports"), modules = of("transceivers");
    const double module_power = modules.count > 0 ? modules.power / static_cast<double>(modules.count) : 0;
    bill.nic_rate = BitRate{nics.count * line_rate_.value};
    line("NICs", nics.count, price.nic, nics.power);
    line("packet switch ports", ports.count, price.switch_port, ports.power);
    line("transceivers", modules.count + spare_, price.transceiver,
         module_power * static_cast<double>(modules.count + spare_));
    line(spec_.panel ? "patch panel ports" : "optical switch ports", ocs_ports_,
         spec_.panel ? price.panel_port : price.ocs_port, ocs_power_);
    line("circulators", circulators_, spec_.circulator, 0);
    line("NVLink ports", of("NVLink ports").count, spec_.nvlink_port, of("NVLink ports").power);
    line("fibres", fibres_ + (spare_ + 1) / 2, price.fibre, 0);
    return bill;
  }

 private:
  struct Part {
    std::int64_t count = 0;
    double power = 0;
  };
  void add(const char* what, std::int64_t count, double power_each) {
    parts_[what].count += count;
    parts_[what].power += power_each * static_cast<double>(count);
  }
  /// Payload rates are a little below the line rate.
  static BitRate nearest_rate(BitRate payload) {
    for (const std::int64_t gbps : {10, 25, 40, 50, 100, 200, 400, 800, 1600})
      if (payload.value <= gbps * 1'000'000'000) return BitRate{gbps * 1'000'000'000};
    return payload;
  }

  const Model& model_;
  const PricesSpec& spec_;
  std::map<std::string, Part> parts_;
  std::int64_t spare_ = 0, fibres_ = 0, ocs_ports_ = 0, circulators_ = 0;
  double ocs_power_ = 0;
  BitRate line_rate_{};
};

ModelPart part_of(BillOfMaterials bill) {
  ModelPart part;
  part.resources.add(
      std::make_shared<const NetworkCost>(NetworkCost{bill.cost(), bill.power(), bill.pj_per_bit()}));
  part.resources.add(std::make_shared<const BillOfMaterials>(std::move(bill)));
  return part;
}

}  // namespace

ModelPart price_network(const Element& prices, const Model& model, ErrorList& errors) {
  const std::size_t before = errors.size();
  PricesSpec spec;
  prices_table().parse(prices, spec, errors);
  require_together(prices, {{"nvlink", "nvlink-port"}}, errors);
  std::vector<PriceSpec> known;
  for (const Element* price : prices.children_named("price")) {
    PriceSpec one;
    price_table().parse(*price, one, errors);
    if (std::any_of(known.begin(), known.end(), [&](const PriceSpec& p) { return p.rate == one.rate; }))
      errors.add(
          price->error(fmt::format("<prices> has two <price> for links of {}", format_value(one.rate))));
    known.push_back(one);
    for (const Element* source : price->children_named("source")) source->find("text");
  }
  if (errors.size() > before || !model.resource<CableTable>()) return {};
  Counter counter(model, spec);
  counter.count();
  if (counter.has_circulators() && !prices.find("circulator")) {
    errors.add(prices.error("<prices> has no 'circulator', and there are links with circulators"));
    return {};
  }
  for (const PriceSpec& price : known)
    if (price.rate == counter.line_rate()) return part_of(counter.bill(price));
  errors.add(prices.error(
      fmt::format("<prices> has no <price> for links of {}", format_value(counter.line_rate()))));
  return {};
}

std::string bill_text(const Model& model) {
  const auto* bill = model.resource<BillOfMaterials>();
  if (!bill) return "";
  std::string out = fmt::format("{:<24} {:>10} {:>12} {:>16} {:>14}\n", "part", "count", "each [$]",
                                "cost [$]", "power [W]");
  for (const BillOfMaterials::Line& line : bill->lines)
    out += fmt::format("{:<24} {:>10} {:>12.2f} {:>16.2f} {:>14.1f}\n", line.what, line.count,
                       line.each.value, line.cost().value, line.power().value);
  return out +
         fmt::format("{:<24} {:>10} {:>12} {:>16.2f} {:>14.1f}\n", "sum", "", "", bill->cost().value,
                     bill->power().value) +
         fmt::format("{:.1f} pJ a bit when every NIC sends\n", bill->pj_per_bit());
}

std::vector<std::pair<std::string, std::vector<ParameterDoc>>> price_documentation() {
  return {{"prices", prices_table().documentation()}, {"price", price_table().documentation()}};
}

}  // namespace lightrail
