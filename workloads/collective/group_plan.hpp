#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/quantity.hpp"
#include "engine/model/model.hpp"
#include "network/reduction/reduction_trees.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {

/// How the fabric adds up what a group's servers send: a tree for each place in a server, over the members at
/// that place.
struct FabricSums {
  std::vector<ReductionTree> trees;  ///< by place; empty: `obstacle` says why, or no collective asks for them
  std::string obstacle;              ///< to follow "needs"
  double efficiency = 0;  ///< share of the network's rate: the least of the trees; 0: there is none
  std::int64_t room = 0;  ///< payload of a head that the switches of every tree hold [B]; 0: any
};

/// How the members of one group lie on servers and rails; the same for every member, made once, immutable.
///
/// One server: one ring over its members. Several: one ring a rail. Channel c enters every server at the
/// first member of the c-th NIC that its members use, passes the others in order of their ids, wrapping
/// around, and goes on to the next server's entry of channel c; so what leaves a server is for the rail it
/// entered by. At most Connection::max_channels rings, 256; NCCL has 32 channels.
struct GroupPlan {
  std::vector<EndpointId> members;          ///< by id, and so server by server
  std::vector<std::uint32_t> server_first;  ///< index of each server's first member, and the size at the end
  std::vector<std::uint32_t> entry;  ///< channels x servers: index of the entry member inside its server
  std::uint32_t channels = 1;
  std::uint32_t stands_for = 1;  ///< GroupKind's
  bool has_nvlink = true;        ///< members of one server reach each other over NVLink
  FabricSums fabric_sums;
  /// Head of a train from one member to another through the NVSwitch of its server: the longest.
  SimTime nvlink_path{};
  /// Members of one server under several operating systems: an NVLink domain of more than 8 GPUs is made of
  /// trays of 4, neighbours in it (NVL72).
  bool spans_hosts = false;
  bool has_equal_nvlink = true;        ///< as fast for all members
  NetPlugin plugin{};                  ///< of the members' adapters: the slowest
  BitRate local_rate{}, net_rate{};    ///< slowest member's, one direction; 0: not connected
  double nvls_efficiency = 0;          ///< the least of the members' NVSwitches; 0: one cannot multicast
  std::optional<NcclDevice> device;    ///< the slowest of the members' measured figures; none: one has none
  const NcclSettings* nccl = nullptr;  ///< what its collectives take: the scenario's, with `device` in it

  [[nodiscard]] std::uint32_t servers() const { return static_cast<std::uint32_t>(server_first.size()) - 1; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()); }
  /// Places of a ring, and the servers that it goes through, with those that members stand for.
  [[nodiscard]] std::uint32_t ring_size() const { return size() * stands_for; }
  [[nodiscard]] std::uint32_t ring_servers() const { return servers() * stands_for; }
  [[nodiscard]] std::uint32_t members_of(std::uint32_t server) const {
    return server_first[server + 1] - server_first[server];
  }
  /// Every server has as many members.
  [[nodiscard]] bool is_even() const;
  /// Server of a member given by its index.
  [[nodiscard]] std::uint32_t server_of(std::uint32_t index) const;
  /// Of every server, the member at the same place in it as that one; needs that there is one.
  [[nodiscard]] std::vector<EndpointId> rail_of(std::uint32_t index) const;
  /// The first of these.
  [[nodiscard]] EndpointId rail_head(std::uint32_t index) const {
    return members[index - server_first[server_of(index)]];
  }
  /// Place of `gpu` in `members`; needs that it is one.
  [[nodiscard]] std::uint32_t index_of(EndpointId gpu) const;
  /// Place in the ring of `channel`, 0 ... size - 1, of a member given by its index.
  [[nodiscard]] std::uint32_t ring_position(std::uint32_t channel, std::uint32_t index) const;
  /// The member at that place (modulo size).
  [[nodiscard]] EndpointId ring_member(std::uint32_t channel, std::uint32_t position) const;
};

/// What all lines of `gpu` that collectives use bring at once: NVLink (without it PCIe) and its NIC.
[[nodiscard]] BitRate receive_rate_of(const Model& model, EndpointId gpu);

/// Every group of the job: a Model resource, a few bytes a GPU and kind.
class GroupPlans {
 public:
  /// Needs AddressBook, GroupTable and NcclSettings; trees in the fabric are made for groups of which an
  /// AlgorithmRegistry and a ProgramSet say that a collective asks for them.
  explicit GroupPlans(const Model& model);
  GroupPlans(const GroupPlans&) = delete;  // plans point into settings_
  GroupPlans& operator=(const GroupPlans&) = delete;
  /// The plan of the group of `kind` that `gpu` is in; it must be in one.
  [[nodiscard]] const GroupPlan& of(GroupKindId kind, EndpointId gpu) const;

 private:
  const NcclSettings* settings_with(const NcclSettings& base, const GroupPlan& plan);

  std::vector<GroupPlan> plans_;
  std::deque<NcclSettings> settings_;                ///< one for each mixture of GPU kinds
  std::vector<std::vector<std::uint32_t>> plan_of_;  ///< by kind, by GPU
};

}  // namespace lightrail
