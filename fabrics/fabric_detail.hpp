#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// How fine a fabric is, in a run by trains or packets.
enum class FabricDetail : std::uint8_t {
  trains,   ///< its switches and links are simulated, with trains as <network> or <run> has them
  messages  ///< its NICs' ports alone: no switch of it is simulated (MessageFabric)
};

/// What <fabric detail=""> says.
struct FabricDetailSpec {
  FabricDetail detail = FabricDetail::trains;
};
[[nodiscard]] Describe<FabricDetailSpec> fabric_detail_table();

/// The fabrics of which no switch is simulated. A Model resource; absent where there is none.
struct FabricsByMessages {
  struct One {
    NicRole role = NicRole::compute;
    InputError at;  ///< where mistakes of it stand
  };
  std::vector<One> all;
};

}  // namespace lightrail
