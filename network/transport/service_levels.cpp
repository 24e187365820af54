#include "network/transport/service_levels.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "network/transport/queue_pairs.hpp"

namespace lightrail {

void ServiceLevels::add_control(std::uint8_t level) {
  for (Rule& own : control_) add(own, {next_, level});
  ++next_;
}

void ServiceLevels::add_storage(std::uint8_t level) {
  for (Rules* rules : {&control_, &payload_}) add((*rules)[storage], {next_, level});
  ++next_;
}

void ServiceLevels::add_communicator(std::uint32_t group_kind, std::uint8_t level) {
  LIGHTRAIL_EXPECT(group_kind < Connection::max_group_kinds);
  for (Rules* rules : {&control_, &payload_}) add((*rules)[group_kind], {next_, level});
  ++next_;
}

void ServiceLevels::add_job(const std::vector<EndpointId>& members, std::uint8_t level) {
  for (const EndpointId id : members) {
    jobs_.resize(std::max<std::size_t>(jobs_.size(), id.value + std::size_t{1}));
    add(jobs_[id.value], {next_, level});
  }
  ++next_;
}

void ServiceLevels::add_queue_pairs(const QueuePairs& pairs) {
  for (Rules* rules : {&control_, &payload_})
    for (std::uint32_t kind = pairs.group_kinds; kind < pairs.group_kinds * (pairs.count + 1); ++kind)
      (*rules)[kind] = (*rules)[kind % pairs.group_kinds];
}

}  // namespace lightrail
