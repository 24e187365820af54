#include "network/port/traffic_meters.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "components/switch/switch.hpp"
#include "network/port/tables.hpp"
#include "network/transport/queue_pairs.hpp"
#include "network/wire/phase.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

using Values = std::vector<std::int64_t>;

constexpr auto number(Phase phase) {
  return static_cast<std::uint32_t>(phase);
}

/// Rows of a switch between two probes, which carries 100 B in 80 ps: of group kind 3 on two channels, of
/// group kind 5, a clear-to-send, and two operations of I/O.
std::vector<Values> rows(SimTime save_at, std::shared_ptr<const QueuePairs> pairs = nullptr) {
  NetworkBed bed;
  const ComponentId p0 = bed.add_endpoint(), p1 = bed.add_endpoint();
  auto spec = std::make_shared<SwitchSpec>();
  spec->port_rate = BitRate{10'000'000'000'000};
  const ComponentId s = bed.add(switch_kind(), spec, "switch");
  const auto line = bed.link_class(SimTime{1000}, BitRate{10'000'000'000'000}, 100, 1);
  bed.connect(p0, 0, s, 0, line);
  const LinkId out = bed.connect(s, 1, p1, 0, line);
  bed.route(s, SwitchRoute{{}, 0, 0, {{0}, {1}}});
  const auto send = [&](std::int64_t at, MessageKind kind, std::uint32_t group, std::uint32_t channel,
                        Phase phase) {
    bed.script(p0, SimTime{at}, 0,
               train_payload(kind, EndpointId{0}, EndpointId{1},
                             Connection::make(group, channel, number(phase)), 100, 1));
  };
  send(0, MessageKind::train, 3, 0, Phase::ring);
  send(100, MessageKind::train, 3, 7, Phase::ring);
  send(200, MessageKind::train, 5, 0, Phase::ring);
  send(300, MessageKind::control, 3, 0, Phase::pairs_clear);
  send(400, MessageKind::train, 1, 2, Phase::io_data);
  send(500, MessageKind::train, 4, 9, Phase::io_data);
  send(5000, MessageKind::train, 3, 0, Phase::ring);
  if (pairs) bed.finish_model().add(std::move(pairs));
  bed.record(SimTime{4000});
  bed.run(save_at);
  std::vector<Values> found;
  for (const Row& row : bed.rows(tables::link_traffic))
    if (row.values[0] == out.value) found.push_back(row.values);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("a link's traffic is counted by group kind and phase, that of I/O together") {
  const std::vector<Values> found = rows(time_never);
  REQUIRE(found.size() == 5);
  const std::int64_t out = found[0][0];
  const std::int64_t ring = number(Phase::ring), clear = number(Phase::pairs_clear),
                     data = number(Phase::io_data);
  CHECK(found == std::vector<Values>{{out, 0, -1, data, 200, 160},
                                     {out, 0, 3, ring, 200, 160},
                                     {out, 0, 3, clear, 0, 80},
                                     {out, 0, 5, ring, 100, 80},
                                     {out, 1, 3, ring, 100, 80}});
}

TEST_CASE("what a link carried of each kind of traffic is in a checkpoint") {
  const std::vector<Values> whole = rows(time_never);
  for (const std::int64_t at : {1350, 3000}) CHECK(rows(SimTime{at}) == whole);
}

TEST_CASE("what queue pairs carry is of their connection's group") {
  // Of four kinds, group kind 5 is queue pair 1 of kind 1.
  const auto pairs = std::make_shared<const QueuePairs>(QueuePairs{.count = 2, .group_kinds = 4});
  const std::vector<Values> plain = rows(time_never);
  std::vector<Values> expected;
  for (Values row : plain) {
    if (row[2] == 5) row[2] = 1;
    expected.push_back(row);
  }
  std::sort(expected.begin(), expected.end());
  CHECK(rows(time_never, pairs) == expected);
}
