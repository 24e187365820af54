#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "workloads/program/program.hpp"

namespace lightrail {

inline constexpr const char* trace_schema = "lightrail-trace";
inline constexpr std::int64_t trace_schema_version = 1;
/// Of a file whose programs name those of next iterations (/programs/next).
inline constexpr std::int64_t trace_schema_version_of_next = 2;

/// A member of Op as a column of a trace file: how it is called, how it is read and written, its range.
struct OpColumn {
  const char* name;
  const char* unit;
  std::int64_t low, high;
  std::int64_t (*get)(const Op&);
  void (*set)(Op&, std::int64_t);
};

/// The columns of /ops, in the order of the file.
[[nodiscard]] const std::vector<OpColumn>& op_columns();

/// The members of a KernelShape in the order of the file. Rowwise FP8 has a data type of its own there,
/// behind which the types follow that are younger than it.
inline constexpr std::size_t shape_fields = 12;
inline constexpr std::int64_t rowwise_fp8_code = 5;
inline constexpr std::int64_t last_data_type_code = static_cast<std::int64_t>(DataType::nvfp4) + 1;
static_assert(rowwise_fp8_code == static_cast<std::int64_t>(DataType::tf32) + 1 &&
                  rowwise_fp8_code == static_cast<std::int64_t>(DataType::mxfp8),
              "codes of files stay what they are");
[[nodiscard]] constexpr std::int64_t code_of(DataType type) {
  const auto code = static_cast<std::int64_t>(type);
  return code < rowwise_fp8_code ? code : code + 1;
}
/// Of a code other than rowwise_fp8_code.
[[nodiscard]] constexpr DataType data_type_of(std::int64_t code) {
  return static_cast<DataType>(code < rowwise_fp8_code ? code : code - 1);
}
[[nodiscard]] std::array<std::int64_t, shape_fields> fields_of(const KernelShape& shape);

/// Captured figures a rank.
inline constexpr std::size_t capture_fields = 3;

}  // namespace lightrail
