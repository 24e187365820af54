#include "workloads/job/operation_names.hpp"

#include <cstdint>

namespace lightrail {

const std::vector<std::pair<std::string, DataType>>& data_type_names() {
  static const std::vector<std::pair<std::string, DataType>> names{{"bf16", DataType::bf16},
                                                                   {"fp16", DataType::fp16},
                                                                   {"fp8", DataType::fp8},
                                                                   {"fp32", DataType::fp32},
                                                                   {"tf32", DataType::tf32}};
  return names;
}

const std::vector<std::pair<std::string, Scaling>>& scaling_names() {
  static const std::vector<std::pair<std::string, Scaling>> names{{"tensorwise", Scaling::tensorwise},
                                                                  {"rowwise", Scaling::rowwise}};
  return names;
}

std::uint32_t bytes_of(DataType type) {
  switch (type) {
    case DataType::bf16:
    case DataType::fp16:
      return 2;
    case DataType::fp8:
      return 1;
    case DataType::fp32:
    case DataType::tf32:
      return 4;
  }
  return 2;
}

}  // namespace lightrail
