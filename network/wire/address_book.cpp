#include "network/wire/address_book.hpp"

#include "engine/base/error.hpp"

namespace lightrail {

const AddressBook* AddressBook::behind_host(EndpointId server) const {
  const bool is_storage = server.value >= first_storage && server.value - first_storage < storage_count;
  const bool is_gateway = server.value >= first_gateway && server.value - first_gateway < gateway_count;
  if (!is_storage && !is_gateway) return nullptr;
  for (const NicRole role : host_networks)
    if (const AddressBook* book = behind_host(role); book && (*book)[server].lid.is_valid()) return book;
  return nullptr;
}

std::pair<std::uint32_t, std::uint32_t> AddressBook::gpus_of_server(EndpointId gpu) const {
  const std::uint32_t server = endpoints[gpu.value].server;
  std::uint32_t first = gpu.value, end = gpu.value + 1;
  while (first > 0 && endpoints[first - 1].server == server) --first;
  while (end < gpu_count && endpoints[end].server == server) ++end;
  return {first, end};
}

EndpointId AddressBook::add_nic_address(EndpointId gpu, const Entry& entry) {
  const EndpointId id{static_cast<std::uint32_t>(endpoints.size())};
  if (!has_nic_addresses()) first_address_ = id.value;
  LIGHTRAIL_EXPECT(gpu.value < gpu_count && address_of_gpu_.size() <= gpu.value + 1u);
  while (address_of_gpu_.size() <= gpu.value)
    address_of_gpu_.push_back(static_cast<std::uint32_t>(device_of_address_.size()));
  endpoints.push_back(entry);
  component_of.push_back(component_of[gpu.value]);
  device_of_address_.push_back(gpu);
  return id;
}

std::uint32_t AddressBook::nics(EndpointId gpu) const {
  if (gpu.value >= address_of_gpu_.size()) return 1;
  const std::uint32_t end = gpu.value + 1 < address_of_gpu_.size()
                                ? address_of_gpu_[gpu.value + 1]
                                : static_cast<std::uint32_t>(device_of_address_.size());
  return end == address_of_gpu_[gpu.value] ? 1 : end - address_of_gpu_[gpu.value];
}

EndpointId AddressBook::address(EndpointId gpu, std::uint32_t nic) const {
  return nics(gpu) == 1 ? gpu : EndpointId{first_address_ + address_of_gpu_[gpu.value] + nic};
}

}  // namespace lightrail
