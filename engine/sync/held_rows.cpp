#include "engine/sync/held_rows.hpp"

namespace lightrail {

void HeldRows::hand_over(SimTime last) {
  struct Emptied {
    HeldRows& rows;
    ~Emptied() { rows.drop(); }
  };
  const Emptied emptied{*this};
  const std::int64_t* values = values_.data();
  for (const Row& row : held_) {
    component_ = row.component, made_ = row.made;
    if (row.made <= last) to_->append(row.table, row.component, row.time, {values, row.width});
    values += row.width;
  }
}

}  // namespace lightrail
