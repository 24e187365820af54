#include <memory>

#include "components/scheduler/scheduler.hpp"
#include "network/port/build_checks.hpp"

namespace lightrail {

std::shared_ptr<const ComponentKind> scheduler_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "scheduler";
  kind->doc =
      "Serving software of an inference job: gives requests to replicas, makes their batches, moves requests "
      "from replicas that prefill to replicas that decode. Leaves out preemption, shared prefixes, failures.";
  kind->weight = 4;
  kind->ports = {{"i", "GPUs", "GPU i"}, {"GPUs ...", "machines of <users>", "their gateways"}};
  kind->statistics = {{"requests", "arrival, first token, end of every request"},
                      {"batches", "what every replica worked on"}};
  bind_spec(*kind, Describe<SchedulerSpec>()
                       .field("latency", &SchedulerSpec::latency, "between scheduler and GPU, one way",
                              picoseconds(1), milliseconds(1000))
                       .field("decision", &SchedulerSpec::decision, "to make a batch", SimTime{0},
                              milliseconds(1000)));
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<Scheduler>(build); };
  return kind;
}

}  // namespace lightrail
