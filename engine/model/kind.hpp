#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/model/component.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// The immutable parameters of a component, parsed from XML by its Describe table.
class Spec {
 public:
  virtual ~Spec() = default;
};

struct PortDoc {
  std::string name, count, doc;  ///< count: "1", "radix", "1 + nics"
};
struct StatisticDoc {
  std::string table, doc;
};

/// What the engine hands a component when it is built.
struct BuildContext {
  ComponentId id;
  const ComponentRecord& record;
  const Spec& spec;
  const Model& model;
};

/// One kind of component: its documentation, its parameters and how to build it. Kinds register in an
/// explicit list (components/registry.cpp) or come from a plugin.
class ComponentKind {
 public:
  std::string name, doc;
  std::uint32_t weight =
      1;  ///< expected events of one component relative to other kinds; balances the partition
  bool can_fail = false;          ///< its cables to others that can fail may be down (network/health)
  std::uint32_t state_bytes = 0;  ///< of tables that a busy component works on, about; 0: none worth counting
  /// Of the component object, what an event touches, about: sizes tiles, and is fetched ahead where there is
  /// no tell_hot().
  std::uint32_t hot_bytes = 128;
  bool prefetches = false;  ///< Component::prefetch() is its own; else its links are fetched
  std::vector<ParameterDoc> parameters;
  std::vector<PortDoc> ports;
  std::vector<StatisticDoc> statistics;
  /// Element attributes -> Spec; mistakes go to `errors`.
  std::function<std::shared_ptr<const Spec>(const Element&, ErrorList&)> make_spec;
  /// The effective values of a Spec, for /model/params.
  std::function<std::vector<ParameterValue>(const Spec&)> values;
  std::function<std::unique_ptr<Component>(const BuildContext&)> make;
};

/// Fills `parameters`, `make_spec` and `values` of a kind from one Describe table, so that they cannot drift.
/// XSpec must derive from Spec and be default-constructible.
template <class XSpec>
void bind_spec(ComponentKind& kind, const Describe<XSpec>& table) {
  kind.parameters = table.documentation();
  kind.make_spec = [table](const Element& element, ErrorList& errors) -> std::shared_ptr<const Spec> {
    auto spec = std::make_shared<XSpec>();
    table.parse(element, *spec, errors);
    return spec;
  };
  kind.values = [table](const Spec& spec) { return table.values(static_cast<const XSpec&>(spec)); };
}

}  // namespace lightrail
