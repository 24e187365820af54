#include "fabrics/clos/clos_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "fabrics/clos/fabric_layout.hpp"
#include "fabrics/fabric_kind.hpp"

namespace lightrail {

std::optional<ClosParts> read_clos_parts(const FabricBuild& fabric) {
  const std::optional<Part> part = read_switch(fabric);
  const auto host = fabric.links.cable("host", Need::required);
  const auto trunk = fabric.links.cable("trunk", Need::optional);
  const auto core = fabric.links.cable("core", Need::optional);
  if (!part || !host) return std::nullopt;
  return ClosParts{*part, *host, trunk, core};
}

void refuse_useless(const FabricBuild& fabric, std::uint32_t tiers,
                    std::initializer_list<const char*> with_two,
                    std::initializer_list<const char*> with_three) {
  const auto refuse = [&](std::initializer_list<const char*> names, const char* why) {
    for (const char* name : names)
      if (const Attribute* attribute = fabric.element.find(name))
        fabric.errors().add({attribute->file, attribute->line,
                             fmt::format("<fabric> attribute '{}' has no effect {}", name, why)});
  };
  if (tiers < 3) {
    refuse({"cores"}, "without tiers=\"3\"");
    refuse(with_three, "without tiers=\"3\"");
  }
  if (tiers < 2) {
    refuse({"spines"}, "with one tier");
    if (const Attribute* ratio = fabric.element.find("oversubscription"); ratio && ratio->value != "1")
      refuse({"oversubscription"}, "with one tier");
    refuse(with_two, "with one tier");
  }
}

LeafFill leaf_fill(const FabricBuild& fabric, const ClosSpec& spec, const Part& part,
                   std::uint32_t nics_per_leaf) {
  if (nics_per_leaf > 0) return {nics_per_leaf, false};
  return {std::max(default_down(part.radix, spec.oversubscription), 1u),
          fabric.element.find("oversubscription") != nullptr};
}

namespace {

/// NICs whose ports the fabric does not take as they are.
void check_ports(const FabricBuild& fabric, const ClosSpec& spec) {
  const bool is_dual = spec.dual_tor != DualTor::off;
  for (const NicPlace& place : fabric.nics) {
    const std::uint32_t ports = fabric.builder.fabric_ports(place.nic);
    if ((ports > 1) == is_dual) continue;
    const std::string name = fabric.builder.model().component_name(place.nic);
    const std::string what =
        is_dual
            ? fmt::format("<fabric> attribute 'dual-tor': {} has one port (expected <nic ports=\"2\">)", name)
            : fmt::format(R"(<fabric> joins {}, which has {} ports (expected dual-tor="joined" or "planes"))",
                          name, ports);
    return fabric.errors().add(is_dual ? fabric.element.error_at("dual-tor", what)
                                       : fabric.element.error(what));
  }
  if (spec.dual_tor == DualTor::joined && spec.tiers < 2)
    fabric.errors().add(fabric.element.error_at(
        "dual-tor",
        "<fabric> attribute 'dual-tor': with one tier nothing joins two leaves (expected planes)"));
}

}  // namespace

bool refuse_empty_group(const FabricBuild& fabric, const ClosSpec& spec, const Part& part,
                        std::uint32_t leaves_per_group, std::uint32_t rails) {
  if (spec.tiers < 3 || leaves_per_group > 0) return false;
  fabric.fail(fmt::format("a spine of {} ports, half of them down, cannot join a pod of {} rails", part.radix,
                          rails));
  return true;
}

std::uint32_t leaves_per_group(const FabricBuild& fabric, const ClosSpec& spec, std::uint32_t asked,
                               std::uint32_t radix) {
  const std::uint32_t twins = twins_of(spec);
  if (asked % twins != 0)
    fabric.errors().add(fabric.element.error_at(
        "leaves-per-group", fmt::format("<fabric> attribute 'leaves-per-group': {} leaves do not divide into "
                                        "pairs (dual-tor=\"joined\")",
                                        asked)));
  return (asked ? asked : radix / 2) / twins;
}

void build_clos_networks(FabricBuild& fabric, const ClosSpec& spec, const ClosParts& parts, LeafFill fill,
                         std::uint32_t leaves_per_group, const std::vector<LeafPlan>& plans) {
  FabricLayout layout{fabric.kind.name,         spec.tiers, spec.oversubscription,
                      fabric.element.error(""), {},         fabric.role};
  if (const Attribute* asked = fabric.element.find("oversubscription")) {
    layout.is_asked = true;
    layout.place = {asked->file, asked->line, ""};
  }
  check_ports(fabric, spec);
  if (fabric.has_errors()) return;
  if (spec.dual_tor != DualTor::off) layout.nic_ports = max_fabric_ports;
  const std::uint32_t planes = spec.dual_tor == DualTor::planes ? max_fabric_ports : 1;
  const std::uint32_t first_lid = fabric.counter.next_lid;
  for (std::uint32_t k = 0; k < planes * plans.size(); ++k) {
    const std::uint32_t plane = k / static_cast<std::uint32_t>(plans.size());
    const LeafPlan& by_nics = plans[k % plans.size()];
    if (k % plans.size() == 0) fabric.counter.next_lid = first_lid;  // planes have the same NICs
    const LeafPlan plan = twins_of(spec) > 1 ? by_nics.with_twins() : by_nics;
    ClosRequest request{
        parts.part.radix, spec.tiers, spec.oversubscription, fill.most, leaves_per_group * twins_of(spec),
        spec.spines,      spec.cores, fill.is_even};
    if (fill.is_even) request.nics_per_leaf = largest_leaf(plan);
    if (spec.tiers == 1) request.nics_per_leaf = static_cast<std::uint32_t>(plan.nics.size());
    ClosShape shape;
    for (const std::string& text : shape_clos(request, plan.leaves_by_group(), shape))
      fabric.fail("<fabric> does not fit: " + text);
    if (fabric.has_errors()) return;
    if (shape.spines > 0 && !parts.trunk) return fabric.fail("<fabric> lacks a <link role=\"trunk\">");
    const ClosCables cables{parts.host, parts.trunk.value_or(0),
                            parts.core.value_or(parts.trunk.value_or(0))};
    build_clos(plan, shape, parts.part, cables, fabric, plane);
    layout.networks.push_back({plan.nics_by_leaf(), plan.leaves_by_group(), plan.pods, shape});
    fabric.counter.next_lid += plan.nic_count();
  }
  fabric.layouts.push_back(std::move(layout));
}

}  // namespace lightrail
