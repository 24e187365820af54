#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"

namespace lightrail::test {
namespace {

constexpr std::uint32_t gpus = 8;
constexpr std::int64_t message = 1 << 20;

/// GPU 0 sends a message to each of `receivers` at the same time; when the last byte has left.
SimTime last_leaves(std::uint32_t planes, const std::vector<std::uint32_t>& receivers,
                    SimTime save_at = time_never) {
  GpuBed bed({.gpus = gpus, .planes = planes});
  const GroupKindId group = bed.group("all", gpus);
  Program sender;
  sender.role = "sender";
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    sender.streams.push_back("to" + std::to_string(i));
    Op send = point(OpKind::send, group, static_cast<std::int32_t>(receivers[i]), message);
    send.stream = static_cast<std::uint8_t>(i);
    sender.ops.push_back(send);
    Program receiver;
    receiver.role = "receiver" + std::to_string(i), receiver.streams = {"from"};
    receiver.ops = {point(OpKind::recv, group, -static_cast<std::int32_t>(receivers[i]), message)};
    bed.run_on({receivers[i]}, receiver);
  }
  bed.run_on({0}, sender);
  bed.run(save_at);
  SimTime last{};
  for (std::uint32_t i = 0; i < receivers.size(); ++i) last = std::max(last, bed.end_of(0, i));
  return last - bed.nccl.base_simple;
}

/// Whether the flows from GPU 0 to two GPUs take the same of four planes, by how long they take.
bool is_shared(std::uint32_t a, std::uint32_t b) {
  const SimTime time = last_leaves(4, {a, b}), alone = line(message, 4 * nvlink_ps);
  REQUIRE((time == alone || time == 2 * alone));
  return time == 2 * alone;
}

}  // namespace

TEST_CASE("a flow that is hashed to one of p planes has the rate of that plane's links") {
  for (std::uint32_t planes : {1u, 2u, 4u})
    for (std::uint32_t to = 1; to < gpus; ++to)
      CHECK(last_leaves(planes, {to}) == line(message, planes * nvlink_ps));
}

// Two flows of one GPU take a message's time on a plane where they take different ones, and twice that where
// they share one. Seven flows take as many of them as the fullest plane has.
TEST_CASE("flows of the same plane share its rate, and the fullest plane ends last") {
  std::map<std::uint32_t, std::set<std::uint32_t>> together;
  for (std::uint32_t a = 1; a < gpus; ++a) {
    together[a].insert(a);
    for (std::uint32_t b = a + 1; b < gpus; ++b)
      if (is_shared(a, b)) together[a].insert(b), together[b].insert(a);
  }
  std::set<std::set<std::uint32_t>> planes;
  std::size_t fullest = 0;
  for (const auto& [gpu, others] : together) {
    for (const std::uint32_t other : others) CHECK(together[other] == others);  // one plane each
    planes.insert(others);
    fullest = std::max(fullest, others.size());
  }
  CHECK(planes.size() > 1);
  CHECK(planes.size() <= 4);
  const SimTime all = last_leaves(4, {1, 2, 3, 4, 5, 6, 7});
  CHECK(all == line(static_cast<std::int64_t>(fullest) * message, 4 * nvlink_ps));
  CHECK(last_leaves(4, {1, 2, 3, 4, 5, 6, 7}, microseconds(30)) == all);  // saved and loaded on the way
}

// Every part is one flow. All n parts pass each GPU's line: nvls + path + n parts at the whole rate where the
// flows spread evenly over four planes, else as many parts as the fullest plane has at a quarter of it.
TEST_CASE("sums and copies of an NVSwitch stay in the chip that their flow is hashed to") {
  for (CollectiveType type :
       {CollectiveType::all_gather, CollectiveType::reduce_scatter, CollectiveType::all_reduce}) {
    const auto ends = [&](std::uint32_t planes, SimTime save_at) {
      GpuBed bed({.gpus = gpus, .nvls_efficiency = 1, .planes = planes});
      Op op = collective(type, bed.group("tp", gpus), gpus * message);
      op.algorithm = algorithm_named("nvls");
      bed.run_all({op});
      bed.run(save_at);
      CHECK(bed.bed.waits().empty());
      return bed.end_of(0, 0) - bed.nccl.nvls;
    };
    const SimTime whole = ends(1, time_never), hashed = ends(4, time_never);
    CHECK(hashed >= whole);
    CHECK(hashed <= 4 * whole);
    if (type != CollectiveType::all_reduce) {
      CHECK(whole == line(gpus * message, nvlink_ps) + nvlink_path);
      CHECK((hashed - nvlink_path) % line(message, 4 * nvlink_ps) == SimTime{0});
    }
    CHECK(ends(4, microseconds(100)) == hashed);
  }
}

}  // namespace lightrail::test
