#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"

namespace lightrail {

/// Where endpoints live. Endpoint ids are dense: GPUs first (0 ... gpu_count-1, server by server), then
/// hosts, storage servers and whatever else sends messages. 12 bytes an endpoint, the same on every rank.
/// Fabric builders number lids so that every subtree of a fabric is one interval of lids.
struct AddressBook {
  struct Entry {
    std::uint32_t server = 0;  ///< index of the server (atom-local domain); storage servers follow
    Lid lid{};                 ///< of the NIC port this endpoint receives on; invalid: no NIC
    std::uint16_t local = 0;   ///< index within the server (GPU number)
    std::uint16_t nic = 0;     ///< index of its NIC within the server (its rail)
  };
  std::vector<Entry> endpoints;
  std::uint32_t gpu_count = 0;
  std::vector<ComponentId> component_of;  ///< endpoint -> component, for names in messages and tables
  std::uint32_t lid_count = 0;

  /// A hint for whoever will ask for `id`, which may be anything.
  void prefetch(EndpointId id) const { __builtin_prefetch(endpoints.data() + id.value); }
  const Entry& operator[](EndpointId id) const { return endpoints[id.value]; }
};

}  // namespace lightrail
