#include <catch2/catch.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "components/scheduler/batch_maker.hpp"

using namespace lightrail;

namespace {

/// One replica of one GPU with room for `kv_tokens`, and requests of (prompt, output).
struct Bed {
  ServingPlan plan;
  ServingPool pool;
  std::vector<RequestState> states;

  Bed(std::vector<std::pair<std::uint32_t, std::uint32_t>> lengths, std::int64_t kv_tokens) {
    for (auto [prompt, output] : lengths) plan.requests.push_back({SimTime{0}, prompt, output});
    plan.batch_tokens = 100, plan.sequences = 4, plan.kv_block = 10;
    pool.kv_tokens = kv_tokens;
    states.resize(plan.requests.size());
  }
  /// The next batch of `replica` as (request, tokens), ended at once as the scheduler does.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> step(Replica& replica) {
    const Batch* made = replica.make_batch(SimTime{0}, states);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
    if (!made) return parts;
    Batch batch;
    REQUIRE(replica.report(made->number, batch));
    for (const Batch::Part& part : batch.parts) {
      parts.emplace_back(part.request, part.tokens);
      RequestState& state = states[part.request];
      state.is_in_batch = 0;
      state.prefilled += part.tokens;
      if (state.prefilled < plan.requests[part.request].prompt) continue;
      if (++state.generated == plan.requests[part.request].output) replica.leave(part.request);
    }
    return parts;
  }
};

/// A request that is there when it is known.
void take(Replica& replica, std::uint32_t request) {
  replica.await(request);
  replica.enqueue(request);
}

using Parts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

}  // namespace

TEST_CASE("chunked batches give every request its next token and are filled with prompts") {
  Bed bed({{50, 3}, {80, 2}}, 1000);
  Replica replica(bed.plan, bed.pool, 0);
  for (std::uint32_t r = 0; r < 2; ++r) take(replica, r);
  CHECK(bed.step(replica) == Parts{{0, 50}, {1, 50}});
  CHECK(bed.step(replica) == Parts{{0, 0}, {1, 30}});
  CHECK(bed.step(replica) == Parts{{0, 0}, {1, 0}});
  CHECK(bed.step(replica).empty());
  CHECK(replica.kv_tokens() == 0);
  CHECK(replica.load() == 0);
}

TEST_CASE("without chunks prompts come whole and before next tokens") {
  Bed bed({{50, 3}, {80, 2}}, 1000);
  bed.plan.is_chunked = false;
  Replica replica(bed.plan, bed.pool, 0);
  for (std::uint32_t r = 0; r < 2; ++r) take(replica, r);
  CHECK(bed.step(replica) == Parts{{0, 50}});
  CHECK(bed.step(replica) == Parts{{1, 80}});
  CHECK(bed.step(replica) == Parts{{0, 0}, {1, 0}});
  CHECK(bed.step(replica) == Parts{{0, 0}});
  CHECK(bed.step(replica).empty());
}

TEST_CASE("a request waits until the room for all its tokens is free, and none overtakes it") {
  // Blocks of 10: 40 + 15 tokens take 60, 20 + 1 take 30. Both do not fit 80.
  Bed bed({{40, 15}, {40, 15}, {20, 1}}, 80);
  Replica replica(bed.plan, bed.pool, 0);
  for (std::uint32_t r = 0; r < 3; ++r) take(replica, r);
  CHECK(bed.step(replica) == Parts{{0, 40}});
  CHECK(replica.kv_tokens() == 60);
  for (int k = 0; k < 14; ++k) CHECK(bed.step(replica) == Parts{{0, 0}});
  CHECK(replica.kv_tokens() == 0);
  CHECK(bed.step(replica) == Parts{{1, 40}});
  CHECK(replica.waiting() == 1);
}

TEST_CASE("no more requests are at work than the plan allows") {
  Bed bed({{10, 5}, {10, 5}, {10, 5}}, 1000);
  bed.plan.sequences = 2;
  Replica replica(bed.plan, bed.pool, 0);
  for (std::uint32_t r = 0; r < 3; ++r) take(replica, r);
  CHECK(bed.step(replica) == Parts{{0, 10}, {1, 10}});
  for (int k = 0; k < 4; ++k) CHECK(bed.step(replica) == Parts{{0, 0}, {1, 0}});
  CHECK(bed.step(replica) == Parts{{2, 10}});
}

TEST_CASE("a pipeline of two stages has two batches at work, of different requests") {
  Bed bed({{100, 2}, {100, 2}, {100, 2}}, 1000);
  bed.pool.pp = 2;
  Replica replica(bed.plan, bed.pool, 0);
  for (std::uint32_t r = 0; r < 3; ++r) take(replica, r);
  REQUIRE(replica.make_batch(SimTime{0}, bed.states));
  REQUIRE(replica.make_batch(SimTime{0}, bed.states));
  CHECK_FALSE(replica.can_take_batch());
  CHECK(replica.make_batch(SimTime{0}, bed.states) == nullptr);
  Batch ended;
  CHECK_FALSE(replica.report(0, ended));
  CHECK(replica.report(0, ended));
  CHECK(ended.parts[0].request == 0);
  CHECK(replica.can_take_batch());
}

