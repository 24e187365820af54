#include "components/gpu/transport/paths/rail_owners.hpp"

namespace lightrail {

RailOwners::RailOwners(const AddressBook& book, EndpointId gpu) {
  // GPUs of a server are neighbours in the address book.
  const std::uint32_t server = book[gpu].server;
  std::uint32_t first = gpu.value;
  while (first > 0 && book.endpoints[first - 1].server == server) --first;
  for (std::uint32_t g = first; g < book.gpu_count && book.endpoints[g].server == server; ++g)
    for (std::uint32_t i = 0; i < book.nics(EndpointId{g}); ++i) {
      const AddressBook::Entry& entry = book[book.address(EndpointId{g}, i)];
      if (!entry.lid.is_valid()) continue;
      if (entry.nic >= owner_.size()) owner_.resize(entry.nic + 1u, none);
      if (owner_[entry.nic] == none) owner_[entry.nic] = entry.local;
    }
}

}  // namespace lightrail
