#pragma once
#include <string>
#include <vector>

namespace lightrail {

/// What the tables of a result call the values 0, 1, ... of OpKind, CollectiveType and Protocol: the names of
/// the enumerators.
[[nodiscard]] std::vector<std::string> operation_labels();
[[nodiscard]] std::vector<std::string> collective_labels();
[[nodiscard]] std::vector<std::string> protocol_labels();

}  // namespace lightrail
