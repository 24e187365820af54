#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/import/kineto/kineto_event.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Numbers of a list. PyTorch writes the first 30 of a longer one and "...".
struct NumberList {
  std::vector<std::int64_t> numbers;
  bool is_cut = false;
};
/// Of a JSON list, nested or not, or of text that looks like one; empty for "" or when something else is
/// inside.
[[nodiscard]] NumberList number_list(const std::string& text);

/// What the profiler wrote about one call of a communication library: in the kernel's arguments (newer
/// PyTorch), in record_param_comms, in the nccl:... annotation or in the c10d::... operator (older PyTorch).
struct NcclMetadata {
  std::string collective, dtype, group_name, group_description;
  std::int64_t in_elements = 0, out_elements = 0, group_size = 0;  ///< 0: not said, but for:
  bool says_in = false, says_out = false;                          ///< the event gives the elements, also 0
  std::int64_t row_elements = 0;  ///< of a row of the buffer that is sent; 0: not said
  NumberList ranks;
  std::int64_t first_rank = -1, rank_stride = 0;
  std::optional<NumberList> in_split, out_split;  ///< all-to-all: rows for each member; empty: even
  std::int64_t source_rank = -1, target_rank = -1;
  std::int64_t nccl_bytes = -1;  ///< of a call of NCCL itself [B], see KinetoEvent
  std::string communicator;

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

}  // namespace lightrail
