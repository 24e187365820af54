#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "network/port/buffered_spec.hpp"
#include "network/port/credit/credit.hpp"
#include "network/port/credit/credit_flow_control.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/injector.hpp"
#include "network/port/send_ahead.hpp"
#include "network/wire/delegated_train.hpp"
#include "network/wire/injector_wake.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

struct Post {
  enum class Way : std::uint8_t { last, first, take_all };
  SimTime at{};
  Outgoing message{};
  Way way = Way::last;
};

struct SenderSpec final : Spec, DeviceTraits {
  [[nodiscard]] DeviceRole role() const override { return is_nic ? DeviceRole::nic : DeviceRole::gpu; }
  bool is_nic = true;
  std::vector<Post> posts;
  std::vector<Injector::Source> sources = {{}};
  SimTime latency{};
  std::vector<std::pair<std::uint64_t, SimTime>>* sent = nullptr;
  int* wakes = nullptr;
  std::vector<Injector::Rest>* rests = nullptr;
};

/// Posts messages at given times through an injector on port 0.
class Sender final : public Component, private SentListener {
 public:
  explicit Sender(const BuildContext& build)
      : spec_(static_cast<const SenderSpec&>(build.spec)),
        egress_(build),
        injector_(build, 0, 77, spec_.sources, spec_.latency) {}
  void start(Context& context) override {
    for (std::uint32_t i = 0; i < spec_.posts.size(); ++i)
      context.wake(spec_.posts[i].at, to_payload(Numbers{.first = i}));
  }
  void handle(const Event& event, PortIndex, Context& context) override {
    if (kind_of(event.payload) == MessageKind::wake) {
      CHECK(as<InjectorWake>(event.payload).tag == 77);
      return ++*spec_.wakes, injector_.on_wake(context, egress_, *this);
    }
    if (kind_of(event.payload) == MessageKind::flow_control) {
      egress_.on_flow_control(context, 0, event.payload, [](const Frame&, PortIndex, SimTime) {});
      return injector_.pump(context, egress_, *this);
    }
    const Post& post = spec_.posts[as<Numbers>(event.payload).first];
    if (post.way == Post::Way::take_all) {
      *spec_.rests = injector_.take_all();
      CHECK(injector_.is_idle());
      return;
    }
    if (post.way == Post::Way::first)
      injector_.post_first(post.message, context.now());
    else
      injector_.post(post.message, context.now());
    injector_.pump(context, egress_, *this);
  }
  void save(StateWriter& out) const override { egress_.save(out), injector_.save(out); }
  void load(StateReader& in) override { egress_.load(in), injector_.load(in); }

 private:
  void on_sent(Context&, std::uint64_t token, SimTime tail) override { spec_.sent->push_back({token, tail}); }
  const SenderSpec& spec_;
  EgressBank egress_;
  Injector injector_;
};

/// A buffer that a train leaves a while after its head came; none: no credit comes back.
struct FullSpec final : BufferedSpec {
  std::int64_t bytes = 0;
  SimTime hold{};
  std::uint8_t lanes = 1;
  std::vector<std::uint32_t>* came = nullptr;  ///< trains [B]; null: nobody asks
  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override {
    return {lanes, bytes, &credit_flow_control()};
  }
};

class Full final : public Component {
 public:
  explicit Full(const BuildContext& build) : spec_(static_cast<const FullSpec&>(build.spec)) {}
  void handle(const Event& event, PortIndex port, Context& context) override {
    const auto train = as<Frame>(event.payload);
    if (spec_.came) spec_.came->push_back(train.bytes);
    if (spec_.hold > SimTime{0})
      context.send(port, event.time + spec_.hold,
                   to_payload(Credit{.lane = train.lane, .bytes = train.bytes}));
  }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  const FullSpec& spec_;
};

/// A sender and a probe on a line that takes 1000 ps for one packet of 1000 B; trains of 2 packets, latency
/// 10 ps.
struct Bed {
  NetworkBed bed;
  std::shared_ptr<SenderSpec> spec = std::make_shared<SenderSpec>();
  std::vector<std::pair<std::uint64_t, SimTime>> sent;
  int wakes = 0;
  std::vector<Injector::Rest> rests;  ///< what was taken
  SimTime ahead{};                    ///< send-ahead
  std::uint32_t longest = UINT32_MAX;
  FullSpec far;  ///< of the far end, where it has a buffer
  ComponentId probe = bed.add_endpoint();

