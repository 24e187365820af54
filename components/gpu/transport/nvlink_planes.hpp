#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/component.hpp"
#include "network/health/health_table.hpp"
#include "network/port/injector.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// The ports of a GPU that lead to the planes of its NVSwitch, and which of them a message takes: the hash of
/// its flow chooses, in proportion to the planes' rates. What a switch adds up goes the same way from all
/// GPUs. Where links of planes fail (HealthTable) a flow goes by another plane from when senders know of it
/// until they know that it is back: of what goes to one GPU of the server a plane that has lost its link or
/// this GPU's, of all else (sums, what others pass on) one that has lost any. Where all have, the hash alone
/// chooses. Fixed.
class NvlinkPlanes {
 public:
  explicit NvlinkPlanes(const BuildContext& build);

  /// Whether `port` leads to a plane.
  [[nodiscard]] bool has(PortIndex port) const;
  /// Whether links of planes ever fail.
  [[nodiscard]] bool can_fail() const { return health_ != nullptr; }
  /// Of a message for NVLink.
  [[nodiscard]] PortIndex port_of(const Outgoing& message, SimTime now) const;
  /// The first moment after `now` at which port_of() may answer otherwise; time_never: no further one.
  [[nodiscard]] SimTime next_change(SimTime now) const;

 private:
  struct Plane {
    PortIndex port = 0;
    std::uint64_t rates = 0;     ///< of it and those before it [bit/s]
    std::vector<LinkId> to_gpu;  ///< from the switch, by the GPUs' places in the server
  };
  [[nodiscard]] const Plane& plane_at(std::uint64_t rate) const;
  [[nodiscard]] bool is_open(const Plane& plane, const Outgoing& message, SimTime now) const;

  std::vector<Plane> planes_;
  const HealthTable* health_ = nullptr;  ///< null: none of these links ever fails
  const AddressBook* book_;
  EndpointId self_;
};

}  // namespace lightrail
