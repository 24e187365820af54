#pragma once
#include <cstdint>

#include "engine/base/time.hpp"

namespace lightrail {

/// Model resource: every rail is an optical switch (photonic rails). NIC i of every server is on rail i, at
/// the port of the server's number; the light that it sends and the light that it gets are circuits of their
/// own. At the start server s sends to s + 1, the last one to the first.
struct Rails {
  std::uint32_t servers = 0;
  SimTime hold{};  ///< a circuit is given up when nothing has left on it for this long

  [[nodiscard]] std::uint32_t next(std::uint32_t server) const { return (server + 1) % servers; }
};

}  // namespace lightrail
