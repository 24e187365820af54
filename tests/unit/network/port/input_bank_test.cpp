#include "network/port/input_bank.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "network/port/credit/credit.hpp"
#include "network/port/none/no_flow_control.hpp"

using namespace lightrail;

namespace {

struct Report {
  PortIndex port = 0;
  std::uint8_t lane = 0;
  std::uint32_t bytes = 0;
  SimTime at{};
  bool operator==(const Report&) const = default;
};

/// What a flow control is told.
struct Told {
  std::vector<Report> freed;
  std::vector<std::uint32_t> taken;  ///< bytes of each train
};

class Receiver final : public ReceiveControl {
 public:
  Receiver(Told& told, ReceiveTerms terms) : told_(told), terms_(terms) {}
  ReceiveTerms terms(PortIndex) const override { return terms_; }
  bool on_taken(Context&, PortIndex, const Frame& train) override {
    told_.taken.push_back(train.bytes);
    return true;
  }
  void on_freed(Context&, PortIndex port, std::uint8_t lane, std::uint32_t bytes, SimTime at) override {
    told_.freed.push_back({port, lane, bytes, at});
  }

 private:
  Told& told_;
  ReceiveTerms terms_;
};

struct Kind final : FlowControlKind {
  mutable Told told;
  ReceiveTerms terms{.lanes = 2, .report_bytes = 300};

  std::unique_ptr<SendControl> make_sender(std::span<const PortEnd>) const override { return nullptr; }
  std::unique_ptr<ReceiveControl> make_receiver(std::span<const PortEnd>, const std::string&) const override {
    return std::make_unique<Receiver>(told, terms);
  }
  std::unique_ptr<TransitControl> make_transit(std::uint32_t) const override { return nullptr; }
};

/// Port 0 without flow control, port 1 with `kind`.
struct Place final : EventSink, RowSink {
  struct Sent {
    SimTime at{};
    Payload payload;
  };
  Kind kind;
  std::vector<Sent> sent;
  std::vector<OutLink> links{2};
  OutLink self{};
  std::vector<PortEnd> ends{2};

  Place() {
    ends[0].near.control = &no_flow_control();
    ends[1].near = {2, 1000, &kind};
  }
  Context at(std::int64_t now) { return {ComponentId{0}, SimTime{now}, links, self, *this, *this}; }
  void push(SimTime at, std::uint32_t, Payload payload, const OutLink&) override {
    sent.push_back({at, payload});
  }
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override {}
};

Frame train(std::uint32_t bytes, std::uint8_t lane = 0) {
  return {.kind = MessageKind::train, .lane = lane, .bytes = bytes};
}

/// Comes and leaves.
void pass(InputBank& bank, Context& context, PortIndex port, const Frame& train, SimTime at) {
  bank.taken(context, port, train);
  bank.freed(context, port, train, at);
}

}  // namespace

TEST_CASE("flow control hears of freed bytes when as many as it asked for are, with the time of the last") {
  Place place;
  InputBank bank(place.ends, "device");
  Context context = place.at(100);
  pass(bank, context, 1, train(200), SimTime{500});
  CHECK(place.kind.told.freed.empty());
  pass(bank, context, 1, train(150), SimTime{400});
  CHECK(place.kind.told.freed == std::vector<Report>{{1, 0, 350, SimTime{500}}});
  // The next ones count from nothing, and a report never lies in the past.
  Context later = place.at(900);
  pass(bank, later, 1, train(300), SimTime{900});
  CHECK(place.kind.told.freed.back() == Report{1, 0, 300, SimTime{900}});
}

TEST_CASE("where flow control would send a credit and nothing else it is sent at the same time without it") {
  Place place;
  place.kind.terms.sends_credits = true;
  InputBank bank(place.ends, "device");
  Context context = place.at(100);
  pass(bank, context, 1, train(200, 1), SimTime{500});
  CHECK(place.sent.empty());
  pass(bank, context, 1, train(150, 1), SimTime{400});
  CHECK(place.kind.told.freed.empty());
  REQUIRE(place.sent.size() == 1);
  CHECK(place.sent.front().at == SimTime{500});
  CHECK(as<Credit>(place.sent.front().payload).lane == 1);
  CHECK(as<Credit>(place.sent.front().payload).bytes == 350);
}

