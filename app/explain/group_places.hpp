#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/explain/result_reader.hpp"

namespace lightrail {

/// Which group of a kind a GPU is in, and where in it: /model/group_kinds, group_digits and group_members.
class GroupPlaces {
 public:
  struct Place {
    std::int64_t first = 0;    ///< endpoint id of the group's lowest member
    std::int64_t members = 1;  ///< of the group
    std::int64_t index = 0;    ///< of the GPU in it
    bool is_member = true;     ///< false: in no group of that kind
  };
  /// Throws InputErrors where they are damaged.
  explicit GroupPlaces(const ResultReader& result);

  /// By kind.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] Place of(std::int64_t kind, std::int64_t gpu) const;

 private:
  std::vector<std::string> names_;
  std::array<std::vector<std::int64_t>, 3> counts_, strides_;
  std::map<std::pair<std::int64_t, std::int64_t>, Place> listed_;  ///< by kind and GPU
  std::vector<bool> is_listed_;                                    ///< by kind
};

}  // namespace lightrail
