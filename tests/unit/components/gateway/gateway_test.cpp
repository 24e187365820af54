#include "components/gateway/gateway.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "network/transport/tables.hpp"
#include "network/wire/phase.hpp"
#include "network/wire/train.hpp"
#include "network/wire/work_request.hpp"
#include "tests/support/network_bed.hpp"

namespace lightrail::test {
namespace {

using namespace serving_control;

constexpr SimTime latency = nanoseconds(200), delay = microseconds(3);
constexpr EndpointId odd_gpu{1};
constexpr Connection users = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::users));

/// A gateway of two NICs (1 ns a byte) and its scheduler, all of which are probes. Tokens are 4 B.
struct Bed {
  NetworkBed bed;
  ComponentId scheduler = bed.add_endpoint();
  std::array<ComponentId, 2> nics = {bed.add_endpoint(), bed.add_endpoint()};
  EndpointId self;

  explicit Bed(std::int64_t request_bytes = 0) {
    auto spec = std::make_shared<GatewaySpec>();
    spec->delay = delay;
    const ComponentId gateway = bed.add(gateway_kind(), spec, "gateway");
    self = EndpointId{gateway.value};
    const std::uint16_t line = bed.link_class(latency, BitRate{8'000'000'000});
    for (PortIndex nic = 0; nic < 2; ++nic) bed.connect(gateway, nic, nics[nic], 0, line);
    bed.connect(gateway, 2, scheduler, 0, line);
    bed.record(milliseconds(1));
    auto plan = std::make_shared<ServingPlan>();
    plan->requests = {{SimTime{0}, 10, 1}};
    plan->users.request_bytes = request_bytes;
    bed.finish_model().add<ServingPlan>(plan);
  }
  void ask_for_tokens(SimTime at, std::uint32_t tokens, std::uint32_t number) {
    bed.script(scheduler, at, 0,
               to_payload(TokensMove{.kind = MessageKind::tokens_receive,
                                     .tokens = tokens,
                                     .endpoint = odd_gpu.value,
                                     .number = number}));
  }
  void send_tokens(SimTime at, std::uint32_t bytes) {
    bed.script(nics[0], at, 0, to_payload(Train{.bytes = bytes, .address = Address(odd_gpu, self, users)}));
  }
};

}  // namespace

TEST_CASE("a prompt goes to its GPU by one NIC, in pieces that a NIC takes, when the delay is over") {
  Bed bed(max_work_bytes);  // and 40 B of the prompt
  bed.bed.script(bed.scheduler, SimTime{0}, 0, to_payload(PromptMove{.endpoint = odd_gpu.value}));
  bed.bed.run();
  CHECK(bed.bed.arrivals(bed.nics[0]).empty());
  const std::vector<Arrival>& sent = bed.bed.arrivals(bed.nics[1]);
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].time == latency + delay + latency);
  CHECK(as<WorkRequest>(sent[0].payload).bytes == max_work_bytes);
  CHECK(as<WorkRequest>(sent[1].payload).bytes == 40);
  CHECK(as<WorkRequest>(sent[1].payload).address == Address(bed.self, odd_gpu, users));
  const auto& rows = bed.bed.rows(tables::traffic);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].values == std::vector<std::int64_t>{bed.self.value, 0, max_work_bytes + 40, 1});
}

TEST_CASE("the scheduler hears of tokens that are whole, in their order, also from one that was loaded") {
  for (const SimTime save_at : {time_never, microseconds(5)}) {
    Bed bed;
    bed.ask_for_tokens(SimTime{0}, 3, 11);
    bed.ask_for_tokens(SimTime{0}, 2, 12);
    bed.send_tokens(microseconds(1), 10);
    bed.send_tokens(microseconds(6), 10);
    bed.bed.run(save_at);
    const std::vector<Arrival>& told = bed.bed.arrivals(bed.scheduler);
    REQUIRE(told.size() == 2);
    const SimTime whole = microseconds(6) + latency + nanoseconds(10) + delay;
    for (std::uint32_t i = 0; i < 2; ++i) {
      CHECK(as<TokensDone>(told[i].payload).number == 11 + i);
      CHECK(as<TokensDone>(told[i].payload).at == whole);
      CHECK(told[i].time == whole + latency);
    }
    CHECK(bed.bed.waits().empty());
  }
}

TEST_CASE("tokens that are there before the scheduler's word count when it comes") {
  Bed bed;
  bed.send_tokens(SimTime{0}, 4);
  bed.ask_for_tokens(microseconds(9), 1, 5);
  bed.bed.run();
  const std::vector<Arrival>& told = bed.bed.arrivals(bed.scheduler);
  REQUIRE(told.size() == 1);
  CHECK(as<TokensDone>(told[0].payload).at == microseconds(9) + latency);
}

TEST_CASE("a gateway says which tokens are missing at the end of a run") {
  Bed bed;
  bed.ask_for_tokens(SimTime{0}, 3, 1);
  bed.send_tokens(microseconds(1), 11);
  bed.bed.run();
  REQUIRE(bed.bed.waits().size() == 1);
  CHECK(bed.bed.waits()[0].find("1 messages have not come in whole") != std::string::npos);
}

TEST_CASE("a gateway refuses what is for another one, and what it has no use for") {
  Bed other;
  other.bed.script(other.nics[0], SimTime{0}, 0,
                   to_payload(Train{.bytes = 4, .address = Address(odd_gpu, EndpointId{0}, users)}));
  CHECK_THROWS_AS(other.bed.run(), SimulationError);
  for (const PortIndex port : {PortIndex{0}, PortIndex{2}}) {
    Bed bed;
    bed.bed.script(port == 0 ? bed.nics[0] : bed.scheduler, SimTime{0}, 0, to_payload(Go{.number = 1}));
    CHECK_THROWS_AS(bed.bed.run(), SimulationError);
  }
}

}  // namespace lightrail::test
