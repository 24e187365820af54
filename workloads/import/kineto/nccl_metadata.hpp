#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/import/kineto/kineto_event.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What the profiler wrote about one call of a communication library: in the kernel's arguments (newer
/// PyTorch), in record_param_comms, in the nccl:... annotation or in the c10d::... operator (older PyTorch).
struct NcclMetadata {
  std::string collective, dtype, group_description;
  std::int64_t in_elements = 0, out_elements = 0, group_size = 0;  ///< 0: not said
  std::vector<std::uint32_t> ranks;
  std::int64_t source_rank = -1, target_rank = -1;

  /// Fills what is not known here from `other`.
  void complete(const NcclMetadata& other);
};

/// What the arguments of one event say; the rest stays unknown.
[[nodiscard]] NcclMetadata nccl_metadata(const KinetoEvent& event);

/// Which operation a communication is: by the kernel's name, for point-to-point kernels by the call's name.
struct NcclOperation {
  OpKind kind = OpKind::collective;
  CollectiveType type = CollectiveType::none;
};
/// Nothing for what moves no data of its own: coalesced calls, and collectives that are not simulated.
[[nodiscard]] std::optional<NcclOperation> nccl_operation(const std::string& kernel, const std::string& call);

/// Bytes of an element by PyTorch's or C++'s type name ("c10::Half", "BFloat16", "float"); 0: unknown.
[[nodiscard]] std::uint32_t element_bytes_of_type(const std::string& dtype);
/// ... by the suffix of a kernel's name ("..._Sum_f16_RING_LL"); 0: unknown.
[[nodiscard]] std::uint32_t element_bytes_of_kernel(const std::string& kernel);

/// Numbers of a JSON list, nested or not; empty for "" or when something else is inside.
[[nodiscard]] std::vector<std::int64_t> numbers_of(const std::string& json_text);

}  // namespace lightrail