TEST_CASE("the share of a batch is sums and means: half to each of two data-parallel shares") {
  Bed bed({{30, 9}, {50, 9}, {60, 9}}, 1000);
  bed.plan.batch_tokens = 71;
  bed.pool.dp = 2, bed.pool.tp = 1, bed.pool.ep = 2;
  Replica replica(bed.plan, bed.pool, 0);
  for (std::uint32_t r = 0; r < 3; ++r) take(replica, r);
  // All 140 tokens of the three prompts: their tokens see 15, 25 and 30 keys on average.
  const Batch* batch = replica.make_batch(SimTime{0}, bed.states);
  REQUIRE(batch);
  BatchSizes sizes = replica.share(*batch, bed.states);
  CHECK(sizes.prefill_tokens == 70);
  CHECK(sizes.prefill_sequences == 2);
  CHECK(sizes.twice_prefill_keys == (30 * 30 + 50 * 50 + 60 * 60 + 139) / 140);
  CHECK(sizes.logits == 2);
  CHECK(sizes.decode_sequences == 0);
  Batch ended;
  CHECK_FALSE(replica.report(0, ended));
  REQUIRE(replica.report(0, ended));
  for (std::uint32_t r = 0; r < 3; ++r)
    bed.states[r].is_in_batch = 0, bed.states[r].prefilled = bed.plan.requests[r].prompt,
    bed.states[r].generated = 1;
  batch = replica.make_batch(SimTime{0}, bed.states);
  REQUIRE(batch);
  sizes = replica.share(*batch, bed.states);
  CHECK(sizes.decode_sequences == 2);
  CHECK(sizes.decode_keys == (31 + 51 + 61 + 2) / 3);
}

TEST_CASE("a replica that only prefills keeps room for the prompt and its first token") {
  Bed bed({{40, 15}}, 80);
  bed.pool.decodes = false;
  Replica replica(bed.plan, bed.pool, 0);
  CHECK(replica.room(0) == 50);
}

TEST_CASE(
    "with as many sequences as tokens of a batch every request at work gets its next token in every batch") {
  Bed bed(std::vector<std::pair<std::uint32_t, std::uint32_t>>(6, {1, 5}), 1000);
  bed.plan.batch_tokens = bed.plan.sequences = 3;
  Replica replica(bed.plan, bed.pool, 0);
  for (std::uint32_t r = 0; r < 6; ++r) take(replica, r);
  CHECK(bed.step(replica) == Parts{{0, 1}, {1, 1}, {2, 1}});
  for (int k = 0; k < 4; ++k) CHECK(bed.step(replica) == Parts{{0, 0}, {1, 0}, {2, 0}});
  CHECK(bed.step(replica) == Parts{{3, 1}, {4, 1}, {5, 1}});
}

TEST_CASE("a request is load of its replica from when it is known, and in the queue from when it is there") {
  Bed bed({{100, 4}}, 1000);
  Replica replica(bed.plan, bed.pool, 0);
  replica.await(0);
  CHECK(replica.load() == 110);  // blocks of ten tokens
  CHECK(bed.step(replica).empty());
  replica.enqueue(0);
  CHECK(replica.load() == 110);
  CHECK(replica.waiting() == 1);
  CHECK(bed.step(replica) == Parts{{0, 100}});
}

TEST_CASE("a long queue is served in its order, also by a replica that was saved and loaded") {
  const std::uint32_t count = 100'000;
  Bed bed(std::vector<std::pair<std::uint32_t, std::uint32_t>>(count, {1, 1}), 1000);
  bed.plan.sequences = 100;
  Replica replica(bed.plan, bed.pool, 0);
  for (std::uint32_t r = 0; r < count; ++r) take(replica, r);
  std::uint32_t next = 0;
  auto serve = [&](Replica& by, std::uint32_t until) {
    while (next < until) {
      const Parts parts = bed.step(by);
      REQUIRE(parts.size() == 100);
      REQUIRE(parts.front() == Parts::value_type{next, 1});
      next += 100;
    }
  };
  serve(replica, count / 2);
  StateWriter out;
  replica.save(out);
  Replica again(bed.plan, bed.pool, 0);
  StateReader in(out.bytes());
  again.load(in);
  CHECK(again.waiting() == count / 2);
  serve(again, count);
  CHECK(bed.step(again).empty());
  CHECK(again.load() == 0);
}