TEST_CASE("lanes are counted apart, and a port without flow control not at all") {
  Place place;
  InputBank bank(place.ends, "device");
  Context context = place.at(0);
  pass(bank, context, 1, train(200, 0), SimTime{0});
  pass(bank, context, 1, train(200, 1), SimTime{0});
  pass(bank, context, 0, train(10'000), SimTime{0});
  CHECK(place.kind.told.freed.empty());
  pass(bank, context, 1, train(200, 1), SimTime{0});
  CHECK(place.kind.told.freed == std::vector<Report>{{1, 1, 400, SimTime{0}}});
}

TEST_CASE("arrivals are told to a flow control that wants to hear of them, and to no other") {
  for (const bool hears : {false, true}) {
    Place place;
    place.kind.terms.hears_arrivals = hears;
    InputBank bank(place.ends, "device");
    Context context = place.at(0);
    bank.taken(context, 0, train(7));
    bank.taken(context, 1, train(8));
    CHECK(place.kind.told.taken == (hears ? std::vector<std::uint32_t>{8} : std::vector<std::uint32_t>{}));
  }
}

TEST_CASE("what was freed and not yet told is part of the state") {
  Place place;
  InputBank one(place.ends, "device"), two(place.ends, "device");
  Context context = place.at(0);
  pass(one, context, 1, train(299), SimTime{70});
  StateWriter out;
  one.save(out);
  StateReader in(out.bytes());
  two.load(in);
  pass(two, context, 1, train(1), SimTime{50});
  CHECK(place.kind.told.freed == std::vector<Report>{{1, 0, 300, SimTime{70}}});
}

// A lane of 1,000 B on a line of 1 B/ns: a quarter of it comes in within 250 ns.
TEST_CASE("what leaves at once is not told with what leaves much later") {
  Place place;
  place.kind.terms = {.lanes = 2, .report_bytes = 900, .capacity = 1000};
  place.ends[1].in_rate = BitRate{8'000'000'000};
  InputBank bank(place.ends, "device");
  const std::vector<Report>& told = place.kind.told.freed;
  Context context = place.at(0);
  bank.taken(context, 1, train(400));
  pass(bank, context, 1, train(40), SimTime{10});
  CHECK(told.empty());
  // It has its line in 2 us: told alone, and those before it no later than without it.
  pass(bank, context, 1, train(50), SimTime{2'000'000});
  CHECK(told == std::vector<Report>{{1, 0, 40, SimTime{10}}, {1, 0, 50, SimTime{2'000'000}}});
  // While it is here, all are told one by one.
  Context then = place.at(1'700'000);
  pass(bank, then, 1, train(1), SimTime{1'700'000});
  CHECK(told.back() == Report{1, 0, 1, SimTime{1'700'000}});
  // What is left of its time is less than a batch takes.
  Context after = place.at(1'800'000);
  pass(bank, after, 1, train(1), SimTime{1'800'000});
  CHECK(told.size() == 3);
}

TEST_CASE("a report is as late as the last of its own bytes, whatever was told before") {
  Place place;
  InputBank bank(place.ends, "device");
  Context context = place.at(0);
  pass(bank, context, 1, train(300), SimTime{5000});
  pass(bank, context, 1, train(300), SimTime{70});
  CHECK(place.kind.told.freed == std::vector<Report>{{1, 0, 300, SimTime{5000}}, {1, 0, 300, SimTime{70}}});
  CHECK(bank.free_at(1) == SimTime{5000});
}

// A lane of 1,000 B: with 600 in it, 100 of the 400 free ones are a quarter; with 960, 10 of 40.
TEST_CASE("the fuller a buffer, the finer it is reported") {
  Place place;
  place.kind.terms = {.lanes = 2, .report_bytes = 900, .capacity = 1000};
  InputBank bank(place.ends, "device");
  Context context = place.at(0);
  const auto reports = [&] { return place.kind.told.freed.size(); };
  bank.taken(context, 1, train(600));
  pass(bank, context, 1, train(90), SimTime{0});
  CHECK(reports() == 0);
  pass(bank, context, 1, train(10), SimTime{0});
  REQUIRE(reports() == 1);
  CHECK(place.kind.told.freed.back().bytes == 100);
  bank.taken(context, 1, train(360));
  pass(bank, context, 1, train(9), SimTime{0});
  CHECK(reports() == 1);
  pass(bank, context, 1, train(1), SimTime{0});
  CHECK(reports() == 2);
}
