#include "components/supervisor/supervised_job.hpp"

#include <algorithm>
#include <array>

#include "components/supervisor/tables.hpp"

namespace lightrail {

bool JobSaves::add(std::uint32_t iteration, std::uint32_t of) {
  if (++parts[iteration] < of) return false;
  parts.erase(iteration);
  last = std::max<std::int64_t>(last, iteration);
  return true;
}

void JobSaves::save(StateWriter& out) const {
  out.put(last), out.put(parts);
}

void JobSaves::load(StateReader& in) {
  in.get(last), in.get(parts);
}

void SupervisedJob::add_in_memory(std::uint32_t iteration, std::uint32_t of, std::uint32_t in_attempt) {
  if (!in_memory.add(iteration, of)) return;
  std::erase_if(lost_memories, [&](const auto& lost) { return lost.second <= in_attempt; });
}

void SupervisedJob::record(Context& context, std::uint32_t number) const {
  const Restart& r = restart;
  const auto or_none = [](std::uint32_t value) {
    return value == EndpointId::none ? std::int64_t{-1} : std::int64_t{value};
  };
  const std::array<std::int64_t, 15> row{number,
                                         attempt,
                                         static_cast<std::int64_t>(r.cause),
                                         or_none(r.failed.value),
                                         r.servers,
                                         or_none(r.server),
                                         or_none(r.spare),
                                         r.failed_at.count(),
                                         r.halted_at.count(),
                                         r.ready_at.count(),
                                         r.loaded_at.count(),
                                         r.back_at.count(),
                                         r.reached,
                                         r.iteration,
                                         static_cast<std::int64_t>(r.source)};
  context.record_at(r.failed_at, tables::restarts, row);
}

void SupervisedJob::save(StateWriter& out) const {
  out.put(state), out.put(attempt), out.put(back), out.put(ended), out.put(lost_to), out.put(decided_at);
  out.put(restart), out.put(lost_memories);
  in_storage.save(out), in_memory.save(out);
}

void SupervisedJob::load(StateReader& in) {
  in.get(state), in.get(attempt), in.get(back), in.get(ended), in.get(lost_to), in.get(decided_at);
  in.get(restart), in.get(lost_memories);
  in_storage.load(in), in_memory.load(in);
}

}  // namespace lightrail