  void post(std::int64_t at, std::uint32_t channel, std::int64_t bytes, std::uint64_t token,
            MessageKind kind = MessageKind::train, std::uint8_t source = 0) {
    spec->posts.push_back({SimTime{at},
                           {EndpointId{5}, EndpointId{0}, Connection::make(0, channel, 0), bytes, 0, kind,
                            source, token, 0, false, longest}});
  }
  ComponentId add_full() {
    auto kind = std::make_shared<ComponentKind>();
    kind->name = "full";
    kind->make = [](const BuildContext& build) { return std::make_unique<Full>(build); };
    return bed.add(kind, std::make_shared<FullSpec>(far), "full");
  }
  /// Arrivals as "channel:time-in-ns of the head's departure:bytes".
  std::string run(SimTime save_at = time_never) {
    auto kind = std::make_shared<ComponentKind>();
    kind->name = "sender";
    kind->make = [](const BuildContext& build) { return std::make_unique<Sender>(build); };
    spec->sent = &sent, spec->wakes = &wakes, spec->rests = &rests;
    ComponentId sender = bed.add(kind, spec, "sender");
    bed.connect(sender, 0, far.bytes == 0 ? probe : add_full(), 0,
                bed.link_class(SimTime{10}, BitRate{8'000'000'000'000}, 1000, 2));
    bed.finish_model().add<SendAhead>(std::make_shared<SendAhead>(SendAhead{ahead}));
    bed.run(save_at);
    std::string text;
    for (const Arrival& a : bed.arrivals(probe))
      text += std::to_string(frame_in(a.payload).address.connection().channel()) + ":" +
              std::to_string(a.time.count() - 10) + ":" + std::to_string(frame_in(a.payload).bytes) + "/" +
              std::to_string(frame_in(a.payload).detail) + " ";
    return text;
  }
};

}  // namespace

TEST_CASE("a message is cut into trains of the grain, the last one shorter, without gaps") {
  Bed b;
  b.post(100, 1, 4500, 42);
  CHECK(b.run() == "1:100:2000/2 1:2100:2000/2 1:4100:500/1 ");
  CHECK(b.sent == std::vector<std::pair<std::uint64_t, SimTime>>{{42, SimTime{4600}}});
}

TEST_CASE("connections take turns train by train, messages of one connection go in order") {
  Bed b;
  b.post(0, 1, 4000, 1);
  b.post(0, 1, 2000, 2);
  b.post(0, 2, 4000, 3);
  // Connection 1 starts alone. Single packets in turns would end the messages at 6,000, 10,000 and 9,000.
  CHECK(b.run() == "1:0:2000/2 2:2000:2000/2 1:4000:2000/2 2:6000:2000/2 1:8000:2000/2 ");
  CHECK((b.sent == std::vector<std::pair<std::uint64_t, SimTime>>{
                       {1, SimTime{6000}}, {3, SimTime{8000}}, {2, SimTime{10000}}}));
}

