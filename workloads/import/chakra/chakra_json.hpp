#pragma once
#include <functional>
#include <string>

#include "workloads/import/chakra/chakra_reader.hpp"

namespace lightrail {

/// Whether a file is a Chakra trace as JSON: an object with `workload_graph`.
[[nodiscard]] bool is_chakra_json(const std::string& path);

/// Reads one rank's file of ASTRA-sim's JSON form: {"workload_graph": [{"Id", "Name", "NodeType", "runtime",
/// "data_deps", "comm_size", ...}]}. Throws InputErrors with file and node.
void read_chakra_json(const std::string& path, const std::function<void(ChakraNode&)>& on_node);

}  // namespace lightrail
