#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lightrail {

/// Builds the bytes of a small Chakra trace, written by hand from the wire format: no schema is shared with
/// what is tested.
class ChakraBytes {
 public:
  explicit ChakraBytes(bool is_from_pytorch = false);

  struct Node {
    std::uint64_t id = 0;
    int type = 4;
    std::string name = "n";
    std::vector<std::uint64_t> data = {}, control = {};
    std::uint64_t duration_us = 0, start_us = 0;
    std::vector<std::pair<std::string, std::int64_t>> integers = {};  ///< attributes as int64
    std::vector<std::pair<std::string, std::string>> texts = {};
    std::vector<bool> involved_dim = {};
    std::string inputs = {};
  };
  ChakraBytes& node(const Node& node);
  ChakraBytes& raw(const std::string& message);  ///< with its length in front
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace lightrail
