// What another flow control needs of the ports, tried with one that lives here alone
// (pause_flow_control.hpp).
#include "network/port/flow_control.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network/port/credit/credit_flow_control.hpp"
#include "network/port/crossbar.hpp"
#include "network/port/injector.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/unit/network/port/pause_flow_control.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

struct SourceSpec final : Spec {
  std::vector<Outgoing> messages;
  std::vector<SimTime>* tails = nullptr;
};

/// Sends its messages through an injector on port 0.
class Source final : public Component, private SentListener {
 public:
  explicit Source(const BuildContext& build)
      : spec_(static_cast<const SourceSpec&>(build.spec)), crossbar_(build, {}), injector_(build, 0, 0) {}
  void start(Context& context) override {
    for (const Outgoing& message : spec_.messages) injector_.post(message, context.now());
    injector_.pump(context, crossbar_.egress(), *this);
  }
  void handle(const Event& event, PortIndex port, Context& context) override {
    if (kind_of(event.payload) == MessageKind::wake)
      return injector_.on_wake(context, crossbar_.egress(), *this);
    (void)crossbar_.on_flow_control(context, event.payload, port);
    injector_.pump(context, crossbar_.egress(), *this);
  }
  void save(StateWriter& out) const override { crossbar_.save(out), injector_.save(out); }
  void load(StateReader& in) override { crossbar_.load(in), injector_.load(in); }

 private:
  void on_sent(Context&, std::uint64_t, SimTime tail) override { spec_.tails->push_back(tail); }
  const SourceSpec& spec_;
  Crossbar crossbar_;
  Injector injector_;
};

struct HopSpec final : BufferedSpec {
  InputBuffer buffer;
  bool is_wall = false;  ///< passes nothing on, and stops lane 0 for good
  InputBuffer input_buffer(PortIndex port) const override { return port == 0 ? buffer : InputBuffer{}; }
};

/// What comes in on port 0 leaves on port 1.
class Hop final : public Component {
 public:
  explicit Hop(const BuildContext& build)
      : spec_(static_cast<const HopSpec&>(build.spec)), crossbar_(build, SimTime{}) {}
  void handle(const Event& event, PortIndex port, Context& context) override {
    const Payload& p = event.payload;
    if (spec_.is_wall) return context.send(0, context.now(), to_payload(PauseMessage{.is_stop = 1}));
    if (kind_of(p) == MessageKind::flow_control)
      (void)crossbar_.on_flow_control(context, p, port);
    else
      crossbar_.forward(context, as<Frame>(p), 0, 1);
  }
  std::vector<std::string> waits_for() const override { return crossbar_.egress().waits_for(); }
  void save(StateWriter& out) const override { crossbar_.save(out); }
  void load(StateReader& in) override { crossbar_.load(in); }

 private:
  const HopSpec& spec_;
  Crossbar crossbar_;
};

template <class T>
std::shared_ptr<const ComponentKind> kind_of_device(const char* name) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = name;
  kind->make = [](const BuildContext& build) { return std::make_unique<T>(build); };
  return kind;
}

/// source - hop - hop - probe, trains of 1000 B: 1000 ps on the lines between them, 4000 ps on the last one;
/// every cable takes 2000 ps.
struct Chain {
  PauseKind pause;
  NetworkBed bed;
  std::shared_ptr<SourceSpec> spec = std::make_shared<SourceSpec>();
  std::vector<SimTime> tails;  ///< of the source's messages
  ComponentId probe = bed.add_endpoint();

  void post(std::int64_t bytes, std::uint8_t lane = 0) {
    spec->messages.push_back(
        {EndpointId{5}, EndpointId{0}, Connection::make(0, lane, 0), bytes, lane, MessageKind::train});
  }
  void run(const FlowControlKind& control, bool ends_at_wall = false, SimTime save_at = time_never) {
    spec->tails = &tails;
    const ComponentId source = bed.add(kind_of_device<Source>("source"), spec, "source");
    const auto hop = kind_of_device<Hop>("hop");
    auto buffered = std::make_shared<HopSpec>();
    buffered->buffer = {2, 20'000, &control};
    auto last = std::make_shared<HopSpec>(*buffered);
    last->is_wall = ends_at_wall;
    const ComponentId first = bed.add(hop, buffered, "hop"), second = bed.add(hop, last, "hop");
    const auto fast = bed.link_class(SimTime{2000}, BitRate{8'000'000'000'000}, 1000, 1);
    const auto slow = bed.link_class(SimTime{2000}, BitRate{2'000'000'000'000}, 1000, 1);
    bed.connect(source, 0, first, 0, fast);
    bed.connect(first, 1, second, 0, fast);
    bed.connect(second, 1, probe, 0, slow);
    bed.run(save_at);
  }
};

}  // namespace

TEST_CASE("a flow control of another kind stops the sender, and nothing is lost") {
  Chain chain;
  chain.post(100'000);
  chain.run(chain.pause);
  const std::vector<Arrival> got = chain.bed.trains(chain.probe);
  REQUIRE(got.size() == 100);
  // The last line, of 4000 ps a train, is never idle: go comes at 4 trains, which last longer than the way
  // there and back.
  CHECK(got.front().time == SimTime{6000});
  CHECK(got.back().time == SimTime{6000 + 99 * 4000});
  CHECK(chain.bed.waits().empty());
  // Both buffers passed the threshold and held what was on its way then. Of 100 trains 40 at most are in
  // them, so 60 had left the slow line when the last one left its source, at 1000 ps a train if unstopped.
  for (const char* hop : {"hop2", "hop3"}) {
    CHECK(chain.pause.highest[hop] > 10'000);
    CHECK(chain.pause.highest[hop] <= 20'000);
  }
  REQUIRE(chain.tails.size() == 1);
  CHECK(chain.tails[0] >= SimTime{60 * 4000});
}

TEST_CASE(
    "two kinds of flow control give the same bytes in the same time where neither stops the last line") {
  Chain paused, credited;
  paused.post(100'000), credited.post(100'000);
  paused.run(paused.pause), credited.run(credit_flow_control());
  CHECK(paused.bed.trains(paused.probe).back().time == credited.bed.trains(credited.probe).back().time);
}

TEST_CASE("a stopped lane does not hold up another, and what it waits for is named") {
  Chain chain;
  chain.post(5'000, 0), chain.post(3'000, 1);
  chain.run(chain.pause, true);
  // The wall says stop for lane 0 4000 ps after it was sent the first train: what is on its way then passes,
  // and of the rest all of lane 1 and none of lane 0.
  REQUIRE(chain.bed.waits().size() == 1);
  CHECK_THAT(chain.bed.waits()[0],
             Catch::Contains("hop2: port 1 lane 0: ") && Catch::Contains("wait for a go"));
}

TEST_CASE("a flow control's state is part of the checkpoint") {
  std::vector<SimTime> times[2];
  for (int k = 0; k < 2; ++k) {
    Chain chain;
    chain.post(100'000);
    chain.run(chain.pause, false, k == 0 ? time_never : SimTime{50'000});
    for (const Arrival& a : chain.bed.trains(chain.probe)) times[k].push_back(a.time);
  }
  CHECK(times[0] == times[1]);
}
