#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "engine/model/model.hpp"
#include "network/health/health_table.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/lane_weights.hpp"
#include "network/routing/routing.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/train.hpp"

namespace lightrail::test {

/// More tables than there are: what an OutputSelection of all of them holds.
inline constexpr std::size_t many_tables = 64;

/// What a probe saw.
struct Arrival {
  SimTime time{};
  PortIndex port = 0;
  Payload payload{};
};

/// A row that some component recorded.
struct Row {
  ComponentId component{};
  SimTime time{};
  std::vector<std::int64_t> values;
};

/// A device of the tests: sends what its script says and writes down what comes in. A sink without flow
/// control.
struct ProbeSpec final : Spec, DeviceTraits {
  struct Send {
    SimTime at{};
    PortIndex port = 0;
    Payload payload{};
  };
  [[nodiscard]] DeviceRole role() const override { return DeviceRole::other; }
  [[nodiscard]] bool takes_batches() const override { return hears_batches; }

  std::vector<Send> script;
  bool hears_batches = false;
};

/// A model wired by hand and a small engine of its own (one priority queue), for tests of devices. Ids are
/// given in order of adding; an atom holds one component unless `join` puts it into the atom before.
class NetworkBed {
 public:
  NetworkBed();

  ComponentId add(std::shared_ptr<const ComponentKind> kind, std::shared_ptr<const Spec> spec,
                  const std::string& prefix, bool joins_last_atom = false);
  /// A probe that is the next endpoint: its lid is the endpoint's id, NIC and local number as given.
  ComponentId add_endpoint(std::uint32_t server = 0, std::uint16_t local = 0, std::uint16_t nic = 0,
                           bool joins_last_atom = false);
  LinkClass& link_class_at(std::uint16_t index) { return model_.link_classes[index]; }
  std::uint16_t link_class(SimTime latency, BitRate rate, std::uint32_t mtu = 4096, std::uint32_t grain = 16);
  /// A cable between two ports, the same class both ways; returns the link id from a to b.
  LinkId connect(ComponentId a, PortIndex port_a, ComponentId b, PortIndex port_b, std::uint16_t link_class);
  void route(ComponentId device, SwitchRoute route);
  /// Links that fail; without it they are up, and optical switches say what their ports do.
  void set_health(HealthTable health);
  void set_weights(LaneWeights weights);
  /// At `at` the probe sends `payload`.
  void script(ComponentId probe, SimTime at, PortIndex port, const Payload& payload);
  /// The probe is a device that may be told of batches of trains.
  void hear_batches(ComponentId probe);
  /// Records all tables, link_use rows of this interval.
  void record(SimTime interval);

  /// Lays out the tables; needed once before run(), or for use of the model elsewhere.
  Model& finish_model();
  /// Runs to the last event. With `save_at`, every component is saved and loaded into a new one at that time.
  void run(SimTime save_at = time_never);

  const std::vector<Arrival>& arrivals(ComponentId probe) const { return arrivals_.at(probe.value); }
  /// Trains (or what `kind` says) that came in at a probe.
  std::vector<Arrival> trains(ComponentId probe, MessageKind kind = MessageKind::train) const;
  const std::vector<Row>& rows(TableId table) { return rows_[table]; }
  std::vector<std::string> waits() const { return waits_; }
  std::int64_t events() const { return events_; }
  SimTime end() const { return end_; }
  AddressBook& book() { return *book_; }

 private:
  struct Draft {
    std::map<PortIndex, LinkId> ports;
  };
  Model model_;
  std::shared_ptr<AddressBook> book_ = std::make_shared<AddressBook>();
  std::shared_ptr<RoutingTables> routes_ = std::make_shared<RoutingTables>();
  std::map<std::uint32_t, std::shared_ptr<ProbeSpec>> probes_;
  std::vector<Draft> drafts_;
  bool is_finished_ = false;

  std::map<std::uint32_t, std::vector<Arrival>> arrivals_;
  std::map<TableId, std::vector<Row>> rows_;
  std::vector<std::string> waits_;
  std::int64_t events_ = 0;
  SimTime end_{};
  friend struct BedEngine;
};

/// The kind of the probes; its arrivals go to `log` (by component id) when it is not null.
std::shared_ptr<const ComponentKind> probe_kind(std::map<std::uint32_t, std::vector<Arrival>>* log);

/// Payload bytes of all trains in `arrivals`.
std::int64_t payload_bytes(const std::vector<Arrival>& arrivals);

}  // namespace lightrail::test
