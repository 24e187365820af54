#include "network/transport/repair_sender.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

using namespace lightrail;

namespace {

const Address flow(EndpointId{1}, EndpointId{2}, Connection::make(0, 0, 0));

/// One that has sent trains of 100 B, number k at k us; the timer is 50 us.
struct Sender {
  RepairSender sender;

  explicit Sender(LossRepair repair, std::uint32_t trains)
      : sender({.repair = repair, .timeout = microseconds(50), .retries = 2}, 1, "nic0") {
    for (std::uint32_t k = 0; k < trains; ++k)
      sent.push_back(sender.leaving(frame_of(Train{.bytes = 100, .address = flow}), 1, microseconds(k)));
  }
  /// Numbers that go again, which leave at once.
  std::vector<std::uint16_t> hear(MessageKind kind, std::uint16_t number, std::int64_t us) {
    const Address back(flow.to(), flow.from(), flow.connection());
    return leave(
        sender.on_acknowledgement({.kind = kind, .number = number, .address = back}, microseconds(us))->again,
        us);
  }
  std::vector<std::uint16_t> leave(std::vector<RepairSender::Again> again, std::int64_t us) {
    std::vector<std::uint16_t> numbers;
    for (const RepairSender::Again& one : again) {
      CHECK(one.source == 1);
      CHECK(sender.leaving(one.frame, one.source, microseconds(us)) == one.frame);
      numbers.push_back(as<NumberedTrain>(one.frame).number);
    }
    return numbers;
  }

  std::vector<Frame> sent;
};

using Numbers = std::vector<std::uint16_t>;
constexpr MessageKind ack = MessageKind::acknowledgement, error = MessageKind::sequence_error,
                      selective = MessageKind::selective_acknowledgement;

}  // namespace

TEST_CASE("trains of a class that loses are numbered from 0 on, others are left as they are") {
  const Sender one(LossRepair::go_back_n, 3);
  for (std::uint16_t k = 0; k < 3; ++k) {
    CHECK(one.sent[k].kind == MessageKind::numbered_train);
    CHECK(as<NumberedTrain>(one.sent[k]).number == k);
    CHECK(one.sent[k].bytes == 100);
  }
  RepairSender sender({}, 2, "nic0");
  const Frame lossless = frame_of(Train{.bytes = 100, .address = flow});
  CHECK(sender.leaving(lossless, 0, SimTime{}) == lossless);
  Frame notice = lossless;
  notice.kind = MessageKind::congestion_notice, notice.lane = 1;
  CHECK(sender.leaving(notice, 0, SimTime{}) == notice);
  const Frame control = sender.leaving(
      frame_of(Train{.kind = MessageKind::control, .lane = 1, .bytes = 64, .address = flow}), 0, SimTime{});
  CHECK(control.kind == MessageKind::numbered_control);
}

TEST_CASE("a sequence error acknowledges what is before it, and all from it on goes again") {
  Sender one(LossRepair::go_back_n, 6);
  CHECK(one.hear(ack, 2, 10).empty());
  CHECK(one.hear(error, 3, 11) == Numbers{3, 4, 5});
  CHECK(one.hear(error, 4, 12) == Numbers{4, 5});
  CHECK(one.sender.counts(0).again == 5);
  CHECK(one.sender.counts(0).again_bytes == 500);
  CHECK(one.hear(ack, 6, 13).empty());
  CHECK(one.sender.is_idle(flow));
}

TEST_CASE("what waits to be sent again is not taken twice") {
  Sender one(LossRepair::go_back_n, 3);
  const Address back(flow.to(), flow.from(), flow.connection());
  CHECK(one.sender.on_acknowledgement({.kind = error, .number = 1, .address = back}, microseconds(9))
            ->again.size() == 2);
  CHECK(one.hear(error, 1, 10).empty());
}

TEST_CASE("selective repeat sends what was sent before something that is there") {
  Sender one(LossRepair::selective_repeat, 8);
  CHECK(one.hear(selective, 2, 10) == Numbers{0, 1});
  CHECK(one.hear(selective, 3, 11).empty());
  CHECK(one.hear(selective, 5, 12) == Numbers{4});
  // 4 was sent a second time after 0 and 1 were, and after 6 and 7: all of these are lost.
  CHECK(one.hear(selective, 4, 13) == Numbers{0, 1, 6, 7});
  CHECK(one.hear(ack, 6, 14) == Numbers{});
  CHECK(one.hear(ack, 8, 15).empty());
  CHECK(one.sender.is_idle(flow));
}

