#include "components/gpu/transport/paths/rail_owners.hpp"

namespace lightrail {

RailOwners::RailOwners(const AddressBook& book, EndpointId gpu) {
  const auto [first, end] = book.gpus_of_server(gpu);
  for (std::uint32_t g = first; g < end; ++g)
    for (std::uint32_t i = 0; i < book.nics(EndpointId{g}); ++i) {
      const AddressBook::Entry& entry = book[book.address(EndpointId{g}, i)];
      if (!entry.lid.is_valid()) continue;
      if (entry.nic >= owner_.size()) owner_.resize(entry.nic + 1u, none);
      if (owner_[entry.nic] == none) owner_[entry.nic] = entry.local;
    }
}

}  // namespace lightrail
