#include <catch2/catch.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "network/circuits/regions.hpp"
#include "network/transport/nic_returns.hpp"
#include "network/wire/region_control.hpp"
#include "tests/support/wire_messages.hpp"
#include "tests/unit/components/gpu/sender.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr SimTime pcie = SenderBed::pcie, fibre = SenderBed::fibre, control = SenderBed::control;

/// The GPU of server 0 of a region of three, whose NIC has a circuit to server 1; optical switch and
/// controller are probes.
struct DelegateSender : SenderBed {
  explicit DelegateSender(SimTime retransmit_timeout = NicSpec{}.retransmit_timeout)
      : SenderBed(nic_spec(retransmit_timeout)) {
    bed.book().gpu_count = 3;
  }
  static std::shared_ptr<const NicSpec> nic_spec(SimTime retransmit_timeout) {
    auto spec = std::make_shared<NicSpec>();
    spec->retransmit_timeout = retransmit_timeout;
    return spec;
  }
  template <Message T>
  void command(SimTime at, const T& message) {
    bed.script(controller, at, 0, to_payload(message));
  }
  void run(bool is_controlled, SimTime save_at) {
    auto regions = std::make_shared<Regions>();
    regions->regions.resize(1);
    regions->regions[0].servers = {0, 1, 2};
    regions->regions[0].circuits = {{0, 1, 0, 0}};
    regions->place_of_server = {{0, 0}, {0, 1}, {0, 2}};
    regions->optical_nics = regions->gpu_of_nic = {0};
    regions->is_controlled = is_controlled;
    Model& model = bed.finish_model();
    model.add<Regions>(regions);
    model.add<NicReturns>(std::make_shared<NicReturns>(NicReturns{
        StrayTrains::to_gpu, is_controlled ? LostTrains::from_gpu : LostTrains::from_nic_then_gpu}));
    bed.run(save_at);
  }
};

}  // namespace

// 1,000 B leave at once and are told of, so that the GPU says "drained" when the pause comes at 6 us. They
// come back corrupt at 10 us: what the circuit of then carries is for its next owner, until circuits live
// again at 21 us.
TEST_CASE("what arrived corrupt is not replayed onto a circuit that was drained meanwhile") {
  DelegateSender sender;
  sender.orders->send(SimTime{0}, 1, 1000, true, 1);
  sender.command(microseconds(5), region_control::Pause{.epoch = 1});
  sender.bed.script(
      sender.ocs, microseconds(10), 0,
      train_payload(MessageKind::corrupt_train, EndpointId{0}, EndpointId{1}, Connection{}, 1000, 1));
  sender.command(microseconds(20), region_control::Circuit{.nic = 0, .member = 1});
  sender.command(microseconds(20), region_control::Live{.calls = 0, .epoch = 1});
  sender.run(true, microseconds(15));
  const auto answers = sender.bed.arrivals(sender.controller);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].payload == to_payload(region_control::Drained{.epoch = 1}));
  CHECK(answers[0].time < microseconds(10));
  const auto light = sender.bed.trains(sender.ocs);
  REQUIRE(light.size() == 2);
  CHECK(light[1].time > microseconds(21));
  CHECK(frame_in(light[1].payload).bytes == 1000);
  CHECK(sender.told.size() == 1);
}

// The replay is on its way to the circuit when the pause comes: "drained" waits for it.
TEST_CASE("a replay that goes on in time is drained like any message") {
  DelegateSender sender;
  sender.orders->send(SimTime{0}, 1, 1000, true, 1);
  sender.bed.script(
      sender.ocs, microseconds(10), 0,
      train_payload(MessageKind::corrupt_train, EndpointId{0}, EndpointId{1}, Connection{}, 1000, 1));
  const SimTime at_gpu = microseconds(10) + fibre + pcie;
  sender.command(at_gpu + nanoseconds(100) - control, region_control::Pause{.epoch = 1});
  sender.run(true, time_never);
  const auto light = sender.bed.trains(sender.ocs);
  REQUIRE(light.size() == 2);
  const auto answers = sender.bed.arrivals(sender.controller);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].time > light[1].time + pcie + control - fibre);
}

// Lost at 10 us, due 20 us later: the pause has come, and the circuit of then is for its next owner. Sent
// again at 41 us for the fourth time of seven, it carries that it was.
TEST_CASE("what was lost goes again over the circuit that leads to its receiver when its timer ends") {
  DelegateSender sender(microseconds(20));
  const Train lost{.kind = MessageKind::lost_train,
                   .retries = 3,
                   .bytes = 1000,
                   .address = Address(EndpointId{0}, EndpointId{1}, {})};
  sender.orders->send(SimTime{0}, 1, 1000, true, 1);
  sender.bed.script(sender.ocs, microseconds(10), 0, to_payload(lost));
  sender.command(microseconds(25), region_control::Pause{.epoch = 1});
  sender.command(microseconds(40), region_control::Circuit{.nic = 0, .member = 1});
  sender.command(microseconds(40), region_control::Live{.calls = 0, .epoch = 1});
  sender.run(true, microseconds(35));
  const auto light = sender.bed.trains(sender.ocs);
  REQUIRE(light.size() == 2);
  CHECK(light[1].time > microseconds(41));
  CHECK(frame_in(light[1].payload).bytes == 1000);
  CHECK(as<Train>(light[1].payload).retries == 4);
  CHECK(sender.told.size() == 1);
}

TEST_CASE(
    "on circuits that nobody changes the link replays at once, and the NIC sends again when its timer ends") {
  const std::vector<std::pair<MessageKind, SimTime>> all = {{MessageKind::corrupt_train, SimTime{0}},
                                                            {MessageKind::lost_train, microseconds(20)}};
  for (const auto& [back, wait] : all) {
    DelegateSender sender(microseconds(20));
    sender.orders->send(SimTime{0}, 1, 1000, true, 1);
    sender.bed.script(sender.ocs, microseconds(10), 0,
                      train_payload(back, EndpointId{0}, EndpointId{1}, Connection{}, 1000, 1));
    sender.run(false, time_never);
    const auto light = sender.bed.trains(sender.ocs);
    REQUIRE(light.size() == 2);
    CHECK(light[1].time == microseconds(10) + wait + 2 * fibre);
  }
}