TEST_CASE("with trimming what a notice names goes again, once, and what is overtaken does not") {
  constexpr MessageKind notice = MessageKind::trim_notice;
  Sender one(LossRepair::trimming, 6);
  CHECK(one.hear(selective, 4, 10).empty());
  CHECK(one.hear(MessageKind::marked_acknowledgement, 1, 10).empty());
  CHECK(one.hear(notice, 2, 11) == Numbers{2});
  CHECK(one.hear(notice, 4, 11).empty());  // it is there by now
  CHECK(one.hear(notice, 9, 11).empty());
  for (const std::uint16_t k : {std::uint16_t{0}, std::uint16_t{2}, std::uint16_t{3}, std::uint16_t{5}})
    CHECK(one.hear(selective, k, 12).empty());
  CHECK(one.sender.is_idle(flow));
  CHECK(one.sender.counts(0).again == 1);
}

TEST_CASE("what is on the way is what was sent and is not known to be there or lost") {
  Sender one(LossRepair::trimming, 5);
  const Address back(flow.to(), flow.from(), flow.connection());
  const auto hear = [&](MessageKind kind, std::uint16_t number) {
    return *one.sender.on_acknowledgement({.kind = kind, .number = number, .address = back}, microseconds(9));
  };
  CHECK(one.sender.in_flight(flow.word()) == 500);
  RepairSender::Answer answer = hear(selective, 3);
  CHECK(answer.arrived == 100);
  CHECK(answer.sent_at == microseconds(3));
  CHECK(one.sender.in_flight(flow.word()) == 400);
  CHECK(hear(selective, 3).arrived == 0);
  answer = hear(MessageKind::trim_notice, 1);
  CHECK(one.sender.in_flight(flow.word()) == 300);
  one.leave(answer.again, 12);
  CHECK(one.sender.in_flight(flow.word()) == 400);
  // Of the first sending or the second: that tells no time.
  answer = hear(selective, 1);
  CHECK(answer.arrived == 100);
  CHECK(!answer.sent_at);
  for (const std::uint16_t k : {std::uint16_t{0}, std::uint16_t{2}, std::uint16_t{4}}) hear(selective, k);
  CHECK(one.sender.in_flight(flow.word()) == 0);
  CHECK(one.sender.in_flight(back.word()) == 0);
}

TEST_CASE("without an acknowledgement all goes again when the timer ends, until the retries do") {
  for (const LossRepair repair :
       {LossRepair::go_back_n, LossRepair::selective_repeat, LossRepair::trimming}) {
    Sender one(repair, 3);
    CHECK(one.sender.start_timer(flow) == microseconds(50));
    CHECK(!one.sender.start_timer(flow));  // it runs
    one.hear(ack, 1, 20);
    RepairSender::Timeout timeout = one.sender.on_timer(flow, microseconds(50));
    CHECK(timeout.ask_again == microseconds(70));
    CHECK(timeout.again->empty());
    for (const std::int64_t us : {70, 120}) {
      timeout = one.sender.on_timer(flow, microseconds(us));
      CHECK(!timeout.is_broken);
      CHECK(timeout.ask_again == microseconds(us + 50));
      CHECK(one.leave(*timeout.again, us) == Numbers{1, 2});
    }
    CHECK(one.sender.on_timer(flow, microseconds(170)).is_broken);
    CHECK(one.sender.counts(0).timeouts == 3);
    CHECK(one.sender.waits_for() == "2 trains (200 B) wait for acknowledgements");
  }
}

