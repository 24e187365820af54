#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine/model/describe.hpp"
#include "fabrics/fabric_build.hpp"

namespace lightrail {

/// One kind of fabric: its documentation, its parameters and how to build it. Kinds register in an explicit
/// list (fabrics/registry.cpp) or come from a plugin.
class FabricKind {
 public:
  std::string name, doc;
  std::vector<ParameterDoc> parameters;  ///< attributes of <fabric> beside `kind`
  std::vector<std::string> link_roles;   ///< of its <link role="...">; empty: it has no links
  bool has_groups = false;               ///< its routes have SwitchRoute::groups
  bool joins_servers = true;             ///< false: a system of several servers needs more than this
  bool takes_dual_tor = false;           ///< may join NICs of two ports (an attribute of its own says how)
  bool takes_storage = true;             ///< may be a fabric of storage alone: <fabric for="storage">
  /// True when this <fabric> has a controller to which every GPU needs a port.
  std::function<bool(const Element&)> has_controller = [](const Element&) { return false; };
  /// Reads the attributes and children of <fabric> and joins the NICs as they say.
  std::function<void(FabricBuild&)> build;
};

/// Fills `parameters` and `build` of a kind from one Describe table: `build_spec` gets what was read. Called
/// with mistakes in the attributes too, so that it can look for more; it builds only when there are none.
template <class XSpec>
void bind_fabric(FabricKind& kind, const Describe<XSpec>& table,
                 void (*build_spec)(FabricBuild&, const XSpec&)) {
  kind.parameters = table.documentation();
  kind.build = [table, build_spec](FabricBuild& fabric) {
    XSpec spec;
    table.parse(fabric.element, spec, fabric.errors());
    fabric.builder.declare(fabric.element, table, spec, fabric.index());
    build_spec(fabric, spec);
  };
}

/// In the documentation a default of 0 reads "chosen": the kind works it out.
void document_chosen(FabricKind& kind);

}  // namespace lightrail
