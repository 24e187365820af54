#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/prefetch.hpp"
#include "network/wire/by_role.hpp"

namespace lightrail {

/// How a GPU with several NICs spreads its messages over them.
enum class NicStriping : std::uint8_t {
  split,  ///< every message in equal parts, one a NIC
  flow    ///< every message whole, the NIC chosen by sender, receiver and channel
};

/// Where endpoints live. Endpoint ids are dense: GPUs first (0 ... gpu_count-1, server by server), then
/// hosts, storage servers and the gateways of users. 12 bytes an endpoint, the same on every rank.
/// Fabric builders number lids so that every subtree of a fabric is one interval of lids.
///
/// A GPU with several NICs has one more id for each of them behind all devices: its NIC addresses. A train
/// that goes to one takes that NIC; a train that comes from one belongs to that stripe of its message.
///
/// Where storage or the front end has a fabric of its own, a GPU is a lid there, too: that of the NIC of that
/// role which it uses. Those places are further books of the same endpoints. A storage server or gateway has
/// a lid in one of the books alone.
struct AddressBook {
  struct Entry {
    std::uint32_t server = 0;  ///< index of the server (atom-local domain); storage and gateways follow
    Lid lid{};                 ///< of the NIC port this endpoint receives on; invalid: no NIC
    std::uint16_t local = 0;   ///< index within the server (GPU number)
    std::uint16_t nic = 0;     ///< index within the server of its NIC (its rail), the first of several
  };
  std::vector<Entry> endpoints;
  std::uint32_t gpu_count = 0;
  std::uint32_t first_storage = 0, storage_count = 0;  ///< ids of storage servers, one after the other
  std::uint32_t frontend_storage = 0;                  ///< the last so many of them stand on the front end
  std::uint32_t first_gateway = 0, gateway_count = 0;  ///< ids of the machines of <users>, likewise
  std::vector<ComponentId> component_of;  ///< endpoint -> component, for names in messages and tables
  std::uint32_t lid_count = 0;
  NicStriping striping = NicStriping::split;
  /// As the fabrics of host_networks have them; null: there is none.
  ByRole<std::shared_ptr<const AddressBook>> networks;

  /// As the fabric of NICs of that role has the endpoints; null: there is none, or it is this one.
  [[nodiscard]] const AddressBook* behind_host(NicRole role) const { return networks[role].get(); }
  /// As the fabric behind hosts has them on which a storage server or gateway stands; null: `server` is on
  /// that of the GPUs.
  [[nodiscard]] const AddressBook* behind_host(EndpointId server) const;
  /// As the fabric of NICs of that role has the endpoints.
  [[nodiscard]] const AddressBook& of(NicRole role) const {
    return behind_host(role) ? *behind_host(role) : *this;
  }

  /// A hint for whoever will ask for `id`, which may be anything.
  void prefetch(EndpointId id) const { prefetch_line(endpoints.data() + id.value); }
  const Entry& operator[](EndpointId id) const { return endpoints[id.value]; }
  /// The GPUs of the server of a GPU: [first, end), neighbours here.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> gpus_of_server(EndpointId gpu) const;

  /// Adds the next NIC address of a GPU: after all devices, GPU by GPU in their order.
  EndpointId add_nic_address(EndpointId gpu, const Entry& entry);
  [[nodiscard]] bool has_nic_addresses() const { return !device_of_address_.empty(); }
  [[nodiscard]] bool is_nic_address(EndpointId id) const { return id.value >= first_address_; }
  /// The endpoint itself; of a NIC address, its GPU.
  [[nodiscard]] EndpointId device(EndpointId id) const {
    return is_nic_address(id) ? device_of_address_[id.value - first_address_] : id;
  }
  /// NICs that messages of a GPU are spread over: 1, or how many NIC addresses it has.
  [[nodiscard]] std::uint32_t nics(EndpointId gpu) const;
  /// Of NIC `nic` (< nics(gpu)) of a GPU; the GPU itself where it has no NIC addresses.
  [[nodiscard]] EndpointId address(EndpointId gpu, std::uint32_t nic) const;

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  std::uint32_t first_address_ = none;         ///< id of the first NIC address
  std::vector<EndpointId> device_of_address_;  ///< by id - first_address_
  std::vector<std::uint32_t> address_of_gpu_;  ///< by GPU: index of its first NIC address; as far as added
};

}  // namespace lightrail
