#include <memory>

#include "components/ocs/ocs.hpp"
#include "network/port/build_checks.hpp"

namespace lightrail {

std::shared_ptr<const ComponentKind> ocs_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "ocs";
  kind->doc =
      "Optical circuit switch: joins ports one to one, without buffer. A <schedule> of <at time circuits> or "
      "a "
      "controller replaces the circuits; added ones have light dark-time later. What meets darkness is lost: "
      "its sender's transport sends it again. <fault at port kind> makes ports fail or stick. Leaves out "
      "crosstalk.";
  kind->weight = 4;
  kind->ports = {{"0 ...", "ports", "any optical link; light of both directions"},
                 {"ports", "0 or 1", "its controller"}};
  kind->statistics = {{"ocs", "every circuit: times, payload, and what met darkness"},
                      {"link_use", "payload and busy time of every output by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"},
                      {"power", "energy of the switch and of the modules that receive from it"}};
  bind_spec(*kind, ocs_table());
  kind->make_spec = make_ocs_spec;
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<Ocs>(build); };
  return kind;
}

}  // namespace lightrail
