#include "workloads/collective/io_endpoints.hpp"

#include <string>

#include "engine/model/kind.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

IoEndpoints::IoEndpoints(const Model& model) {
  const auto* book = model.resource<AddressBook>();
  LIGHTRAIL_EXPECT(book);
  for (std::uint32_t e = book->gpu_count; e < book->endpoints.size(); ++e) {
    const std::string& kind = model.kinds[model.components[book->component_of[e].value].kind]->name;
    if (kind == "storage") storage.emplace_back(e);
    if (kind != "host") continue;
    const std::uint32_t server = book->endpoints[e].server;
    if (server >= host_of_server.size()) host_of_server.resize(server + 1);
    host_of_server[server] = EndpointId{e};
  }
}

}  // namespace lightrail
