#include "components/nvswitch/recall_pattern.hpp"

#include <algorithm>

namespace lightrail {

void FreedRecord::add(std::uint32_t bytes, SimTime free_at) {
  if (!runs_.empty() && runs_.back().bytes == bytes)
    ++runs_.back().count;
  else
    runs_.push_back({bytes, 1});
  at_once_ = free_at == free_at_ ? at_once_ + bytes : bytes;
  free_at_ = free_at;
  most_ = std::max(most_, at_once_);
}

std::uint32_t FreedRecord::unreported_then(std::uint32_t unreported, std::uint32_t limit) const {
  for (const Run& run : runs_) {
    // So many trains and the next report is due.
    const auto due = [&](std::uint32_t from) { return (limit - from + run.bytes - 1) / run.bytes; };
    if (run.count < due(unreported))
      unreported += run.count * run.bytes;
    else
      unreported = (run.count - due(unreported)) % due(0) * run.bytes;
  }
  return unreported;
}

}  // namespace lightrail
