// Where the fields of every message lie in its 16 bytes: the event hash of a run covers them, so they stay.
#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <utility>

#include "network/port/credit/credit.hpp"
#include "network/wire/congestion_notice.hpp"
#include "network/wire/counted_train.hpp"
#include "network/wire/delegated_train.hpp"
#include "network/wire/injector_wake.hpp"
#include "network/wire/marked_train.hpp"
#include "network/wire/meeting.hpp"
#include "network/wire/rail_control.hpp"
#include "network/wire/region_control.hpp"
#include "network/wire/serving_control.hpp"
#include "network/wire/train.hpp"
#include "network/wire/work_request.hpp"

using namespace lightrail;

namespace {

struct Words {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Words&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Words& words) {
  return out << std::hex << words.low << ' ' << words.high << std::dec;
}

template <class T>
Words words_of(const T& message) {
  return std::bit_cast<Words>(to_payload(message));
}

/// The words of four 32-bit numbers, the first made of kind (8 bits), lane (8) and the rest (16).
Words words(std::uint64_t kind, std::uint64_t lane, std::uint64_t rest, std::uint64_t bytes, std::uint64_t a,
            std::uint64_t b) {
  return {kind | lane << 8 | rest << 16 | bytes << 32, a | b << 32};
}

/// Of endpoints 0xabcde (to) and 0x12345 (from), connection 0xfedcba.
const Address address{EndpointId{0x12345}, EndpointId{0xabcde}, Connection{0xfedcba}};
constexpr std::uint64_t a = 0xfedabcde, b = 0xcba12345;

}  // namespace

TEST_CASE("a train has packets in 13 bits and retries above them") {
  Train train;
  train.lane = 5, train.packets = 0x1234 & 0x1fff, train.retries = 5, train.bytes = 0xdeadbeef;
  train.address = address;
  CHECK(words_of(train) == words(1, 5, 0xb234, 0xdeadbeef, a, b));
  train.kind = MessageKind::corrupt_control;
  CHECK(words_of(train) == words(10, 5, 0xb234, 0xdeadbeef, a, b));
}

TEST_CASE("a train that is counted has the length and number of its batch, and the highest bit set") {
  CountedTrain train;
  train.lane = 5, train.trains = 0xab, train.number = 0x45, train.bytes = 4096, train.address = address;
  CHECK(words_of(train) == words(1, 5, 0x45ab, 4096, a, b));
  train.is_counted = 1;
  CHECK(words_of(train) == words(1, 5, 0xc5ab, 4096, a, b));
  CHECK(words_of(BatchRest::of(address, 0xfedcba9, 0x7654321)) ==
        words(35, 0x21, 0x6543, std::uint64_t{0xfedcba9} << 4 | 7, a, b));
}

TEST_CASE("a frame is what a train and its forms have alike") {
  Train train;
  train.lane = 5, train.packets = 16, train.retries = 2, train.bytes = 4096, train.address = address;
  const Frame frame = frame_of(train);
  CHECK(frame == Frame{MessageKind::train, 5, 0x4010, 4096, address});
  CHECK(words_of(frame) == words_of(train));
  CHECK(as<Frame>(to_payload(train)) == frame);
}

TEST_CASE("a delegated train has its delegate where a train has packets") {
  const DelegatedTrain train{MessageKind::bypass_control, 1, 0xfffe, 77, address};
  CHECK(words_of(train) == words(17, 1, 0xfffe, 77, a, b));
  CHECK(train.is_bypass());
  CHECK(!DelegatedTrain{}.is_bypass());
}

TEST_CASE("a returned train has its retries where a train has them") {
  ReturnedTrain train;
  train.kind = MessageKind::returned_control, train.retries = 7, train.is_given_up = 1, train.bytes = 9;
  train.address = address;
  CHECK(words_of(train) == words(19, 0, 0xf000, 9, a, b));
}

TEST_CASE("a work request has its flags in the low bits and its retries in the high ones") {
  WorkRequest work;
  work.lane = 2, work.bytes = 1 << 30, work.address = address;
  CHECK(words_of(work) == words(3, 2, 0, 1 << 30, a, b));
  work.notify = 1;
  CHECK(words_of(work) == words(3, 2, 1, 1 << 30, a, b));
  work.notify = 0, work.reduce_in_fabric = 1;
  CHECK(words_of(work) == words(3, 2, 2, 1 << 30, a, b));
  work.reduce_in_fabric = 0, work.is_resent = 1;
  CHECK(words_of(work) == words(3, 2, 4, 1 << 30, a, b));
  work.is_resent = 0, work.is_grown = 1;
  CHECK(words_of(work) == words(3, 2, 8, 1 << 30, a, b));
  work.is_grown = 0, work.part = 15;
  CHECK(words_of(work) == words(3, 2, 0xf0, 1 << 30, a, b));
  work.part = 0, work.retries = 7;
  CHECK(words_of(work) == words(3, 2, 0xe000, 1 << 30, a, b));
}

