#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

#include "tests/unit/fabrics/test_system.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Servers of four GPUs with four NICs, and two storage NICs behind the host.
std::string storage_cluster(int servers) {
  std::string text = cluster(servers, 4, 4, "<nvswitch/><host/><nic role=\"storage\"/>");
  return text.insert(text.find("<server ") + 8, "storage-nics=\"2\" ");
}

const std::string storage_servers =
    "<storage servers=\"1\"><storage-server/><nic/><link role=\"pcie\" kind=\"pcie\" "
    "generation=\"4\"/></storage>";

}  // namespace

TEST_CASE("a server has its ports where every component expects them") {
  const Model model = system(cluster(2, 4, 4, "<nvswitch/><host/>") + fabric("kind=\"single-switch\"", 64));
  expect_sound(model);
  const ComponentId host = find(model, "host8");
  for (std::uint32_t l = 0; l < 4; ++l) {
    const ComponentId gpu = find(model, "gpu" + std::to_string(l));
    CHECK(far_end(model, gpu, 0) == find(model, "nvswitch0"));
    CHECK(far_end(model, gpu, 1) == find(model, "nic" + std::to_string(l)));
    CHECK(far_end(model, gpu, 2) == host);
    CHECK(far_end(model, find(model, "nvswitch0"), l) == gpu);
    CHECK(far_end(model, host, l) == gpu);
    const ComponentId nic = find(model, "nic" + std::to_string(l));
    CHECK(far_end(model, host, 4 + l) == nic);
    CHECK(far_end(model, nic, 0) == find(model, "switch0"));
    CHECK(far_end(model, nic, 1) == gpu);
    CHECK(far_end(model, nic, 2) == host);
  }
}

TEST_CASE("endpoints are GPUs, then hosts, then storage servers") {
  const Model model = system(cluster(2, 2, 2, "<nvswitch/><host/>") + cluster(1, 4, 1, "<nvswitch/>") +
                             "<storage servers=\"2\"><storage-server/><nic/><link role=\"pcie\" "
                             "kind=\"pcie\" generation=\"4\"/></storage>" +
                             fabric("kind=\"fat-tree\"", 8));
  expect_sound(model);
  const auto& book = *model.resource<AddressBook>();
  CHECK(book.gpu_count == 8);
  REQUIRE(book.endpoints.size() == 12);
  std::string names;
  for (ComponentId id : book.component_of) names += model.component_name(id) + " ";
  CHECK(names == "gpu0 gpu1 gpu2 gpu3 gpu4 gpu5 gpu6 gpu7 host8 host9 storage10 storage11 ");
  CHECK(book.endpoints[4].server == 2);
  CHECK(book.endpoints[7].local == 3);
  CHECK(book.endpoints[8].server == 0);
  CHECK(book.endpoints[11].server == 4);
  expect_all_reachable(model, true);
}

TEST_CASE("storage NICs are behind the host, on a fabric of their own with the storage servers") {
  const Model model = system(storage_cluster(2) + storage_servers + fabric("kind=\"single-switch\"", 64) +
                             fabric("for=\"storage\" kind=\"single-switch\"", 64));
  const auto& book = *model.resource<AddressBook>();
  REQUIRE(book.behind_host(NicRole::storage));
  CHECK(!book.behind_host(NicRole::frontend));
  const ComponentId host = find(model, "host8");
  for (std::uint32_t n = 0; n < 2; ++n) {
    const ComponentId nic = find(model, "storage-nic" + std::to_string(n));
    CHECK(far_end(model, host, 4 + 4 + n) == nic);
    CHECK(far_end(model, nic, 0) == find(model, "storage-switch0"));
    CHECK(far_end(model, nic, 1) == host);
  }
  // GPUs 0 and 1 use the first, 2 and 3 the second; the numbers go on behind those of the compute NICs.
  const auto& storage = *book.behind_host(NicRole::storage);
  CHECK(storage[EndpointId{1}].nic == 4);
  CHECK(storage[EndpointId{2}].nic == 5);
  CHECK(storage[EndpointId{0}].lid == storage[EndpointId{1}].lid);
  CHECK(storage[EndpointId{0}].lid == storage[EndpointId{8}].lid);
  CHECK(storage[EndpointId{0}].lid != storage[EndpointId{2}].lid);
  CHECK(storage[EndpointId{0}].lid != book[EndpointId{0}].lid);
  CHECK(storage[EndpointId{2}].server == book[EndpointId{2}].server);
  // The storage server is there and nowhere else.
  CHECK(storage[EndpointId{10}].lid.is_valid());
  CHECK(!book[EndpointId{10}].lid.is_valid());
  CHECK(far_end(model, find(model, "nic8"), 0) == find(model, "storage-switch0"));
  const auto& routes = *model.resource<RoutingTables>();
  CHECK(routes.of(find(model, "switch0")).role == NicRole::compute);
  CHECK(routes.of(find(model, "storage-switch0")).role == NicRole::storage);
}