TEST_CASE("what waits for its window does not put off the timer of what is on the way") {
  Sender one(LossRepair::trimming, 3);
  const Address back(flow.to(), flow.from(), flow.connection());
  CHECK(one.sender.start_timer(flow) == microseconds(50));
  // Number 0 is to be sent again and is not yet; 1 and 2 are lost without a trace.
  CHECK(one.sender
            .on_acknowledgement({.kind = MessageKind::trim_notice, .number = 0, .address = back},
                                microseconds(9))
            ->again.size() == 1);
  CHECK(one.sender.on_timer(flow, microseconds(50)).ask_again == microseconds(51));
  const RepairSender::Timeout timeout = one.sender.on_timer(flow, microseconds(51));
  CHECK(one.leave(*timeout.again, 51) == Numbers{1, 2});
  CHECK(one.sender.counts(0).timeouts == 1);
}

TEST_CASE("a timer behind which nothing is on the way ends") {
  Sender one(LossRepair::go_back_n, 2);
  CHECK(one.sender.start_timer(flow).has_value());
  one.hear(ack, 2, 5);
  CHECK(!one.sender.on_timer(flow, microseconds(50)).ask_again);
  CHECK(one.sender.waits_for().empty());
  const Frame next = one.sender.leaving(frame_of(Train{.bytes = 1, .address = flow}), 0, microseconds(60));
  CHECK(as<NumberedTrain>(next).number == 2);
  CHECK(one.sender.start_timer(flow) == microseconds(110));
}

TEST_CASE("an acknowledgement of a flow that was not sent from here is noticed") {
  Sender one(LossRepair::go_back_n, 1);
  CHECK(one.sender.on_acknowledgement({.address = flow}, SimTime{}) == nullptr);
}

TEST_CASE("numbers go around, and no more may be on the way than they tell apart") {
  RepairSender sender({}, 1, "nic0");
  const Frame train = frame_of(Train{.bytes = 1, .address = flow});
  const Address back(flow.to(), flow.from(), flow.connection());
  for (std::uint32_t k = 0; k < 70'000; ++k) {
    CHECK(as<NumberedTrain>(sender.leaving(train, 0, SimTime{})).number == (k & 0xffff));
    static_cast<void>(sender.on_acknowledgement(
        {.kind = ack, .number = static_cast<std::uint16_t>(k + 1), .address = back}, SimTime{}));
  }
  for (std::uint32_t k = 0; k < NumberedTrain::max_outstanding - 1; ++k)
    static_cast<void>(sender.leaving(train, 0, SimTime{}));
  CHECK_THROWS_WITH(sender.leaving(train, 0, microseconds(3)),
                    Catch::Contains("nic0") && Catch::Contains("32767 trains on the way on class 0"));
}

