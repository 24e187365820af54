#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/describe.hpp"
#include "workloads/job/operation_names.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

/// What one <op> may say; which attributes it has depends on its kind.
struct OpSpec {
  std::string kind, id, name, after, stream, group = "world", peer;
  SimTime duration{};
  Bytes size{};
  CollectiveType collective = CollectiveType::none;
  Algorithm algorithm = Algorithm::auto_select;
  Protocol protocol = Protocol::auto_select;
  std::uint32_t element = 4, root = 0, server = 0, every = 1;
  IoMode io = IoMode::own;
  std::int64_t m = 0, n = 0, k = 0, batch = 1, heads = 0, kv_heads = 0, head_dim = 0;
  DataType dtype = DataType::bf16;
  Scaling scaling = Scaling::tensorwise;
  bool causal = true, backward = false, to_gpu = false;
};

/// Kinds of <op>, as scenarios have them.
[[nodiscard]] const std::vector<std::pair<std::string, OpKind>>& operation_kinds();

/// The attributes of an <op> of this kind; others are errors of their own, as unread.
[[nodiscard]] Describe<OpSpec> op_table(const std::string& kind, const AlgorithmNames& algorithms);

}  // namespace lightrail