TEST_CASE("storage and the front end are two networks behind the host, each with its servers") {
  std::string servers = storage_cluster(2);
  servers.insert(servers.find("<server ") + 8, "frontend-nics=\"1\" ");
  servers.insert(servers.find("</server>"), "<nic role=\"frontend\"/>");
  // What stands on the front end comes last, wherever it is named.
  std::string front = storage_servers;
  front.insert(8, " for=\"frontend\"");
  const Model model = system(servers + front + storage_servers + fabric("kind=\"single-switch\"", 64) +
                             fabric("for=\"frontend\" kind=\"single-switch\"", 64) +
                             fabric("for=\"storage\" kind=\"single-switch\"", 64));
  const auto& book = *model.resource<AddressBook>();
  const ComponentId host = find(model, "host8"), nic = find(model, "frontend-nic0");
  CHECK(far_end(model, host, 4 + 4 + 1) == find(model, "storage-nic1"));
  CHECK(far_end(model, host, 4 + 4 + 2) == nic);
  CHECK(far_end(model, nic, 0) == find(model, "frontend-switch0"));
  CHECK(far_end(model, nic, 1) == host);
  const AddressBook* storage = book.behind_host(NicRole::storage);
  const AddressBook* frontend = book.behind_host(NicRole::frontend);
  REQUIRE((storage && frontend));
  CHECK((*storage)[EndpointId{3}].nic == 5);
  CHECK((*frontend)[EndpointId{3}].nic == 6);
  CHECK((*frontend)[EndpointId{0}].lid == (*frontend)[EndpointId{3}].lid);
  CHECK(book.storage_count == 2);
  CHECK(book.frontend_storage == 1);
  CHECK(book.behind_host(EndpointId{10}) == storage);
  CHECK(book.behind_host(EndpointId{11}) == frontend);
  CHECK(book.behind_host(EndpointId{0}) == nullptr);
  CHECK(!(*storage)[EndpointId{11}].lid.is_valid());
  CHECK(far_end(model, find(model, "nic8"), 0) == find(model, "storage-switch0"));
  CHECK(far_end(model, find(model, "nic9"), 0) == find(model, "frontend-switch0"));
  const auto& routes = *model.resource<RoutingTables>();
  CHECK(routes.of(find(model, "frontend-switch0")).role == NicRole::frontend);
}