TEST_CASE("numbers of a flow with entropy values count in steps of them, and each sending says its own") {
  constexpr std::uint32_t values = 16;
  EntropyValues choice(values, PathChoice::turns, 1);
  RepairSender sender({.repair = LossRepair::trimming, .entropy_values = values}, 1, "nic0");
  sender.choose_by(choice);
  const Address back(flow.to(), flow.from(), flow.connection());
  std::vector<std::uint32_t> said;
  for (std::uint32_t k = 0; k < 10'000; ++k) {  // around
    const Frame frame = sender.leaving(frame_of(Train{.bytes = 1, .address = flow}), 0, SimTime{});
    const std::uint16_t number = as<NumberedTrain>(frame).number;
    CHECK(number / values == k % (65'536 / values));
    said.push_back(entropy_of(frame, values));
    if (k % 3 == 1) {
      const auto* answer = sender.on_acknowledgement(
          {.kind = MessageKind::trim_notice, .number = number, .address = back}, SimTime{});
      REQUIRE(answer->again.size() == 1);
      const Frame again = sender.leaving(answer->again.front().frame, 0, SimTime{});
      CHECK(as<NumberedTrain>(again).number / values == number / values);
    }
    static_cast<void>(
        sender.on_acknowledgement({.kind = selective, .number = number, .address = back}, SimTime{}));
    CHECK(sender.is_idle(flow));
  }
  for (std::uint32_t value = 0; value < values; ++value)
    CHECK(std::count(said.begin(), said.end(), value) > 100);
  for (std::uint32_t k = 0; k < NumberedTrain::max_outstanding / values - 1; ++k)
    static_cast<void>(sender.leaving(frame_of(Train{.bytes = 1, .address = flow}), 0, SimTime{}));
  CHECK_THROWS_WITH(sender.leaving(frame_of(Train{.bytes = 1, .address = flow}), 0, SimTime{}),
                    Catch::Contains("a flow has 2047 trains on the way on class 0"));
}

TEST_CASE("a flow whose numbers are all on the way may send again what it has sent, and nothing new") {
  constexpr std::uint32_t values = 256;  // 127 of its trains are told apart
  EntropyValues choice(values, PathChoice::turns, 1);
  RepairSender sender({.repair = LossRepair::trimming, .entropy_values = values}, 1, "nic0");
  sender.choose_by(choice);
  const Address back(flow.to(), flow.from(), flow.connection());
  const Frame train = frame_of(Train{.bytes = 1, .address = flow});
  CHECK(NumberedTrain::most_outstanding(values) == 127);
  for (std::uint32_t k = 0; k < 127; ++k) {
    CHECK(sender.may_send(flow.word()));
    static_cast<void>(sender.leaving(train, 0, SimTime{}));
  }
  CHECK_FALSE(sender.may_send(flow.word()));
  // What is there behind the first one leaves no number free.
  static_cast<void>(
      sender.on_acknowledgement({.kind = selective, .number = 5 * values, .address = back}, SimTime{}));
  CHECK(sender.in_flight(flow.word()) == 126);
  CHECK_FALSE(sender.may_send(flow.word()));
  const auto* trimmed =
      sender.on_acknowledgement({.kind = MessageKind::trim_notice, .number = 0, .address = back}, SimTime{});
  REQUIRE(trimmed->again.size() == 1);
  CHECK(sender.may_send(flow.word()));
  static_cast<void>(sender.leaving(trimmed->again.front().frame, 0, SimTime{}));
  CHECK_FALSE(sender.may_send(flow.word()));
  static_cast<void>(sender.on_acknowledgement({.kind = selective, .number = 0, .address = back}, SimTime{}));
  CHECK(sender.may_send(flow.word()));
}

TEST_CASE("its state is saved") {
  Sender one(LossRepair::selective_repeat, 8);
  one.hear(selective, 2, 10);
  StateWriter out;
  one.sender.save(out);
  Sender other(LossRepair::selective_repeat, 0);
  StateReader in(out.bytes());
  other.sender.load(in);
  StateWriter again;
  other.sender.save(again);
  CHECK(std::vector<std::byte>(out.bytes().begin(), out.bytes().end()) ==
        std::vector<std::byte>(again.bytes().begin(), again.bytes().end()));
  CHECK(other.hear(selective, 5, 12) == Numbers{3, 4});
}

TEST_CASE("a flow that is given up has nothing on the way, and what did not arrive is told") {
  Sender one(LossRepair::go_back_n, 5);
  one.hear(ack, 2, 10);  // all before number 2 are there
  const RepairSender::Forgotten forgotten = one.sender.forget(flow);
  CHECK(forgotten.bytes == 300);
  CHECK(forgotten.tokens.empty());
  CHECK(one.sender.is_idle(flow));
  CHECK(one.sender.waits_for().empty());
  CHECK(one.sender.forget(flow).bytes == 0);
  CHECK(one.sender.forget(Address(EndpointId{5}, EndpointId{6}, Connection::make(0, 0, 0))).bytes == 0);
}

TEST_CASE("what would have been told of a flow that is given up is named, and of no other time") {
  RepairSender sender({.repair = LossRepair::go_back_n,
                       .timeout = microseconds(50),
                       .retries = 2,
                       .completes_by_acknowledgement = true},
                      1, "nic0");
  for (const std::uint64_t token : {std::uint64_t{7}, std::uint64_t{8}, std::uint64_t{9}})
    CHECK(sender.keep(sender.leaving(frame_of(Train{.bytes = 100, .address = flow}), 1, SimTime{}), token));
  const Address back(flow.to(), flow.from(), flow.connection());
  CHECK(sender.on_acknowledgement({.kind = ack, .number = 1, .address = back}, SimTime{})->complete ==
        std::vector<std::uint32_t>{7});
  CHECK(sender.forget(flow).tokens == std::vector<std::uint32_t>{8, 9});
  CHECK(sender.forget(flow).tokens.empty());
}
