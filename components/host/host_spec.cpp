#include "components/host/host.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace lightrail {

Describe<HostSpec> host_parameters() {
  return Describe<HostSpec>()
      .field("memory-bandwidth", &HostSpec::memory_bandwidth, "of the host's memory, reads and writes",
             BitRate{1}, BitRate{1'000'000'000'000'000})
      .field("latency", &HostSpec::latency, "of the PCIe root complex or switch", SimTime{0}, milliseconds(1))
      .field("buffer", &HostSpec::buffer, "input buffer of one port and lane", Bytes{64}, Bytes{1ll << 31})
      .field("stage", &HostSpec::stage, "piece of a copy to a GPU that is read at once", Bytes{1},
             Bytes{1ll << 30})
      .field("lanes", &HostSpec::lanes, "virtual lanes", 1u, max_lanes)
      .field("power", &HostSpec::power, "electrical power, for the power table; 0: not known", Watts{0},
             Watts{1e6});
}

Describe<HostCosts> host_cost_parameters() {
  const SimTime none{0}, most = milliseconds(10'000);
  return Describe<HostCosts>()
      .field("launch", &HostCosts::launch,
             "of the driver's call that launches a kernel; 0: how long a CPU takes is not known", none, most)
      .field("call", &HostCosts::call, "of an operation of the framework around it", none, most)
      .field("module", &HostCosts::module, "of a module of Transformer Engine, more", none, most)
      .field("cast", &HostCosts::cast, "of a quantisation, more", none, most)
      .field("expert", &HostCosts::expert, "of a local expert in a library's loop", none, most)
      .field("graph", &HostCosts::graph, "of launching a CUDA graph", none, most)
      .field("node", &HostCosts::node, "of each of its kernels, more", none, most)
      .field("read-back", &HostCosts::read_back, "of reading a value of an operation that has ended", none,
             most)
      .field("step", &HostCosts::step, "of the CPU between two iterations", none, most)
      .field("collection", &HostCosts::collection, "of a garbage collection", none, most)
      .field("start", &HostCosts::start, "from a launch to the start on an idle stream", none, most)
      .field("gap", &HostCosts::gap, "of a stream behind every kernel", none, most)
      .field("ahead", &HostCosts::ahead, "kernels that are launched and have not ended, at most", 1u,
             1'000'000'000u)
      .field("unbound", &HostCosts::unbound,
             "factor of all these times of the CPU where processes are not bound to cores", 1.0, 100.0);
}

std::shared_ptr<const Spec> make_host_spec(const Element& element, ErrorList& errors) {
  auto spec = std::make_shared<HostSpec>();
  host_parameters().parse(element, *spec, errors);
  host_cost_parameters().parse(element, spec->costs, errors);
  return spec;
}

std::vector<ParameterValue> host_values(const HostSpec& spec) {
  std::vector<ParameterValue> all = host_parameters().values(spec);
  for (ParameterValue& value : host_cost_parameters().values(spec.costs)) all.push_back(std::move(value));
  return all;
}

}  // namespace lightrail
