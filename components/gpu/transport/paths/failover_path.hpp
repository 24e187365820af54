#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "components/gpu/transport/paths/path.hpp"
#include "components/gpu/transport/paths/rail_owners.hpp"
#include "network/health/nic_health.hpp"

namespace lightrail {

/// Round a NIC of this server that is down, as far as the sender knows (Observer::sender): what would leave
/// by it goes over NVLink to the next GPU whose NIC is up. What the dead NIC gives back goes that way, too;
/// what arrives at this GPU's NIC in place of a neighbour's goes on to that neighbour.
///
/// Not where circuits change, nor for several NICs a GPU: there work waits in the NIC until its cable is up.
class FailoverPath final : public Path {
 public:
  [[nodiscard]] static std::unique_ptr<Path> make(const BuildContext& build, PathHost& host);
  FailoverPath(PathHost& host, const NicHealth& health, bool is_pxn);

  [[nodiscard]] bool leads_to(SimTime now, EndpointId to, Cargo cargo) const override;
  void send(Context& context, const Transfer& transfer) override;
  void send_control(Context& context, const Train& control) override;
  bool pass_on(Context& context, const Train& train, PortIndex port, SimTime tail) override;
  bool on_wake(Context& context, const Payload& payload) override;
  bool on_returned(Context& context, const ReturnedWork& work) override;

 private:
  /// The GPU of this server whose NIC the other paths would take.
  [[nodiscard]] std::optional<EndpointId> poster(EndpointId to, Cargo cargo) const;
  /// `kind`: MessageKind::train or control.
  void hand_to(Context& context, EndpointId neighbour, const Address& address, std::int64_t bytes,
               MessageKind kind, SendToken token);

  PathHost& host_;
  const NicHealth& health_;
  RailOwners rails_;
  bool is_pxn_;
};

}  // namespace lightrail