TEST_CASE("deferred work has its port between flags and retries, and its high bits above the lane") {
  DeferredWork work;
  work.lane = 3, work.notify = 1, work.retries = 1, work.bytes = 64, work.address = address;
  work.set_port(31);
  CHECK(words_of(work) == words(3, 3, 0x2000 | 0x1f00 | 1, 64, a, b));
  work.set_port(32);
  CHECK(words_of(work) == words(3, 3 | 1 << 3, 0x2000 | 1, 64, a, b));
  work.is_grown = 1;
  CHECK(words_of(work) == words(3, 3 | 1 << 3, 0x2000 | 0x8 | 1, 64, a, b));
  work.is_grown = 0, work.part = 15;
  CHECK(words_of(work) == words(3, 3 | 1 << 3, 0x2000 | 0xf0 | 1, 64, a, b));
}

TEST_CASE("the code of a part has the length of its trains, rounded up to a power of two") {
  for (const auto& [bytes, longest] : {std::pair{1u, 512u},
                                       {512u, 512u},
                                       {513u, 1024u},
                                       {4096u, 4096u},
                                       {4097u, 8192u},
                                       {4u << 20, 4u << 20},
                                       {(4u << 20) + 1, UINT32_MAX}}) {
    CHECK(PartCode::of(bytes) > 0);
    CHECK(PartCode::longest(PartCode::of(bytes)) == longest);
  }
}

TEST_CASE("every port of deferred work comes back as it went in") {
  DeferredWork work;
  for (std::uint32_t port = 0; port <= DeferredWork::max_port; ++port) {
    work.set_port(port);
    if (as<DeferredWork>(to_payload(work)).port() != port) FAIL(port);
  }
  CHECK(work.lane == 0);
  CHECK(work.retries == 0);
  CHECK_THROWS_AS(work.set_port(DeferredWork::max_port + 1), ContractError);
}

TEST_CASE("a notice of sending has the work request's addresses and bytes") {
  SentNotice notice;
  notice.lane = 1, notice.bytes = 5, notice.address = address;
  CHECK(words_of(notice) == words(6, 1, 0, 5, a, b));
  notice.is_resent = 1;
  CHECK(words_of(notice) == words(6, 1, 4, 5, a, b));
}

TEST_CASE("a credit has its lane and bytes where a train has them, an injector's wake its tag behind") {
  CHECK(words_of(Credit{.lane = 7, .bytes = 0xffffffff}) == words(2, 7, 0, 0xffffffff, 0, 0));
  CHECK(words_of(InjectorWake{.tag = 0xfffffffe}) == words(5, 0, 0, 0, 0xfffffffe, 0));
}

TEST_CASE("messages about a region's circuits lie as they are described") {
  using namespace region_control;
  CHECK(words_of(Connect{.in = 3, .out = 4}) == words(40, 0, 0, 0, 3, 4));
  CHECK(words_of(Apply{}) == words(41, 0, 0, 0, 0, 0));
  CHECK(words_of(Lit{}) == words(42, 0, 0, 0, 0, 0));
  CHECK(words_of(Alarm{.port = Alarm::all_ports}) == words(39, 0, 0, 0, 0xffffffff, 0));
  CHECK(words_of(Demand{.units = 1, .member = 2, .call = 3}) == words(43, 0, 0, 1, 2, 3));
  CHECK(words_of(DemandEnd{.call = 3}) == words(44, 0, 0, 0, 0, 3));
  CHECK(words_of(Drained{.epoch = 3}) == words(45, 0, 0, 0, 0, 3));
  CHECK(words_of(Pause{.epoch = 3}) == words(46, 0, 0, 0, 0, 3));
  CHECK(words_of(Circuit{.nic = 2, .member = 3}) == words(47, 0, 0, 0, 2, 3));
  CHECK(words_of(Live{.wants_begun = 1, .calls = 2, .epoch = 3}) == words(48, 0, 0, 1, 2, 3));
  CHECK(words_of(Absent{}) == words(49, 0, 0, 0, 0, 0));
  CHECK(words_of(Begun{}) == words(50, 0, 0, 0, 0, 0));
  CHECK(words_of(Share{.parts = 1, .member = 2}) == words(51, 0, 0, 1, 2, 0));
  CHECK(words_of(Share{.kind = MessageKind::beside, .parts = 1, .member = 2}) == words(52, 0, 0, 1, 2, 0));
}

