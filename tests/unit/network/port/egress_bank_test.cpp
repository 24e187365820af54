#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "components/switch/switch.hpp"
#include "network/port/pause/pause_flow_control.hpp"
#include "network/port/pause/pause_frame.hpp"
#include "network/port/tables.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Two probes talk through two switches in a row: p0 - s0 - s1 - p1; 100 B take 80 ps on every line.
struct TwoSwitches {
  NetworkBed bed;
  ComponentId p0 = bed.add_endpoint(), p1 = bed.add_endpoint();
  ComponentId s0, s1;
  LinkId between;

  explicit TwoSwitches(std::int64_t buffer, std::uint32_t lanes = 1) {
    auto spec = std::make_shared<SwitchSpec>();
    spec->buffer = Bytes{buffer};
    spec->lanes = lanes;
    spec->port_rate = BitRate{10'000'000'000'000};
    auto kind = switch_kind();
    s0 = bed.add(kind, spec, "switch");
    s1 = bed.add(kind, spec, "switch");
    auto line = bed.link_class(SimTime{1000}, BitRate{10'000'000'000'000}, 100, 1);
    bed.connect(p0, 0, s0, 0, line);
    between = bed.connect(s0, 1, s1, 0, line);
    bed.connect(s1, 1, p1, 0, line);
    for (ComponentId s : {s0, s1}) bed.route(s, SwitchRoute{{}, 0, 0, {{0}, {1}}});
  }
  Payload train(std::uint8_t lane = 0) {
    return train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, 100, 1, lane);
  }
};

/// Both ends of a line with pauses. Told so by a probe on port 1, one sends trains and pause frames on port
/// 0; the other writes down when frames come in.
struct PausingSpec final : BufferedSpec {
  PauseFlowControl pauses{{.buffer = 1 << 20, .headroom = 1 << 18}};
  std::vector<SimTime>* frames = nullptr;
  InputBuffer input_buffer(PortIndex port) const override {
    return port == 0 ? InputBuffer{1, 1 << 20, &pauses} : InputBuffer{};
  }
};

class Pausing final : public Component {
 public:
  explicit Pausing(const BuildContext& build)
      : spec_(static_cast<const PausingSpec&>(build.spec)), egress_(build) {}
  void handle(const Event& event, PortIndex port, Context& context) override {
    const auto frame = as<Frame>(event.payload);
    if (port == 0 && frame.kind == MessageKind::flow_control) spec_.frames->push_back(context.now());
    if (port != 1) return;
    if (frame.kind == MessageKind::train)
      REQUIRE(egress_.offer(context, 0, frame, context.now()).has_value());
    else
      egress_.send_frame(context, 0, PauseFrame::wire_bytes, to_payload(PauseFrame{}));
  }
  void save(StateWriter& out) const override { egress_.save(out); }
  void load(StateReader& in) override { egress_.load(in); }

 private:
  const PausingSpec& spec_;
  EgressBank egress_;
};

}  // namespace