TEST_CASE(
    "gateways stand on the front end alone, behind all other devices, and the scheduler is joined to each") {
  std::string servers = storage_cluster(2);
  servers.insert(servers.find("<server ") + 8, "frontend-nics=\"1\" ");
  servers.insert(servers.find("</server>"), "<nic role=\"frontend\"/>");
  const std::string users =
      "<users servers=\"2\" nics=\"2\"><nic/><link role=\"pcie\" kind=\"pcie\" generation=\"4\"/></users>";
  const Model model = system(servers + users + storage_servers + fabric("kind=\"single-switch\"", 64) +
                                 fabric("for=\"frontend\" kind=\"single-switch\"", 64) +
                                 fabric("for=\"storage\" kind=\"single-switch\"", 64) + "<scheduler/>",
                             built_in_fabrics(), true);
  // 8 GPUs, 2 hosts, a storage server; the last NIC but four is that of the storage server.
  const auto& book = *model.resource<AddressBook>();
  const AddressBook* frontend = book.behind_host(NicRole::frontend);
  REQUIRE(frontend);
  CHECK(book.first_gateway == 11);
  CHECK(book.gateway_count == 2);
  CHECK(book.endpoints.size() == 13);
  CHECK(book.behind_host(EndpointId{10}) == book.behind_host(NicRole::storage));
  for (std::uint32_t m = 0; m < 2; ++m) {
    const EndpointId id{11 + m};
    const ComponentId gateway = find(model, "gateway" + std::to_string(id.value));
    CHECK(book.component_of[id.value] == gateway);
    CHECK(book.behind_host(id) == frontend);
    CHECK((*frontend)[id].lid.is_valid());
    CHECK(!book[id].lid.is_valid());
    CHECK(!(*book.behind_host(NicRole::storage))[id].lid.is_valid());
    CHECK((*frontend)[id].server == 3 + m);
    for (std::uint32_t n = 0; n < 2; ++n) {
      const ComponentId nic = find(model, "nic" + std::to_string(9 + 2 * m + n));
      CHECK(far_end(model, gateway, n) == nic);
      CHECK(far_end(model, nic, 0) == find(model, "frontend-switch0"));
    }
    CHECK(far_end(model, find(model, "scheduler0"), 8 + m) == gateway);
    CHECK(far_end(model, gateway, 2) == find(model, "scheduler0"));
  }
}

TEST_CASE("a server without storage NICs has no place in the storage fabric") {
  const Model model =
      system(storage_cluster(1) + cluster(1, 2, 2) + storage_servers + fabric("kind=\"single-switch\"", 64) +
             fabric("for=\"storage\" kind=\"single-switch\"", 64));
  const auto& storage = *model.resource<AddressBook>()->behind_host(NicRole::storage);
  CHECK(storage[EndpointId{0}].lid.is_valid());
  CHECK(!storage[EndpointId{4}].lid.is_valid());
  CHECK(storage[EndpointId{4}].server == 1);
}

TEST_CASE("one fabric joins storage servers too, and there is one book") {
  const Model model = system(cluster(2, 4, 4) + storage_servers + fabric("kind=\"single-switch\"", 64));
  CHECK(!model.resource<AddressBook>()->behind_host(NicRole::storage));
  CHECK(!model.resource<AddressBook>()->behind_host(EndpointId{8}));
  CHECK(far_end(model, find(model, "nic8"), 0) == find(model, "switch0"));
}

TEST_CASE("fewer NICs than GPUs are shared in order, more are spread") {
  const auto nics_of = [](int gpus, int nics) {
    const Model model = system(cluster(2, gpus, nics) + fabric("kind=\"single-switch\"", 64));
    const auto& book = *model.resource<AddressBook>();
    std::string text;
    for (int l = 0; l < gpus; ++l) {
      text += std::to_string(book.endpoints[l].nic) + " ";
      CHECK(far_end(model, book.component_of[l], 1) ==
            find(model, "nic" + std::to_string(book.endpoints[l].nic)));
    }
    expect_sound(model);
    return text;
  };
  CHECK(nics_of(8, 4) == "0 0 1 1 2 2 3 3 ");
  CHECK(nics_of(4, 8) == "0 2 4 6 ");
  CHECK(nics_of(3, 2) == "0 0 1 ");
  CHECK(nics_of(8, 1) == "0 0 0 0 0 0 0 0 ");
}

