#include "app/cli/element_places.hpp"

#include "app/cli/known_elements.hpp"

namespace lightrail {

Places element_places(const Registry& registry) {
  const std::vector<std::string> top = {
      "doc",      "variable", "cluster", "storage",   "fabric", "graph",  "network", "scheduler",
      "workload", "groups",   "nccl",    "variation", "lanes",  "faults", "goodput", "congestion-control",
      "dcqcn",    "nscc",     "dctcp",   "timely",    "jobs",   "prices", "sweep",   "run",
      "output",   "users"};
  const std::vector<std::string> workload = {"model",    "program", "gate",        "checkpoint", "data",
                                             "requests", "pool",    "recorded-on", "flow-sizes"};
  Places all = {{"scenario", top},
                {"cluster", {"server"}},
                {"server", {"gpu", "nvswitch", "nic", "host", "link"}},
                {"storage", {"storage-server", "nic", "link"}},
                {"users", {"gateway", "nic", "link"}},
                {"gpu", {"gemm", "attention", "memory-kernel", "collectives"}},
                {"fabric", {"switch", "ethernet-switch", "ocs", "controller", "rail-controller", "link"}},
                {"link", {"transceiver"}},
                {"ethernet-switch", {"ecn", "trim", "watchdog"}},
                {"ocs", {"schedule", "fault"}},
                {"schedule", {"at"}},
                {"prices", {"price"}},
                {"workload", workload},
                {"flow-sizes", {"size"}},
                {"recorded-on", {"gpu"}},
                {"jobs", {"workload"}},
                {"program", {"op", "repeat"}},
                {"repeat", {"op", "repeat"}},
                {"groups", {"group"}},
                {"group", {"digit", "members"}},
                {"run", {"formula", "stretch"}},
                {"variation", {"slow"}},
                {"lanes", {"level", "lane"}},
                {"faults", {"fault", "rate", "throttle", "degrade", "restart"}},
                {"goodput", {"checkpoint", "restart", "spares", "replicas", "failure-rates"}},
                {"failure-rates", {"category"}},
                {"sweep", {"vary"}},
                {"output", {"table"}}};
  std::vector<std::string>& graph = all["graph"] = {"link", "routes", "component"};
  for (const auto& kind : registry.components.kinds())
    if (kind->name != "gateway") graph.push_back(element_of_kind(kind->name));
  // An included file's content stands where the <include> stands: at the top, in a graph, in a schedule.
  std::vector<std::string>& part = all["part"];
  for (const ElementDoc& e : known_elements(registry))
    if (e.name != "scenario" && e.name != "part" && e.name != "include" && e.name != "source")
      part.push_back(e.name);
  return all;
}

}  // namespace lightrail
