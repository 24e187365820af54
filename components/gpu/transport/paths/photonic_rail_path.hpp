#pragma once
#include <memory>
#include <string>
#include <vector>

#include "components/gpu/transport/paths/path.hpp"
#include "components/gpu/transport/paths/rail_circuit_client.hpp"

namespace lightrail {

/// Where every rail is an optical switch: out of the GPU's own NIC to one server at a time, over the circuit
/// that the GPU has asked for (rail_circuit_client.hpp). Only PXN joins the rails. What others hand over on
/// NVLink goes out in the same way; what the NIC gives back, lost or corrupt, goes again without the proxy
/// thread, and nobody waits for it. Control messages take the network of the servers: circuits lead one way.
class PhotonicRailPath final : public Path {
 public:
  [[nodiscard]] static std::unique_ptr<Path> make(const BuildContext& build, PathHost& host);
  PhotonicRailPath(const Rails& rails, PathHost& host)
      : host_(host), client_(rails, host.book(), host.self()) {}

  [[nodiscard]] bool leads_to(SimTime now, EndpointId to, Cargo cargo) const override;
  void send(Context& context, const Transfer& transfer) override;
  void send_control(Context& context, const Train& control) override;
  [[nodiscard]] bool has_slow_control() const override { return true; }
  bool pass_on(Context& context, const Train& train, PortIndex port, SimTime tail) override;
  bool on_returned_train(Context& context, const ReturnedTrain& train, SimTime tail) override;
  bool on_notice(Context& context, const SentNotice& notice) override;
  bool on_wake(Context& context, const Payload& payload) override;
  bool on_control(Context& context, const Payload& payload) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override { client_.save(out); }
  void load(StateReader& in) override { client_.load(in); }

 private:
  using Work = RailCircuitClient::Work;
  void admit(Context& context, const WorkRequest& message, bool is_by_gpu, bool is_own, SendToken token);
  void post(Context& context, const Work& work);
  void on_control_message(Context& context, const Train& control);

  PathHost& host_;
  RailCircuitClient client_;
};

}  // namespace lightrail
