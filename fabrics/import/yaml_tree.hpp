#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lightrail {

/// A value of a YAML file, of which JSON is a part, with its line.
struct YamlValue {
  enum class Kind : std::uint8_t { scalar, list, map };
  Kind kind = Kind::scalar;
  int line = 0;
  std::string text;                ///< of a scalar, as written
  std::vector<YamlValue> items;    ///< of a list or a map, in the order of the file
  std::vector<std::string> names;  ///< of a map's items, one each

  /// Null when absent.
  [[nodiscard]] const YamlValue* find(const std::string& name) const;
};

/// The first document of a file. Throws InputErrors with its line for what is no YAML, for aliases, keys
/// that are given twice, more than 64 levels and more than 4 million values.
[[nodiscard]] YamlValue read_yaml(const std::string& path);

}  // namespace lightrail