TEST_CASE("frames of flow control leave in their order, whatever the line is given in between") {
  // 400 Gb/s: 20 ps a byte. A packet of 4,096 B is on the line until 81,920 ps, and behind it go the first
  // frame of 84 B and a packet of 4,013 B, up to 163,860 ps. Counted back from there in whole packets the
  // next gap would be at 20 ps, before the first frame.
  NetworkBed bed;
  std::vector<SimTime> frames;
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "pausing";
  kind->make = [](const BuildContext& build) { return std::make_unique<Pausing>(build); };
  const auto spec = std::make_shared<PausingSpec>();
  spec->frames = &frames;
  const ComponentId probe = bed.add_endpoint(), a = bed.add(kind, spec, "pausing"),
                    b = bed.add(kind, spec, "pausing");
  bed.connect(a, 0, b, 0, bed.link_class(nanoseconds(50), BitRate{400'000'000'000}, 4096, 1));
  bed.connect(probe, 0, a, 1, bed.link_class(SimTime{1}, BitRate{}, 4096, 1));
  const auto train = [](std::uint32_t bytes) {
    return train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, bytes);
  };
  bed.script(probe, SimTime{0}, 0, train(4096));
  bed.script(probe, SimTime{1}, 0, to_payload(PauseFrame{}));
  bed.script(probe, SimTime{1}, 0, train(4013));
  bed.script(probe, SimTime{2}, 0, to_payload(PauseFrame{}));
  bed.run();
  // The first packet begins at 1 ps.
  CHECK(frames ==
        std::vector<SimTime>{SimTime{1 + 81'920 + 1680 + 50'000}, SimTime{1 + 81'920 + 2 * 1680 + 50'000}});
}

TEST_CASE("a train without credits waits for the credit and keeps its place") {
  TwoSwitches net(100);  // one train
  for (int i = 0; i < 3; ++i) net.bed.script(net.p0, SimTime{80 * i}, 0, net.train());
  net.bed.record(milliseconds(1));
  net.bed.run();
  // Round of one credit: 1000 to s1, its tail leaves after 80, 1000 back.
  auto got = net.bed.trains(net.p1);
  REQUIRE(got.size() == 3);
  CHECK(got[0].time == SimTime{3000});
  CHECK(got[1].time == SimTime{3000 + 2080});
  CHECK(got[2].time == SimTime{3000 + 2 * 2080});
  CHECK(net.bed.waits().empty());
  // Waits at s0: 2080 - 80 and 2 * (2080 - 80); the third met 2 x 80 ps of waiting trains at an idle line.
  const auto& queue = net.bed.rows(tables::queue);
  REQUIRE(queue.size() == 1);
  CHECK(queue[0].values == std::vector<std::int64_t>{1, 0, 200, 6000});
}

TEST_CASE("with a buffer that covers the round trip the line never pauses") {
  TwoSwitches net(8000);
  for (int i = 0; i < 200; ++i) net.bed.script(net.p0, SimTime{80 * i}, 0, net.train());
  net.bed.run();
  auto got = net.bed.trains(net.p1);
  REQUIRE(got.size() == 200);
  CHECK(got.back().time == SimTime{3000 + 80 * 199});
}

TEST_CASE("a line without a rate is never busy, whatever it carries") {
  NetworkBed bed;
  const ComponentId p0 = bed.add_endpoint(), p1 = bed.add_endpoint();
  const ComponentId s = bed.add(switch_kind(), std::make_shared<SwitchSpec>(), "switch");
  const auto line = bed.link_class(SimTime{1000}, BitRate{0}, 100, 1);
  bed.connect(p0, 0, s, 0, line);
  bed.connect(s, 1, p1, 0, line);
  bed.route(s, SwitchRoute{{}, 0, 0, {{0}, {1}}});
  bed.script(p0, SimTime{0}, 0, train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, 100, 1));
  bed.run();
  CHECK(bed.trains(p1).size() == 1);
}

TEST_CASE("a lane without credits does not hold up another lane") {
  TwoSwitches net(100, 2);
  for (int i = 0; i < 2; ++i) net.bed.script(net.p0, SimTime{80 * i}, 0, net.train(0));
  net.bed.script(net.p0, SimTime{160}, 0, net.train(1));
  net.bed.run();
  auto got = net.bed.trains(net.p1);
  REQUIRE(got.size() == 3);
  CHECK(frame_in(got[1].payload).lane == 1);
  CHECK(got[1].time == SimTime{3160});
}

TEST_CASE("a lane that the far end does not have is an error that names the component") {
  TwoSwitches net(100, 2);
  net.bed.script(net.p0, SimTime{0}, 0, net.train(2));
  CHECK_THROWS_WITH(net.bed.run(), Catch::Contains("switch2") &&
                                       Catch::Contains("port 1 has no virtual lane 2 (its far end has 2)"));
}

TEST_CASE("a train larger than the far buffer is an error") {
  TwoSwitches net(100);
  Frame big = frame_in(net.train());
  big.bytes = 101;
  net.bed.script(net.p0, SimTime{0}, 0, to_payload(big));
  CHECK_THROWS_WITH(
      net.bed.run(),
      Catch::Contains("a train of 101 B does not fit the 100 B buffer at the far end of port 1"));
}

TEST_CASE("a buffer that does not hold one train is refused before the run") {
  TwoSwitches net(99);
  CHECK_THROWS_WITH(net.bed.run(),
                    Catch::Contains("switch2: the input buffer of 99 B at port 0 does not hold one train "
                                    "of 100 B (raise the buffer or lower the grain)"));
}

TEST_CASE("what still waits at the end is named") {
  TwoSwitches net(100);
  net.bed.script(net.p0, SimTime{0}, 0, net.train());
  net.bed.script(net.p0, SimTime{80}, 0, net.train());
  auto& routes = *const_cast<RoutingTables*>(net.bed.finish_model().resource<RoutingTables>());
  routes.routes[1].listed[1] = {
      0};  // s1 sends the first train back, and s0 turns it again: no credit is ever free
  net.bed.run();
  REQUIRE(!net.bed.waits().empty());
  CHECK_THAT(net.bed.waits()[0], Catch::Contains("trains (") && Catch::Contains("wait for credits"));
}

TEST_CASE("a bank saved in the middle and loaded goes on as if nothing had happened") {
  std::vector<SimTime> times[2];
  for (int k = 0; k < 2; ++k) {
    TwoSwitches net(300);
    for (int i = 0; i < 20; ++i) net.bed.script(net.p0, SimTime{80 * i}, 0, net.train());
    net.bed.run(k == 0 ? time_never : SimTime{3500});
    for (const Arrival& a : net.bed.trains(net.p1)) times[k].push_back(a.time);
  }
  CHECK(times[0].size() == 20);
  CHECK(times[0] == times[1]);
}
