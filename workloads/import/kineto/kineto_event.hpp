#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace lightrail {

/// One event of Chrome JSON as Kineto writes it, with those arguments that a replay needs. Times are [ns]:
/// Kineto's microseconds have at most three decimals. What is absent in the file is empty.
struct KinetoEvent {
  std::int64_t index = 0;  ///< place in traceEvents, from 0
  std::string phase, category, name, thread;
  std::optional<std::int64_t> start_ns, duration_ns;

  std::optional<std::int64_t> correlation, stream, bytes, device;
  std::optional<std::int64_t> record_function;  ///< "Record function id", rf_id of execution traces
  std::optional<std::int64_t> external_id;      ///< of the CPU operator that a kernel belongs to
  std::string process;
  // cuda_sync
  std::optional<std::int64_t> wait_on_stream, record_correlation;
  // collectives; lists stay JSON text
  std::optional<std::int64_t> in_elements, out_elements, group_size, source_rank, target_rank, rank;
  std::optional<std::int64_t> first_rank, rank_stride;  ///< of the process group
  std::string collective, dtype, group_name, group_description, group_ranks;
  std::optional<std::string> in_split, out_split;
  std::string input_dims, input_types, concrete_inputs;

  // calls of NCCL itself, as Nsight Systems has them
  std::optional<std::int64_t> nccl_bytes;  ///< count times type [B]; partners are ranks of the communicator
  std::string communicator;                ///< "": not said

  void clear() { *this = KinetoEvent{}; }
};

}  // namespace lightrail
