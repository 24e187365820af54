#pragma once
#include <cstdint>
#include <memory>

#include "components/gpu/transport/arrivals.hpp"
#include "components/gpu/transport/paths/message_joins.hpp"
#include "components/gpu/transport/paths/path.hpp"
#include "components/gpu/transport/paths/rail_owners.hpp"

namespace lightrail {

/// Where GPUs have several NICs: a message to a GPU goes in stripes, one a NIC of its sender (stripes.hpp).
/// Stripe i goes to the receiver's NIC i and leaves by this GPU's NIC i; with PXN, where another local GPU
/// has that rail, over NVLink to that GPU and out of its NIC. A stripe carries the addresses of two NICs
/// (AddressBook::address), so that what comes in is counted by stripe: a message is there when the last of
/// its stripes is, and messages of a connection are handed out in the order of asking. The proxy thread posts
/// the stripes of a message as one request. Leaves out control messages, and what is for hosts and storage:
/// they keep to the first NIC, by other paths.
class SeveralNicsPath final : public Path, private MessageSplitter {
 public:
  [[nodiscard]] static std::unique_ptr<Path> make(const BuildContext& build, PathHost& host);
  SeveralNicsPath(PathHost& host, bool is_pxn);

  [[nodiscard]] bool leads_to(SimTime now, EndpointId to, Cargo cargo) const override;
  void send(Context& context, const Transfer& transfer) override;
  void send_control(Context& context, const Train& control) override;
  bool pass_on(Context& context, const Train& train, PortIndex port, SimTime tail) override;
  [[nodiscard]] MessageSplitter* splitter() override { return this; }
  std::int64_t drop_all() override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  /// What is told of a message that has come whole.
  struct Receipt {
    EndpointId from{};
    Connection connection{};
    std::int64_t payload_bytes = 0, wire_bytes = 0;
    SimTime after{};
    Owner owner{};
    std::uint32_t is_counted = 0, unused = 0;
  };

  bool expect(Context& context, const Expectation& expectation) override;
  bool arrive(Context& context, const Train& train, SimTime tail) override;
  void on_part_sent(std::uint32_t message, SimTime at) override;
  [[nodiscard]] std::int64_t unclaimed_bytes() const override { return stripes_.unclaimed(); }

  [[nodiscard]] bool is_stripe(const Train& train) const {
    return host_.book().is_nic_address(train.address.from());
  }
  /// Number of the NIC with that address among those of its GPU.
  [[nodiscard]] std::uint32_t nic_number(EndpointId address) const;
  void send_stripe(Context& context, const Transfer& transfer, std::uint32_t stripe, std::int64_t bytes,
                   SendToken token);
  void post(Context& context, SimTime ready, const WorkRequest& work, std::uint32_t nic, Cargo cargo);
  void settle(Context& context, std::uint32_t slot);

  PathHost& host_;
  RailOwners rails_;
  bool is_pxn_;
  std::uint32_t nics_;  ///< of this GPU
  Arrivals stripes_;    ///< waits are told apart by the numbers of incoming_
  MessageJoins<Receipt> incoming_;
  MessageJoins<Owner> outgoing_;
};

}  // namespace lightrail