TEST_CASE("with two NICs a GPU each is at a port of its own and has an address and a lid of its own") {
  const Model model = system(cluster(2, 2, 4, "<nvswitch/><host/>") + fabric("kind=\"single-switch\"", 64));
  expect_sound(model);
  const auto& book = *model.resource<AddressBook>();
  CHECK(book.lid_count == 8);
  CHECK(book.endpoints.size() == 4 + 2 + 8);
  for (std::uint32_t g = 0; g < 4; ++g) {
    REQUIRE(book.nics(EndpointId{g}) == 2);
    const ComponentId gpu = find(model, "gpu" + std::to_string(g));
    for (std::uint32_t i = 0; i < 2; ++i) {
      const auto& entry = book[book.address(EndpointId{g}, i)];
      const ComponentId nic = find(model, "nic" + std::to_string(2 * g + i));
      CHECK(far_end(model, gpu, i == 0 ? 1 : 5) == nic);
      CHECK(far_end(model, nic, 1) == gpu);
      CHECK(entry.nic == 2 * (g % 2) + i);
      CHECK(entry.server == g / 2);
      CHECK(entry.lid == Lid{2 * g + i});
    }
  }
}

TEST_CASE("GPUs that share a NIC share its lid") {
  const Model model = system(cluster(2, 4, 2) + fabric("kind=\"single-switch\"", 64));
  const auto& book = *model.resource<AddressBook>();
  CHECK(book.lid_count == 4);
  CHECK(book.endpoints[0].lid == book.endpoints[1].lid);
  CHECK(book.endpoints[1].lid != book.endpoints[2].lid);
}

TEST_CASE("one server may stand alone without NICs") {
  const Model model = system(cluster(1, 8, 0));
  expect_sound(model);
  const auto& book = *model.resource<AddressBook>();
  CHECK(book.lid_count == 0);
  CHECK(!book.endpoints[0].lid.is_valid());
  CHECK(!far_end(model, find(model, "gpu0"), 1).is_valid());
}

TEST_CASE("one GPU alone is a system") {
  const Model model = system(cluster(1, 1, 0, ""));
  CHECK(model.components.size() == 1);
  CHECK(model.links.empty());
}

TEST_CASE("all parts of a server are one atom, every switch is its own") {
  const Model model = system(cluster(3, 4, 4, "<nvswitch/><host/>") + fabric("kind=\"single-switch\"", 64));
  CHECK(model.atom_count == 4);
  CHECK(model.components[find(model, "gpu4").value].atom ==
        model.components[find(model, "host13").value].atom);
}

TEST_CASE("a pipeline delay of a switch is on the links that end there and on no other") {
  std::string xml = cluster(2, 1, 1, "") + fabric("kind=\"single-switch\"", 64);
  xml.replace(xml.find("<switch "), 8, "<switch pipeline-latency=\"130 ns\" ");
  const Model model = system(xml),
              plain = system(cluster(2, 1, 1, "") + fabric("kind=\"single-switch\"", 64));
  const auto latency = [](const Model& m, const char* from, std::uint32_t port) {
    const LinkId out = m.ports[m.components[find(m, from).value].first_port + port].out;
    return m.link_classes[m.links[out.value].link_class].latency;
  };
  CHECK(latency(model, "nic0", 0) == latency(plain, "nic0", 0) + nanoseconds(130));
  CHECK(latency(model, "switch0", 0) == latency(plain, "switch0", 0));
}

TEST_CASE("packets and trains are cut as <network> says") {
  const Model model = system("<network mtu=\"1 KiB\" grain=\"4\" nvlink-grain=\"64\"/>" + cluster(1, 2, 0));
  REQUIRE(model.link_classes.size() == 1);
  CHECK(model.link_classes[0].mtu_bytes == 1024);
  CHECK(model.link_classes[0].grain == 64);
}

TEST_CASE("effective parameters of links, fabric and network are declared with their source") {
  const Model model =
      system("<network grain=\"4\"/>" + cluster(2, 1, 1, "") + fabric("kind=\"fat-tree\" tiers=\"3\"", 64));
  std::string text;
  for (const auto& [element, index, value] : model.parameters)
    if (value.name == "grain" || value.name == "mtu" || value.name == "tiers" ||
        (value.name == "length" && value.source != "default"))
      text +=
          element + " " + value.name + " " + value.value + (value.source == "default" ? " default; " : "; ");
  CHECK(text == "network mtu 4 KiB default; network grain 4; fabric tiers 3; link length 1 m; ");
  for (const auto& row : model.parameters)
    if (row.element == "link") CHECK(row.index < model.link_classes.size());
}
