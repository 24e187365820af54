#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/controller/rail_controller.hpp"
#include "network/wire/rail_control.hpp"
#include "tests/support/wire_messages.hpp"
#include "tests/unit/components/controller/commands.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// A rail of servers, GPUs and optical switch played by probes, 1 us of control network.
struct Rail {
  NetworkBed bed;
  ComponentId ocs, controller;
  std::vector<ComponentId> gpus;

  explicit Rail(std::uint32_t servers) {
    for (std::uint32_t s = 0; s < servers; ++s) gpus.push_back(bed.add_endpoint(s));
    ocs = bed.add_endpoint(servers);
    controller = bed.add(rail_controller_kind(), std::make_shared<RailControllerSpec>(), "controller");
    const auto wire = bed.link_class(microseconds(1), BitRate{400'000'000'000});
    bed.connect(controller, 0, ocs, 0, wire);
    for (std::uint32_t s = 0; s < servers; ++s)
      bed.connect(controller, static_cast<PortIndex>(1 + s), gpus[s], 0, wire);
    auto rails = std::make_shared<Rails>();
    rails->servers = servers;
    bed.finish_model().add<Rails>(rails);
  }
  void asks(std::uint32_t server, int us, std::uint32_t to) {
    bed.script(gpus[server], microseconds(us), 0, to_payload(rail_control::Request{.server = to}));
  }
  void releases(std::uint32_t server, int us) {
    bed.script(gpus[server], microseconds(us), 0, to_payload(rail_control::Released{}));
  }
  void lit(int us) { bed.script(ocs, microseconds(us), 0, to_payload(region_control::Lit{})); }
  /// What a GPU was told, and when [us].
  std::vector<std::pair<int, MessageKind>> told(std::uint32_t server) {
    std::vector<std::pair<int, MessageKind>> all;
    for (const Arrival& a : bed.arrivals(gpus[server]))
      all.emplace_back(static_cast<int>(a.time.count() / 1'000'000), kind_of(a.payload));
    return all;
  }
  /// Circuits of every command.
  std::vector<Circuits> commands() { return commands_to(bed, ocs); }
};

using Told = std::vector<std::pair<int, MessageKind>>;

}  // namespace

TEST_CASE("a circuit whose receiver is taken waits until its holder has released it") {
  for (const bool is_saved : {false, true}) {
    Rail rail(3);
    // At the start 0 -> 1 -> 2 -> 0. Asked for at 2 us, released at 21 us, guard of 10 us, light at 51 us.
    rail.asks(0, 1, 2);
    rail.releases(1, 20);
    rail.lit(50);
    rail.bed.run(is_saved ? microseconds(25) : time_never);
    CHECK(rail.told(1) == Told{{3, MessageKind::circuit_reclaim}});
    CHECK(rail.commands() == std::vector<Circuits>{{{0, 2}, {2, 0}}});
    CHECK(rail.bed.arrivals(rail.ocs).front().time == microseconds(32));
    CHECK(rail.told(0) == Told{{52, MessageKind::circuit_granted}});
    CHECK(rail.bed.waits().empty());
  }
}

TEST_CASE(
    "what becomes possible while the switch is dark goes with the next command, and holders are asked at "
    "once") {
  Rail rail(4);
  rail.asks(0, 1, 2);
  rail.asks(1, 5, 0);  // frees 2; 3 sends to 0
  rail.asks(3, 9, 1);  // frees 0, after the guard began; 1 is free since 0 asked
  rail.lit(40), rail.lit(90);
  rail.bed.run();
  CHECK(rail.told(3) == Told{{7, MessageKind::circuit_reclaim}, {92, MessageKind::circuit_granted}});
  CHECK(rail.commands() == std::vector<Circuits>{{{0, 2}, {2, 3}, {3, 0}}, {{0, 2}, {1, 0}, {2, 3}, {3, 1}}});
  CHECK(rail.told(0) == Told{{42, MessageKind::circuit_granted}});
  CHECK(rail.told(1) == Told{{3, MessageKind::circuit_reclaim}, {92, MessageKind::circuit_granted}});
}

TEST_CASE("a request that nobody answers says what it waits for") {
  Rail rail(3);
  rail.asks(0, 1, 2);
  rail.bed.run();
  CHECK(rail.bed.waits() ==
        std::vector<std::string>{
            "controller4: server 0 waits for a circuit to server 2, which gets light from server 1"});
}

TEST_CASE("a rail-controller outside a photonic rail is refused") {
  NetworkBed bed;
  bed.add_endpoint();
  bed.add(rail_controller_kind(), std::make_shared<RailControllerSpec>(), "controller");
  CHECK_THROWS_WITH(bed.run(),
                    Catch::Contains("a rail-controller belongs to a <fabric kind=\"photonic-rails\">"));
}

TEST_CASE("a rail passes control messages on to the server they are for") {
  Rail rail(3);
  rail.bed.script(rail.gpus[0], microseconds(1), 0,
                  train_payload(MessageKind::control, EndpointId{0}, EndpointId{2}, {}, 64, 1));
  rail.bed.run();
  CHECK(rail.bed.trains(rail.gpus[2], MessageKind::control).size() == 1);
}

TEST_CASE("the controller of a rail takes no message about a region's circuits, and names what it refuses") {
  for (const Payload& message : {to_payload(region_control::Begun{}), to_payload(region_control::Share{})}) {
    Rail rail(3);
    rail.bed.script(rail.gpus[1], microseconds(1), 0, message);
    CHECK_THROWS_WITH(
        rail.bed.run(),
        Catch::Contains(unexpected(message) +
                        " on port 2 from a GPU; the controller of a rail takes no such message"));
  }
  Rail rail(3);
  rail.bed.script(rail.ocs, microseconds(1), 0, to_payload(rail_control::Released{}));
  CHECK_THROWS_WITH(
      rail.bed.run(),
      Catch::Contains("unexpected message 'circuit released' on port 0 from its optical switch; "
                      "the controller of a rail takes no such message"));
}
