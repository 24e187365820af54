#pragma once
#include <cstdint>
#include <vector>

#include "engine/sync/simulation.hpp"

namespace lightrail {

/// Rows of windows; whenever 1,024 are full, neighbours are merged and each row covers twice as many windows.
/// All ranks add the same windows and so have the same rows.
class Profile {
 public:
  void add(const ProfileRow& window);
  [[nodiscard]] std::vector<ProfileRow> rows() const;
  [[nodiscard]] const ProfileRow& total() const { return total_; }

 private:
  static constexpr std::size_t limit = 1024;
  std::vector<ProfileRow> rows_;
  ProfileRow open_, total_;
  std::int64_t windows_a_row_ = 1;
};

}  // namespace lightrail