TEST_CASE("messages about a rail's circuits lie as they are described") {
  using namespace rail_control;
  CHECK(words_of(Request{.server = 9}) == words(54, 0, 0, 0, 9, 0));
  CHECK(words_of(Released{}) == words(55, 0, 0, 0, 0, 0));
  CHECK(words_of(Granted{.server = 9}) == words(56, 0, 0, 0, 9, 0));
  CHECK(words_of(Reclaim{}) == words(57, 0, 0, 0, 0, 0));
}

TEST_CASE("messages of an inference job lie as they are described") {
  using namespace serving_control;
  CHECK(words_of(Prefill{.tokens = 1, .twice_keys = 2, .sequences = 3}) == words(60, 0, 0, 1, 2, 3));
  CHECK(words_of(Decode{.sequences = 1, .keys = 2, .logits = 3}) == words(61, 0, 0, 1, 2, 3));
  CHECK(words_of(Go{.number = 3}) == words(62, 0, 0, 0, 0, 3));
  CHECK(words_of(KvMove{.units = 1, .gpu = 2, .request = 3}) == words(63, 0, 0, 1, 2, 3));
  CHECK(words_of(KvMove{.kind = MessageKind::kv_receive, .units = 1, .gpu = 2, .request = 3}) ==
        words(64, 0, 0, 1, 2, 3));
  CHECK(words_of(BatchDone{.number = 3}) == words(65, 0, 0, 0, 0, 3));
  CHECK(words_of(KvDone{.request = 3}) == words(66, 0, 0, 0, 0, 3));
  CHECK(words_of(PromptMove{.endpoint = 2, .request = 3}) == words(82, 0, 0, 0, 2, 3));
  CHECK(words_of(PromptMove{.kind = MessageKind::prompt_receive, .endpoint = 2, .request = 3}) ==
        words(83, 0, 0, 0, 2, 3));
  CHECK(words_of(TokensMove{.tokens = 1, .endpoint = 2, .number = 3}) == words(84, 0, 0, 1, 2, 3));
  CHECK(words_of(TokensMove{.kind = MessageKind::tokens_receive, .tokens = 1, .endpoint = 2, .number = 3}) ==
        words(85, 0, 0, 1, 2, 3));
  CHECK(words_of(PromptDone{.request = 1, .at = SimTime{2}}) == words(86, 0, 0, 1, 2, 0));
  CHECK(words_of(TokensDone{.number = 1, .at = SimTime{2}}) == words(87, 0, 0, 1, 2, 0));
}

TEST_CASE("what GPUs and a meeting tell each other is laid out as 16 bytes") {
  CHECK(words_of(meeting::Arrived{.program = 1, .op = 2, .slot = 3}) == words(67, 0, 0, 1, 2, 3));
  CHECK(words_of(meeting::Met{.slot = 1, .partner_at = SimTime{5}}) == words(68, 0, 0, 1, 5, 0));
}

TEST_CASE("a payload is read only as a message that its kind stands for") {
  CHECK(as<region_control::Demand>(to_payload(region_control::Demand{.units = 7})).units == 7);
  CHECK_THROWS_AS(as<region_control::Demand>(to_payload(Credit{})), ContractError);
  CHECK_THROWS_AS(as<Train>(to_payload(Credit{})), ContractError);
  CHECK_THROWS_AS(as<rail_control::Request>(to_payload(region_control::Begun{})), ContractError);
}

TEST_CASE("a congestion notice has the packets that were marked where trains have theirs") {
  CongestionNotice notice;
  notice.lane = 5, notice.marks = 0x1234, notice.address = address;
  CHECK(words_of(notice) == words(23, 5, 0x1234, 42, a, b));
  CHECK(without_mark(frame_of(notice), 4096) == std::nullopt);
}

TEST_CASE("a marked train has the packets that are marked where a train has all of its packets") {
  const Frame train =
      frame_of(Train{.lane = 5, .packets = 3, .retries = 2, .bytes = 12'288, .address = address});
  const MarkedTrain marked = MarkedTrain::of(train, 2);
  CHECK(words_of(marked) == words(22, 5, 2u << packet_bits | 2, 12'288, a, b));
  CHECK(marks_of(train) == 0);
  CHECK(marks_of(frame_of(marked)) == 2);
  CHECK(MarkedTrain::of(frame_of(marked), 3).marks == 3);
  CHECK(frame_of(marked.plain(4096)) == train);
}

TEST_CASE("a train that is sent again has no mark of the way that it did not go") {
  const Frame train = frame_of(Train{.lane = 5, .packets = 2, .bytes = 4100, .address = address});
  CHECK(without_mark(frame_of(MarkedTrain::of(train, 1)), 4096) == train);
  CHECK(without_mark(train, 4096) == train);
}
