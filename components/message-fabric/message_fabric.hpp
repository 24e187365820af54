#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "network/port/buffered_spec.hpp"
#include "network/port/egress_bank.hpp"
#include "network/port/line_time.hpp"
#include "network/reduction/reductions.hpp"
#include "network/routing/fabric_paths.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// What a MessageFabric knows of the switches that it stands for.
struct MessageFabricSpec final : BufferedSpec {
  struct Target {
    PortIndex port = self_port;  ///< self_port: the fabric does not lead there
    std::uint32_t last_switch = 0;
  };
  std::shared_ptr<const FabricPaths> paths;
  NicRole role = NicRole::compute;
  std::vector<Target> of_lid;
  std::vector<std::uint32_t> switch_of_port;  ///< the first one, by port

  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override { return {}; }
  [[nodiscard]] bool has_flow_control() const override { return false; }
};

/// A fabric without its switches, in a run whose messages travel whole or, with trains, where <fabric> has
/// detail="messages": what comes in on a port leaves by that of its address, once
/// the head has had its path's switches and cables, at the rate of the line there. Nothing waits on the way,
/// and no switch is full; a slower line inside is not seen. Sums for collectives (SHARP) are made as by one
/// switch.
///
/// Ports: i = the i-th NIC's.
class MessageFabric final : public Component {
 public:
  explicit MessageFabric(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void finish(Context& context) override { egress_.finish(context); }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  [[noreturn]] void fail(const Context& context, const std::string& what) const;
  [[nodiscard]] const MessageFabricSpec::Target& target(const Context& context, EndpointId to) const;
  /// From a port's switch to where the head leaves the last one.
  [[nodiscard]] SimTime path_latency(PortIndex in, const MessageFabricSpec::Target& to, Lid lid);
  void carry(Context& context, const Frame& frame, PortIndex in);
  void reduce(Context& context, const Train& train, PortIndex in);

  const Model& model_;
  const MessageFabricSpec& spec_;
  const AddressBook* book_;  ///< of its NICs' role
  EgressBank egress_;
  Reductions reductions_;
  std::vector<LineTime> in_lines_;  ///< by port
  /// By first and last switch, as far as asked for; follows from the model.
  std::unordered_map<std::uint64_t, SimTime> latencies_;
};

/// Of fabrics that join up to `nics` NICs each: the more, the more work one of them is.
[[nodiscard]] std::shared_ptr<const ComponentKind> message_fabric_kind(std::uint32_t nics);

}  // namespace lightrail
