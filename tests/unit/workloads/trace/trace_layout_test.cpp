#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "workloads/job/job.hpp"
#include "workloads/trace/trace_layout.hpp"

using namespace lightrail;

namespace {

const OpColumn& column_named(std::string_view name) {
  for (const OpColumn& column : op_columns())
    if (column.name == name) return column;
  FAIL("no column " << name);
  return op_columns().front();
}

}  // namespace

TEST_CASE("every column of an operation has a name of its own and gives back both ends of its range") {
  std::set<std::string> names;
  for (const OpColumn& column : op_columns()) {
    CAPTURE(column.name);
    CHECK(names.insert(column.name).second);
    CHECK(column.low <= column.high);
    for (std::int64_t value : {column.low, column.high}) {
      Op op;
      column.set(op, value);
      CHECK(column.get(op) == value);
    }
  }
}

TEST_CASE("columns touch nothing but their own member") {
  // Each column is set to its upper end, one after the other; those before must keep theirs.
  Op op;
  for (const OpColumn& column : op_columns()) column.set(op, column.high);
  for (const OpColumn& column : op_columns()) CHECK(column.get(op) == column.high);
}

TEST_CASE("the ranges of columns end with the last enumerator, the largest size and the member's width") {
  CHECK(column_named("kind").high == static_cast<std::int64_t>(OpKind::marker));
  CHECK(column_named("collective").high == static_cast<std::int64_t>(CollectiveType::barrier));
  CHECK(column_named("protocol").high == static_cast<std::int64_t>(Protocol::bare));
  CHECK(column_named("size_bytes").high == largest_operation_bytes);
  CHECK(column_named("peer").low == std::numeric_limits<std::int32_t>::min());
  CHECK(column_named("dimension").high == no_dimension);
  CHECK(column_named("element_bytes").low == 1);
}

TEST_CASE("a shape's fields are in the order of the file, rowwise FP8 as a type of its own") {
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.dtype = DataType::fp32;
  shape.causal = 1, shape.backward = 0, shape.batch = 2, shape.m = 3, shape.n = 4, shape.k = 5;
  shape.heads = 6, shape.kv_heads = 7, shape.head_dim = 8, shape.bytes = 9;
  CHECK(fields_of(shape) == std::array<std::int64_t, shape_fields>{1, 3, 1, 0, 2, 3, 4, 5, 6, 7, 8, 9});
  shape.dtype = DataType::fp8;
  CHECK(fields_of(shape)[1] == 2);
  shape.scaling = Scaling::rowwise;
  CHECK(fields_of(shape)[1] == rowwise_fp8_code);
}

TEST_CASE("data types keep their codes in files, younger ones behind rowwise FP8") {
  for (const auto& [name, type] : data_type_names()) {
    INFO(name);
    CHECK(code_of(type) != rowwise_fp8_code);
    CHECK(data_type_of(code_of(type)) == type);
    CHECK(code_of(type) <= last_data_type_code);
  }
  CHECK(code_of(DataType::tf32) == 4);
  CHECK(rowwise_fp8_code == 5);
  CHECK(code_of(DataType::mxfp8) == 6);
  CHECK(code_of(DataType::nvfp4) == 7);
}
