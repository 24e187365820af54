#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/context.hpp"
#include "engine/model/declared_parameter.hpp"
#include "engine/model/remark.hpp"
#include "engine/model/resources.hpp"
#include "engine/model/table_registry.hpp"

namespace lightrail {

class ComponentKind;
class Spec;

/// One component, not yet built: 24 bytes. Its ports are the `ports` entries from `first_port` on.
struct ComponentRecord {
  std::uint32_t first_port = 0;
  std::uint16_t port_count = 0;
  std::uint16_t kind = 0;  ///< index into Model::kinds
  std::uint32_t spec = 0;  ///< index into Model::specs
  AtomId atom{};
  std::uint32_t name_prefix =
      0;  ///< index into Model::name_prefixes; the name is prefix + number ("gpu" + 17), or X for "=X"
  std::uint32_t number = 0;  ///< of an endpoint: its id; 0xffffffff: the name has no number
};

/// One port: the directed link it sends on. Its incoming link is that id with the lowest bit flipped.
struct PortRecord {
  LinkId out{};
};

/// One direction of a link; directions of one cable are ids 2k and 2k + 1.
struct LinkRecord {
  ComponentId from{}, to{};
  PortIndex from_port = 0, to_port = 0;
  std::uint16_t link_class = 0;
};

/// What light does to a link; all zero for links that are not optical. Levels are OMA of one lane.
struct LinkLight {
  double level_dbm = 0;         ///< towards an optical switch: what arrives there, less all allowances
  double needed_dbm = 0;        ///< from an optical switch: what must leave it for the receiver's sensitivity
  double codeword_failure = 0;  ///< without optical switch: probability that FEC cannot correct a codeword
  std::uint32_t codeword_bytes = 0;      ///< payload of a codeword [B]; 0: no FEC, no errors
  double burst_bits = 1;                 ///< mean length of bursts of bit errors
  bool has_replay = false;               ///< the link sends again what FEC could not correct
  SimTime replay_latency{};              ///< from the end of a train that failed to its start once more
  SimTime retraining{};                  ///< from light that returns to data
  SimTime flap_interval{}, flap_time{};  ///< mean time between losses of light, 0: none; how long they last
};

/// What all links of one kind share, already evaluated from the scenario by links/.
struct LinkClass {
  std::string name;
  SimTime latency{};               ///< [ps], >= 1 ps; propagation, serdes, FEC and the far device's pipeline
  BitRate rate{};                  ///< payload rate [bit/s]; 0: does not serialise
  std::uint32_t mtu_bytes = 4096;  ///< packet size [B]
  std::uint32_t grain = 1;         ///< packets per train
  std::string medium;              ///< "electrical", "optical", "nvlink", "pcie"
  double energy_pj_per_bit = 0;
  LinkLight light = {};
};

/// What a stage between the first and the run makes of the model so far.
struct ModelPart {
  std::vector<std::string> names, dimensions;  ///< to follow the model's
  std::vector<DeclaredParameter> parameters;   ///< to follow the model's
  std::vector<Remark> remarks;                 ///< to follow the model's
  Resources resources;
};

/// The whole system as flat tables, the same on every rank, a few tens of bytes a port; nothing is built yet.
/// Larger things that only some component kinds know (address book, groups, programs) are resources by type.
/// Stages read the model so far and return a ModelPart; what one has made no later one changes, and none
/// changes the model that runs.
class Model {
 public:
  std::vector<ComponentRecord> components;
  std::vector<PortRecord> ports;
  std::vector<LinkRecord> links;
  std::vector<LinkClass> link_classes;
  std::vector<std::string> name_prefixes;
  std::vector<std::string> names;       ///< texts that `name` columns refer to; written to /names
  std::vector<std::string> dimensions;  ///< parallel dimensions of the traffic counters: tp, dp, ep, pp ...
  std::vector<DeclaredParameter> parameters;  ///< of what is no component; written to /model/params
  std::vector<Remark> remarks;                ///< what the result rests on; written to /summary/remarks
  std::vector<std::shared_ptr<const ComponentKind>> kinds;
  std::vector<std::shared_ptr<const Spec>> specs;
  std::uint32_t atom_count = 0;
  std::uint64_t seed = 1;
  std::shared_ptr<const TableRegistry> tables = std::make_shared<const TableRegistry>();

  [[nodiscard]] std::string component_name(ComponentId id) const;
  /// The id of a declared table, for Context::record(). Throws InputErrors for one that nobody has declared.
  [[nodiscard]] TableId table(const std::string& name) const { return tables->id(name); }
  /// The component's self link; self links follow the real ones.
  [[nodiscard]] LinkId self_link(ComponentId id) const {
    return LinkId{static_cast<std::uint32_t>(links.size()) + id.value};
  }

  /// A second resource of a type is our bug (ContractError).
  void add(ModelPart part);
  template <class T>
  void add(std::shared_ptr<const T> resource) {
    resources_.add(std::move(resource));
  }
  [[nodiscard]] const Resources& resources() const { return resources_; }
  /// Null when the scenario has none.
  template <class T>
  [[nodiscard]] const T* resource() const {
    return resources_.find<T>();
  }

 private:
  Resources resources_;
};

}  // namespace lightrail
