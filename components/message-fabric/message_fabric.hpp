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

/// What a MessageFabric knows of the switches that it, or a part of it, stands for.
struct MessageFabricSpec final : BufferedSpec {
  struct Target {
    PortIndex port = self_port;  ///< of its part; self_port: the fabric does not lead there
    std::uint16_t part = 0;
    std::uint32_t last_switch = 0;
    LineTime line;  ///< between the last switch and the NIC
  };
  /// The same for all parts.
  struct Whole {
    std::shared_ptr<const FabricPaths> paths;
    NicRole role = NicRole::compute;
    std::vector<Target> of_lid;
    std::uint16_t parts = 1;
  };
  std::shared_ptr<const Whole> whole;
  std::uint16_t part = 0;
  std::vector<std::uint32_t> switch_of_port;  ///< the first one, by NIC

  [[nodiscard]] PortIndex nics() const { return static_cast<PortIndex>(switch_of_port.size()); }
  [[nodiscard]] PortIndex port_to(std::uint16_t other) const {
    return static_cast<PortIndex>(nics() + other - (other > part ? 1 : 0));
  }
  /// Whose port that is.
  [[nodiscard]] std::uint16_t part_at(PortIndex port) const {
    const int other = port - nics();
    return static_cast<std::uint16_t>(other + (other >= part ? 1 : 0));
  }
  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override { return {}; }
  [[nodiscard]] bool has_flow_control() const override { return false; }
};

/// A fabric without its switches, in a run whose messages travel whole or, with trains, where <fabric> has
/// detail="messages": what comes in on a port leaves by that of its address, once
/// the head has had its path's switches and cables, at the rate of the line there. Nothing waits on the way,
/// and no switch is full; a slower line inside is not seen. A part joins the NICs of some servers, and is
/// joined to every other part by a link that takes as long as the shortest path between NICs of both; what a
/// path takes beyond it passes before. Sums for collectives (SHARP) are made as by one switch in every part,
/// and of the parts' sums in every part that has receivers.
///
/// Ports: i = the i-th NIC's, then the other parts' in their order.
class MessageFabric final : public Component {
 public:
  explicit MessageFabric(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void finish(Context& context) override { egress_.finish(context); }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  /// Where something came into the fabric, of which it has had `spent` already.
  struct Source {
    std::uint32_t first_switch = 0;
    LineTime line;
    SimTime spent{};
  };
  /// The members of a group among which sums are made.
  struct Rail {
    std::uint64_t flow = 0;
    std::vector<PortIndex> parts;  ///< that have members, in order
    std::vector<EndpointId> here;  ///< of this part, and
    std::vector<PortIndex> ports;  ///< theirs
  };
  [[noreturn]] void fail(const Context& context, const std::string& what) const;
  [[nodiscard]] const MessageFabricSpec::Target& target(const Context& context, EndpointId to) const;
  /// From where the head has come in to where it leaves the last switch.
  [[nodiscard]] SimTime path_latency(std::uint32_t first_switch, const MessageFabricSpec::Target& to,
                                     Lid lid);
  void carry(Context& context, const Frame& frame, const Source& source);
  /// What a NIC adds.
  void reduce(Context& context, const Train& train, PortIndex in);
  /// What the NICs of a part have added, which came `spent` ago; `all`: the sum's rail().
  void reduce_parts(Context& context, const Train& sum, const Rail& all, std::uint16_t part, SimTime spent);
  [[nodiscard]] Rail rail(const Context& context, const Train& train) const;

  const Model& model_;
  const MessageFabricSpec& spec_;
  const AddressBook* book_;  ///< of its NICs' role
  EgressBank egress_;
  Reductions reductions_, part_reductions_;
  std::vector<LineTime> in_lines_;  ///< by port
  /// By first and last switch, as far as asked for; follows from the model.
  std::unordered_map<std::uint64_t, SimTime> latencies_;
};

/// Of parts of fabrics that join up to `nics` NICs each: the more, the more work one of them is.
[[nodiscard]] std::shared_ptr<const ComponentKind> message_fabric_kind(std::uint32_t nics);

}  // namespace lightrail
