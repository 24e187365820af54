#pragma once
#include <memory>

#include "components/gpu/transport/paths/path.hpp"

namespace lightrail {

/// To storage where that or the front end has a fabric of its own, and to the gateways of users: over PCIe to
/// the host, which passes on to the NIC of that role of this GPU. No proxy thread takes part. A GPU whose
/// server has no such NIC has no such path.
class StoragePath final : public Path {
 public:
  [[nodiscard]] static std::unique_ptr<Path> make(const BuildContext& build, PathHost& host);
  explicit StoragePath(PathHost& host) : host_(host) {}

  [[nodiscard]] bool leads_to(SimTime now, EndpointId to, Cargo cargo) const override;
  void send(Context& context, const Transfer& transfer) override;
  void send_control(Context& context, const Train& control) override;

 private:
  PathHost& host_;
};

}  // namespace lightrail
