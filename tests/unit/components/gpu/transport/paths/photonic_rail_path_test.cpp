#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "components/gpu/transport/gpu_transport.hpp"
#include "network/circuits/rails.hpp"
#include "network/transport/nic_returns.hpp"
#include "network/wire/rail_control.hpp"
#include "tests/support/wire_messages.hpp"
#include "tests/unit/components/gpu/sender.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr SimTime pcie = SenderBed::pcie, fibre = SenderBed::fibre;
/// A packet of 4,096 B at 400 Gb/s.
constexpr SimTime packet{81'920};

/// GPU 0 of three servers with its NIC on a rail; optical switch and controller are probes. At the start its
/// circuit leads to server 1.
struct RailSender : SenderBed {
  RailSender() : SenderBed(nic_spec()) {}
  static std::shared_ptr<const NicSpec> nic_spec() {
    auto spec = std::make_shared<NicSpec>();
    spec->message_rate = 1'000'000'000'000;
    spec->retransmit_timeout = microseconds(1);
    return spec;
  }
  void send(SimTime at, std::uint32_t to, std::int64_t bytes, bool is_by_gpu, std::uint32_t owner) {
    orders->send(at, to, bytes, is_by_gpu, owner);
  }
  /// The optical switch hands a packet for `to` back.
  void hand_back(SimTime at, std::uint32_t to, std::uint32_t bytes, MessageKind kind) {
    bed.script(ocs, at, 0, train_payload(kind, EndpointId{0}, EndpointId{to}, Connection{}, bytes, 1));
  }
  void run(SimTime save_at = time_never) {
    auto rails = std::make_shared<Rails>();
    rails->servers = 3;
    Model& model = bed.finish_model();
    model.add<Rails>(rails);
    model.add<NicReturns>(
        std::make_shared<NicReturns>(NicReturns{StrayTrains::to_gpu, LostTrains::from_gpu}));
    bed.run(save_at);
  }
  std::vector<Arrival> light() { return bed.trains(ocs); }
};

}  // namespace

TEST_CASE("what is sent again takes no completion of its flow's next message, whichever way that one goes") {
  for (const MessageKind back : {MessageKind::lost_train, MessageKind::corrupt_train}) {
    for (const bool is_by_gpu : {true, false}) {
      RailSender rail;
      rail.send(SimTime{0}, 1, 1000, is_by_gpu, 1);
      rail.hand_back(microseconds(20), 1, 1000, back);
      // Ten packets of the same flow: posted by the GPU itself just after it has the lost ones back, or given
      // to the proxy thread, which takes longer, just before.
      const SimTime again =
          microseconds(20) + fibre + pcie + (back == MessageKind::lost_train ? microseconds(1) : SimTime{0});
      rail.send(is_by_gpu ? again + nanoseconds(100) : again - nanoseconds(100), 1, 10 * 4096, is_by_gpu, 2);
      rail.run(again);
      const auto light = rail.light();
      REQUIRE(light.size() == 12);
      CHECK(frame_in(light[1].payload).bytes == 1000);
      CHECK(frame_in(light[11].payload).bytes == 4096);
      REQUIRE(rail.told.size() == 2);
      CHECK(rail.told[1] == std::pair{2u, light[11].time - fibre + packet + pcie});
    }
  }
}

TEST_CASE("what arrived corrupt waits for the circuit that leads to its receiver, as what was lost does") {
  for (const MessageKind back : {MessageKind::lost_train, MessageKind::corrupt_train}) {
    RailSender rail;
    rail.send(SimTime{0}, 1, 1000, true, 1);
    rail.send(microseconds(2), 2, 4096, true, 2);  // asks for the circuit to server 2
    rail.hand_back(microseconds(10), 1, 1000, back);
    rail.bed.script(rail.controller, microseconds(8), 0, to_payload(rail_control::Granted{.server = 2}));
    rail.bed.script(rail.controller, microseconds(30), 0, to_payload(rail_control::Granted{.server = 1}));
    rail.run();
    const auto asked = rail.bed.arrivals(rail.controller);
    REQUIRE(asked.size() == 2);
    CHECK(asked[0].payload == to_payload(rail_control::Request{.server = 2}));
    CHECK(asked[1].payload == to_payload(rail_control::Request{.server = 1}));
    const auto light = rail.light();
    REQUIRE(light.size() == 3);
    CHECK(frame_in(light[1].payload).address.to().value == 2);
    CHECK(frame_in(light[2].payload).address.to().value == 1);
    CHECK(light[2].time > microseconds(31));
    CHECK(rail.told.size() == 2);
  }
}
