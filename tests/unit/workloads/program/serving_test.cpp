#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "workloads/program/serving.hpp"

using namespace lightrail;

namespace {

/// A batch of two prompts with 10 tokens in all and three sequences that get their next token.
BatchSizes small_batch() {
  BatchSizes batch;
  batch.prefill_sequences = 2, batch.prefill_tokens = 10, batch.twice_prefill_keys = 15;
  batch.decode_sequences = 3, batch.decode_keys = 40;
  batch.logits = 5;
  return batch;
}

ServingPlan plan_of(std::int64_t layers, std::uint32_t kv_heads) {
  ServingPlan plan;
  plan.layers = layers;
  plan.kv_heads = kv_heads;
  plan.kv_head_bytes = 100;
  return plan;
}

ServingPool pool_of(std::uint32_t first_gpu, std::uint32_t tp, std::uint32_t pp, std::uint32_t dp = 1) {
  ServingPool pool;
  pool.first_gpu = first_gpu;
  pool.tp = tp, pool.pp = pp, pool.dp = dp;
  return pool;
}

}  // namespace

TEST_CASE("each unit counts its part of a batch") {
  const BatchSizes batch = small_batch();
  ServingProgram program;
  program.tp = 4, program.active_experts = 2;
  CHECK(units_of(BatchUnit::fixed, program, batch) == 1);
  CHECK(units_of(BatchUnit::tokens, program, batch) == 13);
  CHECK(units_of(BatchUnit::slices, program, batch) == 4);  // 13 / 4, rounded up
  CHECK(units_of(BatchUnit::rows, program, batch) == 26);
  CHECK(units_of(BatchUnit::logits, program, batch) == 5);
  CHECK(units_of(BatchUnit::prefill, program, batch) == 10);
  CHECK(units_of(BatchUnit::decode, program, batch) == 3);
  program.has_sliced_rows = true;
  CHECK(units_of(BatchUnit::rows, program, batch) == 8);
}

TEST_CASE("products grow by rows, passes over memory by bytes, and a fixed kernel not at all") {
  const BatchSizes batch = small_batch();
  const ServingProgram program{1, 2, false, {}};
  KernelShape gemm;
  gemm.m = 1, gemm.n = 64, gemm.k = 32;
  CHECK(sized(gemm, BatchUnit::tokens, program, batch).m == 13);
  CHECK(sized(gemm, BatchUnit::fixed, program, batch).m == 1);
  KernelShape pass;
  pass.kind = KernelKind::memory_bound;
  pass.bytes = 8;
  CHECK(sized(pass, BatchUnit::decode, program, batch).bytes == 24);
}

TEST_CASE("experts share their rows evenly; fewer rows than experts are products of one row") {
  const ServingProgram program{1, 2, false, {}};
  KernelShape experts;
  experts.batch = 8, experts.m = 1;
  BatchSizes batch = small_batch();  // 26 rows: 8 products of 4
  CHECK(sized(experts, BatchUnit::rows, program, batch).batch == 8);
  CHECK(sized(experts, BatchUnit::rows, program, batch).m == 4);
  batch.prefill_tokens = 0, batch.decode_sequences = 3;  // 6 rows
  CHECK(sized(experts, BatchUnit::rows, program, batch).batch == 6);
  CHECK(sized(experts, BatchUnit::rows, program, batch).m == 1);
  batch.decode_sequences = 0;
  CHECK(is_empty(sized(experts, BatchUnit::rows, program, batch)));
}

TEST_CASE("attention over prompts sees half of one prompt's keys, of several ones as many as all see") {
  const ServingProgram program;
  KernelShape attention;
  attention.kind = KernelKind::attention;
  BatchSizes batch = small_batch();
  KernelShape kernel = sized(attention, BatchUnit::prefill, program, batch);
  CHECK(kernel.m == 10);
  CHECK(kernel.causal == 0);
  CHECK(kernel.n == 8);  // 15 / 2, rounded up
  batch.prefill_sequences = 1, batch.twice_prefill_keys = 11;
  kernel = sized(attention, BatchUnit::prefill, program, batch);
  CHECK(kernel.causal == 1);
  CHECK(kernel.n == 11);  // a causal kernel of 10 queries and 11 keys
}

