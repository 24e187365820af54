#include "components/supervisor/supervised_job.hpp"

#include <algorithm>
#include <array>

#include "components/supervisor/tables.hpp"

namespace lightrail {

void SupervisedJob::add_save(std::uint32_t iteration, std::uint32_t of) {
  if (++saves[iteration] < of) return;
  saves.erase(iteration);
  last_saved = std::max<std::int64_t>(last_saved, iteration);
}

void SupervisedJob::record(Context& context, std::uint32_t number) const {
  const Restart& r = restart;
  const auto or_none = [](std::uint32_t value) {
    return value == EndpointId::none ? std::int64_t{-1} : std::int64_t{value};
  };
  const std::array<std::int64_t, 14> row{number,
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
                                         r.iteration};
  context.record_at(r.failed_at, tables::restarts, row);
}

void SupervisedJob::save(StateWriter& out) const {
  out.put(state), out.put(attempt), out.put(back), out.put(ended), out.put(lost_to), out.put(last_saved),
      out.put(decided_at);
  out.put(restart), out.put(saves);
}

void SupervisedJob::load(StateReader& in) {
  in.get(state), in.get(attempt), in.get(back), in.get(ended), in.get(lost_to), in.get(last_saved),
      in.get(decided_at);
  in.get(restart), in.get(saves);
}

}  // namespace lightrail
