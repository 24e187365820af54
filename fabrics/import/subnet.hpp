#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

/// A port of a node of the subnet.
struct SubnetPort {
  std::string guid;
  std::uint32_t number = 0;                             ///< from 1
  auto operator<=>(const SubnetPort&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
};

struct SubnetNode {
  char kind = 'H';  ///< S: switch, H: channel adapter, R: router
  std::string text;
  std::uint32_t ports = 0;
  int line = 0;
};

/// Nodes and cables as ibnetdiscover prints them.
struct Subnet {
  std::map<std::string, SubnetNode> nodes;                     ///< by kind and GUID: "S-0002c9..."
  std::map<std::pair<SubnetPort, SubnetPort>, double> cables;  ///< the smaller port first; [Gb/s]
  std::map<SubnetPort, std::uint32_t> lid_of;                  ///< of channel adapters' ports
};

/// Lines of a file, with what is wrong at one.
class SubnetLines {
 public:
  static constexpr std::size_t longest_line = 4096;
  explicit SubnetLines(const std::string& path) : path_(path), file_(path) {
    if (!file_) throw InputErrors(InputError{path, 0, "cannot be read"});
  }
  bool next(std::string& line) {
    if (!std::getline(file_, line)) return false;
    ++number_;
    if (line.size() > longest_line) fail(fmt::format("a line of more than {} characters", longest_line));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return true;
  }
  [[nodiscard]] int number() const { return number_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputErrors(InputError{path_, number_, what});
  }

 private:
  std::string path_;
  std::ifstream file_;
  int number_ = 0;
};

/// Reads a line from its front.
struct LineCursor {
  std::string_view rest;
  void blanks() { rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size())); }
  bool take(std::string_view text) {
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
    return true;
  }
  std::optional<std::uint32_t> number(int base = 10) {
    std::uint32_t value = 0;
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
    if (code != std::errc{}) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  }
  /// What stands up to `end`, which is taken as well.
  std::optional<std::string> until(char end) {
    const std::size_t at = rest.find(end);
    if (at == std::string_view::npos) return std::nullopt;
    std::string text(rest.substr(0, at));
    rest.remove_prefix(at + 1);
    return text;
  }
  std::optional<std::string> quoted() {
    blanks();
    if (!take("\"")) return std::nullopt;
    return until('"');
  }
};

/// What ibnetdiscover has printed into a file. Throws InputErrors naming file and line.
[[nodiscard]] Subnet read_subnet(const std::string& path);

}  // namespace lightrail
