#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// Endpoints that are no GPUs: the host of every server and the storage servers in order. A Model resource.
struct IoEndpoints {
  std::vector<EndpointId> host_of_server;  ///< by server of the AddressBook; invalid: it has none
  std::vector<EndpointId> storage;         ///< Op::peer of storage operations counts these

  IoEndpoints() = default;
  /// By the component kinds "host" and "storage". Needs AddressBook.
  explicit IoEndpoints(const Model& model);
  [[nodiscard]] EndpointId host_of(std::uint32_t server) const {
    return server < host_of_server.size() ? host_of_server[server] : EndpointId{};
  }
};

}  // namespace lightrail
