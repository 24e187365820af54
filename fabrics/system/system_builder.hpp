#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/model/declared_parameter.hpp"
#include "engine/model/model.hpp"
#include "engine/model/registry.hpp"
#include "engine/model/spec_places.hpp"
#include "links/cable.hpp"
#include "links/cable_table.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

struct DegradedLinks;

/// A kind with its parameters, shared by all components made from one element.
struct Part {
  std::uint16_t kind = 0;  ///< index into Model::kinds
  std::uint32_t spec = 0;  ///< index into Model::specs
  DeviceRole role = DeviceRole::other;
  std::uint32_t radix = 0;  ///< ports; 0: as many as are joined
  SimTime arrival{};        ///< charged on every link that ends here
  // optical switches
  bool is_bidirectional = false;  ///< circuits carry both directions in one fibre
  bool darkens_all = false;       ///< a change interrupts circuits that stay
  Decibel passing_loss{0.0};      ///< mean loss of a path
  // controllers
  bool is_one_way = false;    ///< its circuits lead one way each
  SimTime control_latency{};  ///< of its links

  [[nodiscard]] bool is_ocs() const { return role == DeviceRole::optical_switch; }
};

/// Makes a Model: appends components and cables to its flat tables. Knows indices and limits, no topology.
class SystemBuilder {
 public:
  SystemBuilder(const KindRegistry& kinds, TrainSettings trains, ErrorList& errors);

  /// The kind `kind_name` with parameters from `element`. Null on a mistake, which is in errors().
  std::optional<Part> part(const std::string& kind_name, const Element& element);
  /// Index of a cable; equal cables share one. Null on a mistake.
  std::optional<std::uint32_t> cable(const Element& link);
  /// A cable like `whole`, with share / shares of its rate: some of the lines that it stands for.
  std::uint32_t share_of(std::uint32_t whole, std::uint32_t share, std::uint32_t shares);
  [[nodiscard]] const Cable& cable_at(std::uint32_t index) const { return table_.cables[index]; }

  AtomId new_atom() { return AtomId{model_.atom_count++}; }
  std::uint32_t prefix(const std::string& text);
  ComponentId add(const Part& part, std::uint32_t port_count, std::uint32_t prefix, std::uint32_t number,
                  AtomId atom);
  /// Joins two free ports by a cable: two directed links.
  void connect(ComponentId a, std::uint32_t port_a, ComponentId b, std::uint32_t port_b, std::uint32_t cable);
  /// Joins two free ports by a control link: a latency, no rate.
  void connect_control(ComponentId a, std::uint32_t port_a, ComponentId b, std::uint32_t port_b,
                       SimTime latency);
  /// The links are of a class of their own from now on, with the cable that they had.
  void degrade(const DegradedLinks& degraded);
  [[nodiscard]] bool is_connected(ComponentId id, std::uint32_t port) const;
  /// Both directions share a fibre where circulators join them: at a bidirectional switch, at no other one.
  void check_circulators(const Part& ocs, std::uint32_t cable, const InputError& place);
  /// A light path that was checked, for `validate --budget`. Each text is kept once.
  void keep_budget(LightBudget budget) { budgets_.budgets.push_back(std::move(budget)); }

  /// Effective parameters of an element that is no component, the `index`-th of its name.
  template <class XSpec>
  void declare(const Element& element, const Describe<XSpec>& table, const XSpec& spec,
               std::uint32_t index = 0) {
    for (ParameterValue value : table.values(spec)) {
      const Attribute* attribute = element.find(value.name);
      value.source = attribute ? attribute->file + ":" + std::to_string(attribute->line) : "default";
      model_.parameters.push_back({element.name, index, std::move(value)});
    }
  }

  /// A resource of the model that is being made, one of a type.
  template <class T>
  void add_resource(std::shared_ptr<const T> resource) {
    model_.add(std::move(resource));
  }

  /// As far as it is made.
  [[nodiscard]] const Model& model() const { return model_; }
  ErrorList& errors() { return errors_; }
  [[nodiscard]] const KindRegistry& kinds() const { return kinds_; }
  [[nodiscard]] const Spec& spec_of(const Part& part) const { return *model_.specs[part.spec]; }
  /// Ports of a NIC that lead to a fabric.
  [[nodiscard]] std::uint32_t fabric_ports(ComponentId nic) const {
    return fabric_ports_of(*model_.specs[model_.components[nic.value].spec]);
  }
  const Part& part_of(ComponentId id) const { return part_of_spec_[model_.components[id.value].spec]; }

  AddressBook book;                          ///< filled by the parts of the builder; entries by endpoint
  std::vector<ComponentId> nic_of_endpoint;  ///< the NIC whose lid an endpoint receives on; invalid: none
  /// The same two of a fabric behind hosts; null and empty without one.
  struct HostNetwork {
    std::shared_ptr<AddressBook> book;
    std::vector<ComponentId> nic_of_endpoint;
  };
  [[nodiscard]] HostNetwork& behind_host(NicRole role) { return networks_[role]; }
  std::unordered_map<std::uint32_t, std::uint32_t> lid_of_nic;  ///< component id -> lid

  /// The model, with the resources AddressBook, CableTable, LightBudgets and SendAhead; ends this builder.
  [[nodiscard]] Model take();

 private:
  void set_lids(AddressBook& of, const std::vector<ComponentId>& nics) const;
  std::uint16_t link_class(std::uint32_t cable, ComponentId from, ComponentId to);
  std::uint16_t add_class(LinkClass link, std::uint32_t cable);

  Model model_;
  const KindRegistry& kinds_;
  TrainSettings trains_;
  ErrorList& errors_;
  CableTable table_;
  LightBudgets budgets_;
  std::vector<Part> part_of_spec_;
  std::map<std::string, std::uint32_t> prefixes_, cable_index_;
  std::map<std::tuple<std::uint32_t, int, std::int64_t>, std::uint16_t> classes_;
  SpecPlaces places_;
  ByRole<HostNetwork> networks_;
};

}  // namespace lightrail
