#include "network/health/spare_servers.hpp"

#include <algorithm>

namespace lightrail {

SpareServers::SpareServers(const AddressBook& book, const ServerHealth& health, std::vector<bool> in_use,
                           const std::vector<std::uint32_t>& spares, SimTime detection)
    : book_(&book) {
  for (std::uint32_t e = 0; e < book.first_storage; ++e) {
    const std::uint32_t server = book.endpoints[e].server;
    if (server >= servers_.size()) servers_.resize(server + 1);
    std::uint32_t& first = e < book.gpu_count ? servers_[server].first_gpu : servers_[server].host;
    first = std::min(first, e);
  }
  in_use.resize(servers_.size());
  std::vector<bool> is_taken(servers_.size());
  for (const ServerFailure& failure : health.failures()) {
    if (!in_use[failure.server] || failure.span.up - detection <= failure.span.down) continue;
    const SimTime found = failure.span.down + detection;
    const auto spare = std::find_if(spares.begin(), spares.end(), [&](std::uint32_t server) {
      return !is_taken[server] && !health.failure_at(server, failure.span.down) &&
             !health.failure_at(server, found);
    });
    if (spare == spares.end()) continue;
    is_taken[*spare] = true;
    in_use[failure.server] = false, in_use[*spare] = true;
    replaced_.push_back({failure.server, *spare, failure.span.down});
  }
}

std::uint32_t SpareServers::in_place_of(std::uint32_t server, SimTime now) const {
  for (const Replacement& one : replaced_)
    if (one.server == server && one.from <= now) server = one.by;
  return server;
}

std::uint32_t SpareServers::place_of(std::uint32_t server) const {
  // From the last one back. NOLINTNEXTLINE(modernize-loop-convert)
  for (auto one = replaced_.rbegin(); one != replaced_.rend(); ++one)
    if (one->by == server) server = one->server;
  return server;
}

EndpointId SpareServers::moved(EndpointId endpoint, std::uint32_t to) const {
  if (endpoint.value < book_->gpu_count) return EndpointId{servers_[to].first_gpu + (*book_)[endpoint].local};
  return EndpointId{servers_[to].host};
}

EndpointId SpareServers::physical(EndpointId endpoint, SimTime now) const {
  if (replaced_.empty() || endpoint.value >= book_->first_storage) return endpoint;
  const std::uint32_t server = (*book_)[endpoint].server, to = in_place_of(server, now);
  return to == server ? endpoint : moved(endpoint, to);
}

EndpointId SpareServers::logical(EndpointId endpoint) const {
  if (replaced_.empty() || endpoint.value >= book_->first_storage) return endpoint;
  const std::uint32_t server = (*book_)[endpoint].server, of = place_of(server);
  return of == server ? endpoint : moved(endpoint, of);
}

}  // namespace lightrail
