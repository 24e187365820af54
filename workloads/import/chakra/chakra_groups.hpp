#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lightrail {

/// Process groups by name -> ranks; no ranks: everybody.
using ChakraGroups = std::map<std::string, std::vector<std::uint32_t>>;

/// From ASTRA-sim's file: {"0": [0, 1], "1": [2, 3]}. Throws InputErrors.
[[nodiscard]] ChakraGroups read_chakra_groups(const std::string& path, std::uint32_t ranks);

/// From the input values of a metadata node: [ '[{"pg_name": "0", "ranks": [0, 1]}, ...]' ]. What is no such
/// list gives nothing. Returns what is wrong, or "".
[[nodiscard]] std::string parse_chakra_groups(const std::string& values, std::uint32_t ranks,
                                              ChakraGroups& groups);

}  // namespace lightrail
