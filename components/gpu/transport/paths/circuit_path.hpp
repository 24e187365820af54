#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/gpu/transport/paths/delegation.hpp"
#include "components/gpu/transport/paths/path.hpp"
#include "network/wire/region_control.hpp"

namespace lightrail {

/// Where circuits join servers: a message for a GPU of another server goes to the local GPU whose NIC leads
/// there, its delegate (gather over NVLink), in parts where several do; from there over circuits or packet
/// NICs, and at the other end over NVLink to its receiver (scatter). A server on the way of a patch panel
/// relays. While circuits change, delegates hold what is for them; what is for a later phase of an exchange
/// waits in the GPU that sends it (components/controller).
class CircuitPath final : public Path, private ExchangePlanner {
 public:
  [[nodiscard]] static std::unique_ptr<Path> make(const BuildContext& build, PathHost& host);
  CircuitPath(const BuildContext& build, const Regions& regions, PathHost& host);

  [[nodiscard]] bool leads_to(SimTime now, EndpointId to, Cargo cargo) const override;
  void send(Context& context, const Transfer& transfer) override;
  void send_control(Context& context, const Train& control) override;
  bool pass_on(Context& context, const Train& train, PortIndex port, SimTime tail) override;
  bool on_returned_train(Context& context, const ReturnedTrain& train, SimTime tail) override;
  bool on_notice(Context& context, const SentNotice& notice) override;
  bool on_wake(Context& context, const Payload& payload) override;
  bool on_control(Context& context, const Payload& payload) override;
  [[nodiscard]] ExchangePlanner* planner() override { return this; }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  /// Ways that a part of a message may take.
  enum class Over : std::uint8_t { all, circuits, packets };
  /// A step over NVLink: to the delegate, or from it.
  enum class Step : std::uint8_t { gather, scatter };
  /// An own message of which `left` bytes wait for circuits.
  struct Held {
    Transfer transfer{};
    std::int64_t left = 0;
  };

  [[nodiscard]] bool wants_demand(std::uint16_t dimension) const override;
  void announce_ahead(Context& context, std::span<const PeerBytes> demand, bool is_known) override;
  [[nodiscard]] bool predicts_from_history() const override;
  void announce_absence(Context& context) override;
  bool start_exchange(Context& context, std::span<const PeerBytes> demand, Owner owner) override;

  void announce(Context& context, std::span<const PeerBytes> demand, bool is_predicted);
  void tell_begun(Context& context);
  [[nodiscard]] std::int64_t beside_circuits(const Transfer& transfer) const;
  void send_on_circuits(Context& context, const Held& message);
  void send_parts(Context& context, const Transfer& transfer, std::int64_t bytes, bool is_end, Over over);
  void send_over(Context& context, std::uint16_t nic, const Train& train, bool notify, Owner owner);
  /// Of what a GPU sends, or of what has been cut into trains already.
  enum class Piece : std::uint8_t { message, train };
  void hand_over(Context& context, const Train& train, std::uint16_t local, Step step, Piece piece,
                 SendToken token);
  void post_to_circuit(Context& context, const Train& train, bool is_own, Piece piece, SendToken token);
  void go_on(Context& context, const Train& train);
  void on_live(Context& context, const region_control::Live& live);
  void check_given_up(Context& context, EndpointId to) const;
  [[noreturn]] void fail_unreachable(const Context& context, EndpointId to) const;

  PathHost& host_;
  Delegation delegation_;
  std::vector<Held> held_transfers_;  ///< own, for circuits that change or come later
  std::vector<Train> held_;           ///< of others, at their delegate
};

}  // namespace lightrail
