#include "workloads/program/labels.hpp"

#include <cstddef>

#include "workloads/program/collective_names.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

std::string label_of(OpKind kind) {
  switch (kind) {
    case OpKind::compute:
      return "compute";
    case OpKind::host:
      return "host";
    case OpKind::collective:
      return "collective";
    case OpKind::send:
      return "send";
    case OpKind::recv:
      return "recv";
    case OpKind::storage_read:
      return "storage_read";
    case OpKind::storage_write:
      return "storage_write";
    case OpKind::host_copy:
      return "host_copy";
    case OpKind::marker:
      return "marker";
  }
  return "";
}

std::string label_of(CollectiveType type) {
  return nccl_tests_name(type);
}

std::string label_of(Protocol protocol) {
  return protocol == Protocol::auto_select ? "auto_select" : protocol_name(protocol);
}

/// Of every enumerator up to the last one.
template <class Enumeration>
std::vector<std::string> labels_to(Enumeration last) {
  std::vector<std::string> all;
  for (std::size_t value = 0; value <= static_cast<std::size_t>(last); ++value)
    all.push_back(label_of(static_cast<Enumeration>(value)));
  return all;
}

}  // namespace

std::vector<std::string> operation_labels() {
  return labels_to(OpKind::marker);
}

std::vector<std::string> collective_labels() {
  return labels_to(CollectiveType::barrier);
}

std::vector<std::string> protocol_labels() {
  return labels_to(Protocol::bare);
}

}  // namespace lightrail
