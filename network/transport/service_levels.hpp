#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/wire/work_request.hpp"

namespace lightrail {

/// Model resource: on which virtual lane a NIC sends what. What goes by NVLink or PCIe has no lanes. The
/// rules are asked in the order in which they were added; the first that fits a message says its lane, and
/// what none fits is on lane 0.
class ServiceLevels {
 public:
  /// `is_storage`: by endpoint, whether it is a storage server; endpoints behind its end are none.
  explicit ServiceLevels(std::vector<bool> is_storage) : is_storage_(std::move(is_storage)) {}

  /// Clear-to-send and other messages about messages. lane < max_lanes.
  void add_control(std::uint8_t lane);
  /// What goes to a storage server or comes from one. lane < max_lanes.
  void add_storage(std::uint8_t lane);
  /// What the members of a communicator send each other. lane < max_lanes.
  void add_communicator(std::uint32_t group_kind, std::uint8_t lane);

  [[nodiscard]] std::uint8_t lane_of(const DeferredWork& work) const {
    const bool to_storage = is_storage(work.address.from()) || is_storage(work.address.to());
    const std::uint8_t lane = of(work.kind == MessageKind::control)[to_storage ? storage : group_of(work)];
    return lane == none ? 0 : lane;
  }

 private:
  static constexpr std::uint8_t none = 0xff;
  static constexpr std::uint32_t storage = Connection::max_group_kinds;  ///< behind all communicators
  using Lanes = std::array<std::uint8_t, Connection::max_group_kinds + 1>;

  [[nodiscard]] static Lanes no_lanes() {
    Lanes lanes;
    lanes.fill(none);
    return lanes;
  }
  [[nodiscard]] static std::uint32_t group_of(const DeferredWork& work) {
    return work.address.connection().group_kind();
  }
  [[nodiscard]] bool is_storage(EndpointId id) const {
    return id.value < is_storage_.size() && is_storage_[id.value];
  }
  [[nodiscard]] const Lanes& of(bool is_control) const { return is_control ? control_ : payload_; }

  std::vector<bool> is_storage_;
  /// By communicator, then storage: what control messages and what payload have; `none` without a rule.
  Lanes control_ = no_lanes(), payload_ = no_lanes();
};

}  // namespace lightrail
