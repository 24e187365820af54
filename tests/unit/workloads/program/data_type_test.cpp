#include "workloads/program/data_type.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/enumerators.hpp"

using namespace lightrail;

TEST_CASE("every data type has its own name, in the order of the enumerators") {
  std::vector<std::string> names;
  for (const auto& [name, type] : data_type_names()) {
    CHECK(static_cast<std::size_t>(type) == names.size());
    CHECK(to_string(type) == name);
    names.push_back(name);
  }
  CHECK(names == enumerator_names<DataType>());
}

TEST_CASE("a data type has the bytes of its bits") {
  CHECK(bytes_of(DataType::fp8) == 1);
  CHECK(bytes_of(DataType::bf16) == 2);
  CHECK(bytes_of(DataType::fp16) == 2);
  CHECK(bytes_of(DataType::fp32) == 4);
  CHECK(bytes_of(DataType::tf32) == 4);  // 19 bits that are stored in 32
}

TEST_CASE("scales of blocks count: a byte for 32 elements of MXFP8, for 16 of NVFP4") {
  CHECK(bytes_of(DataType::bf16, 100) == 200);
  CHECK(bytes_of(DataType::fp8, 100) == 100);
  CHECK(bytes_of(DataType::mxfp8, 64) == 64 + 2);
  CHECK(bytes_of(DataType::mxfp8, 65) == 65 + 3);
  CHECK(bytes_of(DataType::nvfp4, 32) == 16 + 2);
  CHECK(bytes_of(DataType::nvfp4, 33) == 17 + 3);
  for (const auto& [name, type] : data_type_names()) {
    INFO(name);
    CHECK(static_cast<double>(bytes_of(type, 1 << 20)) == element_bytes(type) * (1 << 20));
    CHECK(is_quantised(type) == (element_bytes(type) < 2));
    CHECK(has_block_scales(type) == (type == DataType::mxfp8 || type == DataType::nvfp4));
  }
}
