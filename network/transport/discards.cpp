#include "network/transport/discards.hpp"

#include "network/transport/tables.hpp"

namespace lightrail {

void Discards::finish(Context& context) const {
  for (std::size_t where = 0; where < bytes_.size(); ++where) {
    if (bytes_[where] == 0) continue;
    const std::array<std::int64_t, 2> row{static_cast<std::int64_t>(where), bytes_[where]};
    context.record(tables::discarded, row);
  }
}

}  // namespace lightrail
