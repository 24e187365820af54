#pragma once
#include <memory>

#include "components/gpu/transport/paths/path.hpp"
#include "components/gpu/transport/paths/rail_owners.hpp"

namespace lightrail {

/// NCCL's PXN: a message to a GPU on another rail goes over NVLink to the local GPU of that rail, which hands
/// it to its own NIC. Where this GPU has no NIC, whatever local GPU has one.
class PxnPath final : public Path {
 public:
  [[nodiscard]] static std::unique_ptr<Path> make(const BuildContext& build, PathHost& host);
  explicit PxnPath(PathHost& host);

  [[nodiscard]] bool leads_to(SimTime now, EndpointId to, Cargo cargo) const override;
  void send(Context& context, const Transfer& transfer) override;
  void send_control(Context& context, const Train& control) override;

 private:
  PathHost& host_;
  RailOwners rails_;
  bool has_nic_;
};

}  // namespace lightrail
