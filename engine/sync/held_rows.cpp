#include "engine/sync/held_rows.hpp"

#include <exception>
#include <tuple>

namespace lightrail {

void HeldRows::hand_over(SimTime last) {
  struct Emptied {
    HeldRows& rows;
    ~Emptied() { rows.drop(); }
  };
  const Emptied emptied{*this};
  const std::int64_t* values = values_.data();
  std::exception_ptr refused;
  for (const Row& row : held_) {
    // Tiles are held one after the other: an earlier row may still come.
    const bool is_earlier = !refused || std::tie(row.made, row.component) < std::tie(made_, component_);
    if (row.made <= last && is_earlier) {
      try {
        to_->append(row.table, row.component, row.time, {values, row.width});
      } catch (...) {
        refused = std::current_exception();
        component_ = row.component, made_ = row.made;
      }
    }
    values += row.width;
  }
  if (refused) std::rethrow_exception(refused);
}

}  // namespace lightrail
