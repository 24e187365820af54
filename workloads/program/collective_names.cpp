#include "workloads/program/collective_names.hpp"

#include <algorithm>

namespace lightrail {

std::string collective_name(CollectiveType type) {
  switch (type) {
    case CollectiveType::none:
      return "none";
    case CollectiveType::all_reduce:
      return "all-reduce";
    case CollectiveType::all_gather:
      return "all-gather";
    case CollectiveType::reduce_scatter:
      return "reduce-scatter";
    case CollectiveType::broadcast:
      return "broadcast";
    case CollectiveType::all_to_all:
      return "all-to-all";
    case CollectiveType::barrier:
      return "barrier";
  }
  return "none";
}

std::string protocol_name(Protocol protocol) {
  switch (protocol) {
    case Protocol::auto_select:
      return "auto";
    case Protocol::ll:
      return "ll";
    case Protocol::ll128:
      return "ll128";
    case Protocol::simple:
      return "simple";
    case Protocol::bare:
      return "bare";
  }
  return "auto";
}

const std::vector<std::pair<std::string, CollectiveType>>& collective_names() {
  static const auto names = [] {
    std::vector<std::pair<std::string, CollectiveType>> all;
    for (auto type = static_cast<std::size_t>(CollectiveType::all_reduce);
         type <= static_cast<std::size_t>(CollectiveType::barrier); ++type)
      all.emplace_back(collective_name(static_cast<CollectiveType>(type)), static_cast<CollectiveType>(type));
    return all;
  }();
  return names;
}

const std::vector<std::pair<std::string, Protocol>>& protocol_names() {
  static const auto names = [] {
    std::vector<std::pair<std::string, Protocol>> all;
    for (Protocol p : {Protocol::auto_select, Protocol::ll, Protocol::ll128, Protocol::simple})
      all.emplace_back(protocol_name(p), p);
    return all;
  }();
  return names;
}

std::string nccl_tests_name(CollectiveType type) {
  std::string name = collective_name(type);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace lightrail
