#include "fabrics/clos/fabric_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "engine/base/counted.hpp"
#include "network/wire/nic_role.hpp"

namespace lightrail {
namespace {

std::string leaves(std::uint32_t count) {
  return counted(count, "leaf", "leaves");
}

/// How many leaves have so many NICs, the fullest first.
std::map<std::uint32_t, std::uint32_t, std::greater<>> leaves_by_size(const FabricLayout::Network& network) {
  std::map<std::uint32_t, std::uint32_t, std::greater<>> count;
  for (const std::uint32_t nics : network.nics) ++count[nics];
  return count;
}

std::string ratio_text(std::uint32_t nics, std::uint32_t up) {
  return fmt::format("{:.3g}:1", static_cast<double>(nics) / up);
}

/// `tiers`: that were asked for.
std::string network_text(const FabricLayout::Network& network, std::uint32_t tiers) {
  const ClosShape& shape = network.shape;
  std::string text;
  for (const auto& [nics, count] : leaves_by_size(network))
    text += fmt::format(
        "  {} of {}{}\n", shape.spines > 0 ? leaves(count) : counted(count, "switch", "switches"),
        counted(nics, "NIC"),
        shape.up > 0 ? fmt::format(" and {}, {}", counted(shape.up, "uplink"), ratio_text(nics, shape.up))
                     : "");
  if (network.pods > 0)
    text += fmt::format("  {}, a leaf for each rail in each\n", counted(network.pods, "pod"));
  if (shape.spines == 0) return text + (tiers > 1 ? "  one leaf has all NICs: no spines\n" : "");
  if (shape.cores_per_plane == 0)
    return text + fmt::format("  {}, {} from each leaf to each\n{}", counted(shape.spines, "spine"),
                              counted(shape.leaf_links, "link"),
                              tiers > 2 ? "  one group has all leaves: no cores\n" : "");
  return text + fmt::format(
                    "  {} of {} leaves, {} each, {} from each leaf to each\n"
                    "  {}, {} from each spine of its plane to each\n",
                    counted(shape.groups, "group"), fmt::join(network.leaves_by_group, ", "),
                    counted(shape.spines, "spine"), counted(shape.leaf_links, "link"),
                    counted(shape.spines * shape.cores_per_plane, "core"),
                    counted(shape.spine_links, "link"));
}

/// What of one network is not as asked for; "" when all is.
std::string problem(const FabricLayout::Network& network, double oversubscription) {
  if (network.nics.size() == 1 && oversubscription <= 1) return "";
  if (network.nics.size() == 1)
    return fmt::format("all {} NICs are on one leaf, where nothing is oversubscribed", network.nics[0]);
  const std::uint32_t up = network.shape.up;
  const double tolerance = oversubscription <= 1 ? ratio_tolerance : told_ratio_tolerance;
  std::uint32_t count = 0, fewest = network.nics[0];
  for (const std::uint32_t nics : network.nics) {
    count += is_ratio_kept(nics, up, oversubscription, tolerance) ? 0 : 1;
    fewest = std::min(fewest, nics);
  }
  if (count == 0 || (oversubscription <= 1 && count < network.nics.size())) return "";
  return fmt::format("{} of {} {} fewer NICs for each uplink, down to {} for {}: {}", count,
                     leaves(static_cast<std::uint32_t>(network.nics.size())), count == 1 ? "has" : "have",
                     fewest, up, ratio_text(fewest, up));
}

}  // namespace

std::uint32_t built_tiers(const FabricLayout& layout) {
  std::uint32_t most = 1;
  for (const FabricLayout::Network& network : layout.networks)
    most = std::max(most, network.shape.cores_per_plane > 0 ? 3u : network.shape.spines > 0 ? 2u : 1u);
  return most;
}

bool has_spare_uplinks(const FabricLayout& layout) {
  if (layout.tiers < 2 || layout.is_asked) return false;
  return std::all_of(
      layout.networks.begin(), layout.networks.end(), [](const FabricLayout::Network& network) {
        return network.nics.size() > 1 &&
               std::none_of(network.nics.begin(), network.nics.end(),
                            [&](std::uint32_t nics) { return is_ratio_kept(nics, network.shape.up, 1); });
      });
}

std::string layout_text(const FabricLayout& layout) {
  const std::uint32_t built = built_tiers(layout);
  std::uint32_t nics = 0;
  for (const FabricLayout::Network& network : layout.networks)
    nics = std::accumulate(network.nics.begin(), network.nics.end(), nics);
  std::string text = fmt::format(
      "fabric {}{}: {}, {}{}\n", layout.kind,
      layout.role == NicRole::compute ? "" : " for " + name_of(layout.role),
      layout.nic_ports > 1
          ? fmt::format("{} of {} ports", counted(nics / layout.nic_ports, "NIC"), layout.nic_ports)
          : counted(nics, "NIC"),
      built < layout.tiers ? fmt::format("{} of {} tiers", built, layout.tiers)
                           : counted(layout.tiers, "tier"),
      layout.oversubscription > 1 ? fmt::format(", oversubscription {:g}", layout.oversubscription) : "");
  for (auto first = layout.networks.begin(); first != layout.networks.end();) {
    const auto last = std::find_if(first, layout.networks.end(), [&](const auto& n) { return n != *first; });
    if (layout.networks.size() > 1)
      text += fmt::format("  {}:\n", counted(static_cast<std::uint32_t>(last - first), "network by itself",
                                             "networks by themselves, each"));
    text += network_text(*first, layout.tiers);
    first = last;
  }
  return text;
}

std::vector<InputError> layout_warnings(const FabricLayout& layout) {
  std::vector<InputError> all;
  if (layout.tiers < 2 || !layout.is_asked) return all;
  for (const FabricLayout::Network& network : layout.networks) {
    std::string what = problem(network, layout.oversubscription);
    if (what.empty()) continue;
    InputError warning{layout.place.file, layout.place.line,
                       fmt::format("<fabric> attribute 'oversubscription': {:g} was asked for, but {}",
                                   layout.oversubscription, what)};
    if (all.empty() || all.back().what != warning.what) all.push_back(std::move(warning));
  }
  return all;
}

}  // namespace lightrail
