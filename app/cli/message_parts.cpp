#include "app/cli/message_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "engine/partition/groups.hpp"

namespace lightrail {
namespace {

/// By NIC: which pod, counted in the order of their first NICs.
std::vector<std::uint32_t> pods_of(const Model& model, const FabricPaths& paths,
                                   const std::vector<FabricPaths::Attached>& nics) {
  Groups together(std::vector<std::int64_t>(model.atom_count + paths.switches()));  // servers, then switches
  const auto server_of = [&](const FabricPaths::Attached& nic) {
    return model.components[nic.nic.value].atom.value;
  };
  for (const FabricPaths::Attached& nic : nics)
    together.unite(server_of(nic), model.atom_count + nic.switch_index);
  std::unordered_map<std::uint32_t, std::uint32_t> number;  // looked up, never iterated
  std::vector<std::uint32_t> pods;
  for (const FabricPaths::Attached& nic : nics)
    pods.push_back(
        number.try_emplace(together.find(server_of(nic)), static_cast<std::uint32_t>(number.size()))
            .first->second);
  return pods;
}

/// By part: the switches that its NICs are joined to.
std::vector<std::vector<std::uint32_t>> leaves_of(const MessageParts& parts,
                                                  const std::vector<FabricPaths::Attached>& nics) {
  std::vector<std::vector<std::uint32_t>> leaves(parts.count);
  for (std::size_t i = 0; i < nics.size(); ++i) leaves[parts.of_nic[i]].push_back(nics[i].switch_index);
  for (std::vector<std::uint32_t>& some : leaves) {
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
  }
  return leaves;
}

}  // namespace

MessageParts message_parts(const Model& model, const FabricPaths& paths,
                           const std::vector<FabricPaths::Attached>& nics) {
  MessageParts parts;
  const std::vector<std::uint32_t> pods = pods_of(model, paths, nics);
  const std::uint32_t count = 1 + *std::max_element(pods.begin(), pods.end());
  const std::uint32_t together = (count + MessageParts::most - 1) / MessageParts::most;  // pods of a part
  parts.count = static_cast<std::uint16_t>((count + together - 1) / together);
  for (const std::uint32_t pod : pods) parts.of_nic.push_back(static_cast<std::uint16_t>(pod / together));
  const std::vector<std::vector<std::uint32_t>> leaves = leaves_of(parts, nics);
  for (const std::vector<std::uint32_t>& from : leaves) {
    const std::vector<SimTime> nearest = paths.nearest(from);
    for (const std::vector<std::uint32_t>& to : leaves) {
      SimTime least = time_never;
      for (const std::uint32_t leaf : to) least = std::min(least, nearest[leaf]);
      parts.apart.push_back(least);
    }
  }
  const bool has_links = std::all_of(parts.apart.begin(), parts.apart.end(), [](SimTime path) {
    return path > SimTime{0};  // as every link has to
  });
  if (!has_links) return {1, std::vector<std::uint16_t>(nics.size()), {SimTime{0}}};
  return parts;
}

}  // namespace lightrail
