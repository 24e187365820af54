#pragma once
#include <memory>

#include "components/gpu/transport/paths/path.hpp"

namespace lightrail {

/// Out of the GPU's own NIC. What other GPUs of the server hand over on NVLink (PXN) goes out of it too: to
/// the proxy thread when its tail is here, control messages past it.
class DirectPath final : public Path {
 public:
  [[nodiscard]] static std::unique_ptr<Path> make(const BuildContext& build, PathHost& host);
  explicit DirectPath(PathHost& host) : host_(host) {}

  [[nodiscard]] bool leads_to(SimTime now, EndpointId to, Cargo cargo) const override;
  void send(Context& context, const Transfer& transfer) override;
  void send_control(Context& context, const Train& control) override;
  bool pass_on(Context& context, const Train& train, PortIndex port, SimTime tail) override;

 private:
  PathHost& host_;
};

}  // namespace lightrail
