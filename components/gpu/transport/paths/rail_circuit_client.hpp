#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "network/circuits/rails.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/work_request.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// What a GPU sends over its rail where the rail is an optical switch (photonic rails): to one server at a
/// time. Work for another one is kept until the circuit that there is has been idle for Rails::hold; then the
/// GPU asks its rail's controller for the next one, in the order work came. A circuit that others wait for is
/// released in the same way. Plain state.
class RailCircuitClient {
 public:
  /// A work request for the NIC.
  struct Work {
    WorkRequest message{};
    std::uint64_t token = 0;      ///< SendToken of the notice
    std::uint16_t is_own = 0;     ///< this GPU's, neither forwarded nor sent again
    std::uint16_t is_by_gpu = 0;  ///< no proxy thread: the GPU posts it, or the NIC sends it again
    std::uint32_t server = 0;
  };

  RailCircuitClient(const Rails& rails, const AddressBook& book, EndpointId self);

  /// The work may go now: true; else it is kept.
  bool admit(const Work& work);
  /// Work has left. What was said of the circuit meanwhile is due.
  void gone(Context& context);
  /// From the controller: work that goes now.
  std::vector<Work> on_granted(Context& context, std::uint32_t server);
  void on_reclaim(Context& context);
  void on_timer(Context& context);
  /// Asks for a circuit, or gives the present one up, where that is due. After every change.
  void settle(Context& context);
  [[nodiscard]] std::string waits_for() const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  const Rails& rails_;
  std::uint32_t peer_ = 0;         ///< sends there, or has asked to
  std::uint32_t outstanding_ = 0;  ///< given to the NIC, not yet left
  std::uint8_t is_live_ = 0, is_asking_ = 0, is_reclaimed_ = 0, has_timer_ = 0;
  SimTime last_{};  ///< when something left
  std::vector<Work> kept_;
};

}  // namespace lightrail
