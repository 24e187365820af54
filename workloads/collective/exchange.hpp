#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "workloads/collective/group_plan.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// A collective as rounds of messages between pairs: what one member sends and receives. All receives are
/// awaited from the start; a round's messages leave when all that round `after` receives has come in. Rounds
/// of one lane follow one another, so messages of a pair and lane come in the order in which they are
/// awaited.
struct ExchangePlan {
  static constexpr std::uint32_t none = 0xffffffff;
  struct Message {
    EndpointId peer{};
    std::int64_t payload = 0, wire = 0;  ///< > 0 [B]
    SimTime after{};                     ///< receives: software time after the last byte
  };
  struct Round {
    std::vector<Message> sends, receives;
    std::uint32_t after = none;  ///< an earlier round
    std::uint32_t lane = 0;      ///< channel of its connections
  };
  std::vector<Round> rounds;
  bool is_by_gpu = false;  ///< the GPU posts to its own NIC itself: no proxy thread, no PXN
};

/// What an exchange is about.
struct ExchangeInput {
  const GroupPlan& plan;
  const GroupView& group;  ///< of the member
  const Op& op;
  Protocol protocol = Protocol::simple;
  /// Bytes that member `from` has for member `to` (indices of the group): an all-to-all.
  std::function<std::int64_t(std::uint32_t from, std::uint32_t to)> share;
};

/// Every member to every other at once. All-reduce: its whole buffer, n (n - 1) S in all; all-gather: its
/// part; reduce-scatter: the receiver's part; broadcast: from the root; all-to-all: their shares. It is how
/// planners of networks count traffic, and needs no NVLink or rails to be any order.
ExchangePlan full_mesh(const ExchangeInput& in);

/// All-to-all in n - 1 rounds: with me + r and me - r at a time.
ExchangePlan pairwise(const ExchangeInput& in);

/// All-to-all in two steps: over NVLink to the local member of the receiver's place, from there all that its
/// server has for that receiver in one message over the rail. Cut into slices, so that the steps overlap.
/// Needs as many members of every server.
ExchangePlan hierarchical(const ExchangeInput& in);

/// All-gather or reduce-scatter on NCCL's parallel aggregated trees: ceil(log2 n) rounds, the farthest first
/// (all-gather) or last; the round of distance d carries the blocks whose offset is a multiple of 2 d.
ExchangePlan aggregated_trees(const ExchangeInput& in);

/// DeepEP's dispatch of tokens to the GPUs of their experts; a combine goes the other way and takes as long.
/// `op.bytes` are the copies of all tokens, one an expert (ExpertCounts of `op.peer`; 0: as <nccl> says);
/// what travels is once for each server and GPU that has any of a token's experts (ExpertRoutes). Normal:
/// over the rail to the GPU of the own place in each server, from there over NVLink, in slices. Low latency:
/// every copy straight to its GPU, over the fabric from the own NIC, repeated for every expert.
ExchangePlan deepep(const ExchangeInput& in, bool is_low_latency);

}  // namespace lightrail
