#include "workloads/job/operation_names.hpp"

#include <algorithm>

namespace lightrail {

const std::vector<std::pair<std::string, CollectiveType>>& collective_names() {
  static const std::vector<std::pair<std::string, CollectiveType>> names{
      {"all-reduce", CollectiveType::all_reduce},         {"all-gather", CollectiveType::all_gather},
      {"reduce-scatter", CollectiveType::reduce_scatter}, {"broadcast", CollectiveType::broadcast},
      {"all-to-all", CollectiveType::all_to_all},         {"barrier", CollectiveType::barrier}};
  return names;
}

const std::vector<std::pair<std::string, Protocol>>& protocol_names() {
  static const std::vector<std::pair<std::string, Protocol>> names{{"auto", Protocol::auto_select},
                                                                   {"ll", Protocol::ll},
                                                                   {"ll128", Protocol::ll128},
                                                                   {"simple", Protocol::simple}};
  return names;
}

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

std::string collective_name(CollectiveType type) {
  for (const auto& [name, value] : collective_names())
    if (value == type) return name;
  return "none";
}

std::string nccl_tests_name(CollectiveType type) {
  std::string name = collective_name(type);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
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
