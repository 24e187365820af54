#include "app/cli/message_parts.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/cli/message_model.hpp"
#include "components/switch/switch.hpp"
#include "engine/partition/partition.hpp"
#include "tests/support/network_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Servers of two NICs in pods of two leaves, the i-th NIC on the i-th leaf, and a spine for every two pods;
/// all spines have a cable to one core.
struct Pods {
  NetworkBed bed;
  std::vector<ComponentId> nics;

  Pods(std::uint32_t pods, std::uint32_t servers, SimTime latency = nanoseconds(130)) {
    for (std::uint32_t server = 0; server < pods * servers; ++server)
      for (const bool is_second : {false, true}) nics.push_back(bed.add_endpoint(0, 0, 0, is_second));
    const std::uint16_t host = bed.link_class(nanoseconds(10), BitRate{400'000'000'000}),
                        trunk = bed.link_class(latency, BitRate{400'000'000'000}),
                        to_core = bed.link_class(5 * latency, BitRate{400'000'000'000});
    const ComponentId core = add(latency);
    ComponentId spine{};
    for (std::uint32_t pod = 0; pod < pods; ++pod) {
      const ComponentId leaf[2] = {add(latency), add(latency)};
      if (pod % 2 == 0) bed.connect(spine = add(latency), 10, core, static_cast<PortIndex>(pod / 2), to_core);
      for (std::uint16_t rail = 0; rail < 2; ++rail) {
        for (std::uint32_t server = 0; server < servers; ++server)
          bed.connect(nics[2 * (pod * servers + server) + rail], 0, leaf[rail],
                      static_cast<PortIndex>(server), host);
        bed.connect(leaf[rail], 100, spine, static_cast<PortIndex>(2 * (pod % 2) + rail), trunk);
      }
    }
  }
  ComponentId add(SimTime latency) {
    auto spec = std::make_shared<SwitchSpec>();
    spec->latency = latency;
    const ComponentId id = bed.add(switch_kind(), spec, "switch");
    bed.route(id, SwitchRoute{});
    return id;
  }
  MessageParts parts() {
    const Model& model = bed.finish_model();
    const FabricPaths paths(model);
    return message_parts(model, paths, paths.attached());
  }
};

}  // namespace

TEST_CASE("a part of a fabric by messages has the servers that share leaves") {
  const MessageParts parts = Pods(3, 2).parts();
  CHECK(parts.count == 3);
  CHECK(parts.of_nic == std::vector<std::uint16_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
  // Two leaves, a spine and two cables; besides, another spine, the core and two long cables.
  CHECK(parts.between(0, 1) == nanoseconds((3 + 2) * 130));
  CHECK(parts.between(1, 2) == nanoseconds((5 + 2 + 10) * 130));
  CHECK(parts.between(2, 1) == parts.between(1, 2));
}

TEST_CASE("pods that are many share parts, and where paths take no time there is one") {
  const MessageParts parts = Pods(2 * MessageParts::most + 2, 1).parts();
  CHECK(parts.count <= MessageParts::most);
  CHECK(parts.of_nic.front() == 0);
  CHECK(parts.of_nic.back() == parts.count - 1);
  CHECK(std::is_sorted(parts.of_nic.begin(), parts.of_nic.end()));
  CHECK(std::count(parts.of_nic.begin(), parts.of_nic.end(), 7) == 3 * 2);

  const MessageParts one = Pods(3, 2, SimTime{0}).parts();
  CHECK(one.count == 1);
  CHECK(one.of_nic == std::vector<std::uint16_t>(12));
  CHECK(Pods(1, 5).parts().count == 1);
}

TEST_CASE("ranks that have whole parts of a fabric by messages have windows as long as its paths") {
  Pods pods(8, 4);
  const Model model = message_model(pods.bed.finish_model());
  const Partition partition = make_partition(model, 2, Partitioner::pods);
  CHECK(partition.lookahead >= nanoseconds(5 * 130));
  CHECK(make_partition(model, 2, Partitioner::stripes).lookahead == nanoseconds(10));
  CHECK(make_partition(model, 32, Partitioner::automatic).lookahead == nanoseconds(10));  // not as many pods
  CHECK(make_partition(model, 8, Partitioner::automatic).lookahead >= nanoseconds(5 * 130));
}
