#include "workloads/program/data_type.hpp"

#include <array>
#include <cstddef>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

struct DataTypeRow {
  DataType type;
  const char* name;
  std::int64_t bits;   ///< of an element
  std::int64_t block;  ///< elements that share a scale of a byte; 0: none do
  bool is_quantised;
};

constexpr std::array<DataTypeRow, 7> rows{{
    {DataType::bf16, "bf16", 16, 0, false},
    {DataType::fp16, "fp16", 16, 0, false},
    {DataType::fp8, "fp8", 8, 0, true},
    {DataType::fp32, "fp32", 32, 0, false},
    {DataType::tf32, "tf32", 32, 0, false},  // 19 bits that are stored in 32
    {DataType::mxfp8, "mxfp8", 8, 32, true},
    {DataType::nvfp4, "nvfp4", 4, 16, true},
}};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].type) != i) return false;
  return true;
}
static_assert(are_in_order(), "a row is found by its enumerator");

const DataTypeRow& row_of(DataType type) {
  return rows.at(static_cast<std::size_t>(type));
}

}  // namespace

const std::vector<std::pair<std::string, DataType>>& data_type_names() {
  static const std::vector<std::pair<std::string, DataType>> names = [] {
    std::vector<std::pair<std::string, DataType>> all;
    for (const DataTypeRow& row : rows) all.emplace_back(row.name, row.type);
    return all;
  }();
  return names;
}

const char* to_string(DataType type) {
  return row_of(type).name;
}

double element_bytes(DataType type) {
  const DataTypeRow& row = row_of(type);
  return static_cast<double>(row.bits) / 8 + (row.block > 0 ? 1 / static_cast<double>(row.block) : 0);
}

std::int64_t bytes_of(DataType type, std::int64_t elements) {
  const DataTypeRow& row = row_of(type);
  const std::int64_t scales = row.block > 0 ? (elements + row.block - 1) / row.block : 0;
  return (elements * row.bits + 7) / 8 + scales;
}

std::uint32_t bytes_of(DataType type) {
  LIGHTRAIL_EXPECT(!has_block_scales(type));
  return static_cast<std::uint32_t>(row_of(type).bits / 8);
}

bool is_quantised(DataType type) {
  return row_of(type).is_quantised;
}

bool has_block_scales(DataType type) {
  return row_of(type).block > 0;
}

}  // namespace lightrail
