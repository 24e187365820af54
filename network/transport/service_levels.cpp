#include "network/transport/service_levels.hpp"

namespace lightrail {

void ServiceLevels::add_control(std::uint8_t lane) {
  LIGHTRAIL_EXPECT(lane < max_lanes);
  for (std::uint8_t& own : control_)
    if (own == none) own = lane;
}

void ServiceLevels::add_storage(std::uint8_t lane) {
  LIGHTRAIL_EXPECT(lane < max_lanes);
  for (Lanes* lanes : {&control_, &payload_})
    if ((*lanes)[storage] == none) (*lanes)[storage] = lane;
}

void ServiceLevels::add_communicator(std::uint32_t group_kind, std::uint8_t lane) {
  LIGHTRAIL_EXPECT(lane < max_lanes && group_kind < Connection::max_group_kinds);
  for (Lanes* lanes : {&control_, &payload_})
    if ((*lanes)[group_kind] == none) (*lanes)[group_kind] = lane;
}

}  // namespace lightrail