TEST_CASE("attention of sequences that decode is one query each over their keys") {
  KernelShape attention;
  attention.kind = KernelKind::attention;
  const KernelShape kernel = sized(attention, BatchUnit::decode, {}, small_batch());
  CHECK(kernel.batch == 3);
  CHECK(kernel.m == 1);
  CHECK(kernel.n == 40);
  CHECK(is_empty(sized(attention, BatchUnit::decode, {}, BatchSizes{})));
}

TEST_CASE("keys and values take whole blocks") {
  const ServingPlan plan;
  CHECK(plan.kv_room(0) == 0);
  CHECK(plan.kv_room(1) == 16);
  CHECK(plan.kv_room(16) == 16);
  CHECK(plan.kv_room(17) == 32);
}

TEST_CASE("users reach the first GPU of a replica, and get tokens from the first of its last stage") {
  ServingPool pool;
  pool.tp = 2, pool.dp = 3, pool.pp = 4, pool.first_gpu = 5, pool.replicas = 2;
  CHECK(pool.prompt_gpu(0) == EndpointId{5});
  CHECK(pool.token_gpu(0) == EndpointId{5 + 18});
  CHECK(pool.prompt_gpu(1) == EndpointId{5 + 24});
  CHECK(pool.token_gpu(1) == EndpointId{5 + 24 + 18});
  pool.pp = 1;
  CHECK(pool.token_gpu(1) == pool.prompt_gpu(1));
}

TEST_CASE("a request on its way in is its fixed part and its prompt") {
  ServingPlan plan;
  plan.requests = {{SimTime{0}, 100, 1}};
  CHECK(plan.bytes_in(0) == 400);
  plan.users.request_bytes = 7, plan.users.prompt_bytes = 3;
  CHECK(plan.bytes_in(0) == 307);
}

TEST_CASE("between equal pools every GPU sends its heads and layers to its namesake") {
  const auto routes = kv_routes(plan_of(8, 4), pool_of(0, 2, 1), 0, pool_of(2, 2, 1), 0, 0);
  REQUIRE(routes.size() == 2);
  for (std::uint32_t t = 0; t < 2; ++t) {
    CHECK(routes[t].from == EndpointId{t});
    CHECK(routes[t].to == EndpointId{2 + t});
    CHECK(routes[t].bytes_per_token == 8 * 2 * 100);
  }
}

TEST_CASE("whatever the two splits, all heads of all layers arrive, and each GPU gets its share") {
  // 8 layers of 8 heads of 100 B, where no GPU keeps a head that another one has.
  const ServingPlan plan = plan_of(8, 8);
  for (std::uint32_t from_tp : {1u, 2u, 4u, 8u})
    for (std::uint32_t to_tp : {1u, 2u, 4u, 8u})
      for (std::uint32_t from_pp : {1u, 2u, 4u})
        for (std::uint32_t to_pp : {1u, 2u, 8u}) {
          CAPTURE(from_tp, to_tp, from_pp, to_pp);
          const ServingPool from = pool_of(0, from_tp, from_pp), to = pool_of(100, to_tp, to_pp);
          std::map<std::uint32_t, std::int64_t> received;
          std::int64_t total = 0;
          for (const KvRoute& route : kv_routes(plan, from, 0, to, 0, 0)) {
            CHECK(route.from.value < from.replica_gpus());
            received[route.to.value] += route.bytes_per_token;
            total += route.bytes_per_token;
          }
          CHECK(total == 8 * 8 * 100);
          CHECK(received.size() == to.replica_gpus());
          for (const auto& [gpu, bytes] : received) CHECK(bytes == total / to.replica_gpus());
        }
}

TEST_CASE("the replica and the request choose the GPUs") {
  const ServingPlan plan = plan_of(4, 1);
  const auto route = [&](std::uint32_t from_replica, std::uint32_t to_replica, std::uint32_t request) {
    const auto routes =
        kv_routes(plan, pool_of(0, 1, 1, 2), from_replica, pool_of(10, 1, 1, 3), to_replica, request);
    REQUIRE(routes.size() == 1);
    return std::pair{routes[0].from.value, routes[0].to.value};
  };
  CHECK(route(0, 0, 0) == std::pair{0u, 10u});
  CHECK(route(1, 2, 0) == std::pair{2u, 16u});
  CHECK(route(0, 0, 5) == std::pair{1u, 12u});  // 5 mod 2, 5 mod 3
}