TEST_CASE("trains of small messages are an eighth of them, elsewhere than in a NIC while they take turns") {
  Bed b;
  b.longest = 0;
  b.post(0, 1, 9000, 1);
  b.post(0, 2, 9000, 2);
  b.post(0, 3, 16'000, 3);
  // 9 packets make trains of one, 16 of two. In packets the messages would end at 25, 26 and 34.
  CHECK(b.run() ==
        "1:0:1000/1 1:1000:1000/1 2:2000:1000/1 3:3000:2000/2 1:5000:1000/1 2:6000:1000/1 1:7000:1000/1 "
        "2:8000:1000/1 3:9000:2000/2 1:11000:1000/1 2:12000:1000/1 1:13000:1000/1 2:14000:1000/1 "
        "3:15000:2000/2 1:17000:1000/1 2:18000:1000/1 1:19000:1000/1 2:20000:1000/1 3:21000:2000/2 "
        "2:23000:1000/1 1:24000:1000/1 3:25000:2000/2 2:27000:1000/1 3:28000:2000/2 3:30000:2000/2 "
        "3:32000:2000/2 ");
  Bed plain;
  plain.spec->is_nic = false;
  plain.longest = 0;
  plain.post(0, 1, 7000, 1);
  plain.post(1000, 2, 2500, 2);
  // Alone it has the longest trains.
  CHECK(plain.run() ==
        "1:0:2000/2 1:2000:1000/1 2:3000:1000/1 1:4000:1000/1 2:5000:1000/1 1:6000:1000/1 2:7000:500/1 "
        "1:7500:2000/2 ");
}

TEST_CASE("a newcomer waits for every other connection once at most") {
  Bed b;
  b.post(0, 1, 8000, 1);
  b.post(0, 2, 8000, 2);
  b.post(3000, 3, 2000, 3);
  CHECK(b.run() ==
        "1:0:2000/2 1:2000:2000/2 2:4000:2000/2 1:6000:2000/2 3:8000:2000/2 2:10000:2000/2 "
        "2:12000:2000/2 1:14000:2000/2 2:16000:2000/2 ");
}

TEST_CASE("a control message goes ahead of waiting payload") {
  Bed b;
  b.post(0, 1, 6000, 1);
  b.post(500, 2, 64, 2, MessageKind::control);
  CHECK(b.run() == "1:0:2000/2 2:2000:64/1 1:2064:2000/2 1:4064:2000/2 ");
}

TEST_CASE("a source that reads at half the line's rate sends at half the rate, no tail before it is read") {
  Bed b;
  b.spec->sources = {{BitRate{4'000'000'000'000}}};
  b.post(0, 1, 5000, 1);
  // Reading 2000 B takes 4000 ps, the line 2000: starts at 2000, 6000; the last 1000 B are read from 8000 to
  // 10000.
  CHECK(b.run() == "1:2000:2000/2 1:6000:2000/2 1:9000:1000/1 ");
  CHECK(b.sent[0].second == SimTime{10000});
}

TEST_CASE("two slow sources share the line without slowing each other") {
  Bed b;
  b.spec->sources = {{BitRate{4'000'000'000'000}}, {BitRate{4'000'000'000'000}}};
  b.post(0, 1, 4000, 1, MessageKind::train, 0);
  b.post(0, 2, 4000, 2, MessageKind::train, 1);
  CHECK(b.run() == "1:2000:2000/2 2:4000:2000/2 1:6000:2000/2 2:8000:2000/2 ");
}

TEST_CASE("a fast source does not slow the line") {
  Bed b;
  b.spec->sources = {{BitRate{16'000'000'000'000}}};
  b.post(0, 1, 4000, 1);
  CHECK(b.run() == "1:0:2000/2 1:2000:2000/2 ");
}

TEST_CASE("a sending latency delays the first head and leaves no gap between trains") {
  Bed b;
  b.spec->latency = SimTime{700};
  b.post(0, 1, 6000, 1);
  CHECK(b.run() == "1:700:2000/2 1:2700:2000/2 1:4700:2000/2 ");
  CHECK(b.sent[0].second == SimTime{6700});
}

TEST_CASE("an injector saved in the middle and loaded goes on as if nothing had happened") {
  for (const SimTime ahead : {SimTime{0}, SimTime{5000}}) {
    std::string text[2];
    for (int k = 0; k < 2; ++k) {
      Bed b;
      b.ahead = ahead;
      for (std::uint32_t i = 0; i < 12; ++i) b.post(700 * i, i % 5, 1500 + 900 * (i % 4), i);
      text[k] = b.run(k == 0 ? time_never : SimTime{9001});
    }
    CHECK(text[0] == text[1]);
  }
}

TEST_CASE("given ahead, the trains of a connection leave at the same times, with fewer wakes") {
  for (const std::int64_t reads : {std::int64_t{0}, std::int64_t{4'000'000'000'000}}) {
    std::string text[2];
    Bed b[2];
    for (int k = 0; k < 2; ++k) {
      b[k].ahead = SimTime{k * 6000};
      b[k].spec->sources = {{BitRate{reads}}};
      for (std::uint32_t i = 0; i < 3; ++i) b[k].post(0, 1, 5000 + 3000 * i, i);
      text[k] = b[k].run();
    }
    CHECK(text[0] == text[1]);
    CHECK(b[0].sent == b[1].sent);
    CHECK(b[1].wakes <= (b[0].wakes + 1) / 2);
  }
}

TEST_CASE("what is posted later waits for the trains that the line was given ahead") {
  Bed b;
  b.post(0, 1, 8000, 1);
  b.post(500, 2, 2000, 2);
  b.ahead = SimTime{3000};
  // It comes behind connection 1 in their ring. One train at a time it goes at 4000.
  CHECK(b.run() == "1:0:2000/2 1:2000:2000/2 1:4000:2000/2 2:6000:2000/2 1:8000:2000/2 ");
}

TEST_CASE("a control message goes between the packets of trains that the line was given ahead") {
  Bed b;
  b.ahead = SimTime{10'000};
  b.post(0, 1, 6000, 1);
  b.post(500, 2, 64, 2, MessageKind::control);
  b.post(700, 1, 2000, 3);
  CHECK(b.run() == "1:0:2000/2 2:1000:64/1 1:2000:2000/2 1:4000:2000/2 1:6064:2000/2 ");
  CHECK(b.sent[1] == std::pair<std::uint64_t, SimTime>{2, SimTime{1064}});
}

// With trains of two packets a buffer of 5,000 B counts one packet more (counted_buffer.hpp): three trains.
TEST_CASE("a control message takes the credits of trains given ahead that have not begun") {
  for (const SimTime save_at : {time_never, SimTime{5000}, SimTime{20'500}}) {
    Bed b;
    b.ahead = SimTime{10'000};
    b.far.bytes = 5000, b.far.hold = SimTime{20'000};
    b.post(0, 1, 10'000, 1);
    b.post(500, 2, 64, 2, MessageKind::control);
    b.run(save_at);
    // Three trains have all credits, the control message goes at 1000. At 20'020 those of the first train
    // come back, 64 B too few for the fourth: it goes with those of the control message at 21'020, the fifth
    // after it.
    CHECK(b.sent == std::vector<std::pair<std::uint64_t, SimTime>>{{2, SimTime{1064}}, {1, SimTime{25'020}}});
  }
}

TEST_CASE("a control message waits for credits when every train before it has begun") {
  Bed b;
  b.ahead = SimTime{10'000};
  b.far.bytes = 5000, b.far.hold = SimTime{20'000};
  b.post(0, 1, 6000, 1);
  b.post(4500, 2, 64, 2, MessageKind::control);
  b.run();
  CHECK(b.sent == std::vector<std::pair<std::uint64_t, SimTime>>{{1, SimTime{6000}}, {2, SimTime{20'084}}});
}

TEST_CASE("control messages take a packet's credits at most, and the next ones wait") {
  Bed b;
  b.ahead = SimTime{10'000};
  b.far.bytes = 5000;
  b.post(0, 1, 6000, 1);
  for (std::uint32_t i = 0; i < 20; ++i) b.post(500, 2, 64, 2 + i, MessageKind::control);
  b.run();
  CHECK(b.sent.size() == 1 + 1000 / 64);
}

// The buffer has 32 packets: short trains are of one, long ones of two.
TEST_CASE("a sender that lacks credits sends short trains, and long ones where there is room again") {
  const auto lengths = [](SimTime hold, SimTime ahead, SimTime save_at) {
    Bed b;
    std::vector<std::uint32_t> came;
    b.ahead = ahead;
    b.far.bytes = 32'000, b.far.hold = hold, b.far.came = &came;
    b.post(0, 1, 300'000, 1);
    b.run(save_at);
    CHECK(std::accumulate(came.begin(), came.end(), std::uint64_t{0}) == 300'000);
    return came;
  };
  for (const SimTime ahead : {SimTime{0}, SimTime{8000}}) {
    // Each packet stays for eight packets' time: three quarters of the buffer are free.
    CHECK(lengths(SimTime{8000}, ahead, time_never) == std::vector<std::uint32_t>(150, 2000));
    // For 96: a third of the line's rate. Long until half of the buffer lacks on average.
    const std::vector<std::uint32_t> starved = lengths(SimTime{96'000}, ahead, time_never);
    const auto first_short = std::find(starved.begin(), starved.end(), 1000);
    CHECK(first_short - starved.begin() > 10);
    CHECK(first_short - starved.begin() < 30);
    CHECK(std::count(first_short, starved.end(), 1000) == starved.end() - first_short);
    if (ahead == SimTime{0}) CHECK(lengths(SimTime{96'000}, ahead, SimTime{60'500}) == starved);
  }
}

TEST_CASE("trains for a delegate say whom they go by, the first GPU of the server too") {
  for (const std::uint16_t via : {std::uint16_t{0}, std::uint16_t{3}}) {
    Bed b;
    b.post(0, 1, 4000, 1, MessageKind::delegated_train);
    b.spec->posts.back().message.mark = via;
    b.run();
    for (const Arrival& a : b.bed.arrivals(b.probe)) CHECK(as<DelegatedTrain>(a.payload).via == via);
    CHECK(b.bed.arrivals(b.probe).size() == 2);
  }
}

TEST_CASE("an empty message cannot be posted") {
  Bed b;
  b.post(0, 1, 0, 1);
  CHECK_THROWS_AS(b.run(), ContractError);
}

TEST_CASE("where lanes have weights, the sources of each lane take turns by themselves") {
  constexpr std::int64_t train = 2000, line_ps = 2000, trains = 30;
  Bed b;
  b.bed.set_weights({{1, 2, 1, 1, 1, 1, 1, 1}});
  b.far.bytes = 1 << 30, b.far.lanes = 2;
  b.spec->sources = {{}, {}};
  for (std::uint8_t lane = 0; lane < 2; ++lane)
    for (std::uint16_t source = 0; source < 2; ++source) {
      Outgoing message{EndpointId{5}, EndpointId{0}, Connection::make(0, 2u * lane + source, 0),
                       train * trains};
      message.lane = lane, message.source = source, message.token = 2u * lane + source;
      b.spec->posts.push_back({SimTime{0}, message});
    }
  b.run(GENERATE(time_never, SimTime{30'000}));
  REQUIRE(b.sent.size() == 4);
  std::vector<std::int64_t> tail(4);
  for (const auto& [token, at] : b.sent) tail[token] = at.count();
  // Lane 1 has two trains of three; its two messages end together, and so do those of lane 0.
  CHECK(std::abs(tail[2] - tail[3]) <= 3 * line_ps);
  CHECK(std::abs(tail[0] - tail[1]) <= 3 * line_ps);
  CHECK(std::max(tail[2], tail[3]) == Approx(3 * trains * line_ps).epsilon(0.03));
  CHECK(std::max(tail[0], tail[1]) == 4 * trains * line_ps);
}

TEST_CASE("what is posted first goes ahead of all of its connection, what has begun too") {
  const int waiting = GENERATE(0, 1, 2, 3);
  Bed b;
  for (int i = 0; i < waiting; ++i) b.post(0, 1, 6000, static_cast<std::uint64_t>(i) + 1);
  b.post(2500, 1, 2000, 9);  // behind the second train
  b.spec->posts.back().way = Post::Way::first;
  b.run(GENERATE(time_never, SimTime{3000}));
  std::vector<std::uint64_t> order;
  for (const auto& [token, at] : b.sent) order.push_back(token);
  std::vector<std::uint64_t> expected{9};
  for (int i = 0; i < waiting; ++i) expected.push_back(static_cast<std::uint64_t>(i) + 1);
  CHECK(order == expected);
}

TEST_CASE("what is taken is the rest of every message, those of a connection in their order") {
  Bed b;
  for (const std::uint64_t token : {1u, 2u, 3u}) b.post(0, 1, 6000, token);
  b.post(0, 2, 4000, 4);
  b.post(4500, 1, 1000, 5);
  b.spec->posts.back().way = Post::Way::first;
  b.post(4600, 0, 1, 0);
  b.spec->posts.back().way = Post::Way::take_all;
  b.run();
  // Trains of 1, 2 and 1 have begun by then.
  std::vector<std::pair<std::uint64_t, std::int64_t>> left;
  for (const Injector::Rest& rest : b.rests)
    if (rest.head.address.connection().channel() == 1) left.emplace_back(rest.token, rest.bytes);
  CHECK(left ==
        std::vector<std::pair<std::uint64_t, std::int64_t>>{{5, 1000}, {1, 2000}, {2, 6000}, {3, 6000}});
  REQUIRE(b.rests.size() == 5);
  CHECK(b.sent.empty());
}
