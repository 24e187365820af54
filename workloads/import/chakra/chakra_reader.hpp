#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lightrail {

/// A node of a Chakra execution trace, reduced to what a replay needs. What the file does not say is empty.
struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  int type = 0;
  std::vector<std::uint64_t> data_dependencies, control_dependencies;
  std::uint64_t duration_us = 0;
  std::optional<std::uint64_t> start_us;  ///< on the clock of its rank
  std::string input_values;               ///< of a metadata node
  bool is_cpu = false;
  std::optional<std::int64_t> operations, tensor_bytes, collective, bytes, from, to, tag, root;
  std::optional<std::string> group, stream;
  std::vector<std::int64_t> parts;     ///< all-to-all: what each member gets, in any unit; empty: not said
  bool leaves_dimensions_out = false;  ///< involved_dim holds a false
};

struct ChakraHeader {
  std::string version;
  /// Converted from a PyTorch execution trace: control dependencies name the caller, not what comes before.
  bool is_from_pytorch = false;
};

/// Reads one rank's file (plain or gzip) node by node. Throws InputErrors with file and message.
void read_chakra(const std::string& path, const std::function<void(const ChakraHeader&)>& on_header,
                 const std::function<void(ChakraNode&)>& on_node);

}  // namespace lightrail
