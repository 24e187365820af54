#include "app/cli/known_elements.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "app/cli/build_model.hpp"
#include "app/cli/read_formula.hpp"
#include "app/cli/read_lanes.hpp"
#include "app/cli/read_stretches.hpp"
#include "components/gpu/compute/compute_model.hpp"
#include "components/gpu/compute/kernel_variation.hpp"
#include "fabrics/system/build_system.hpp"
#include "network/health/read_degraded.hpp"
#include "network/health/read_faults.hpp"
#include "network/port/pause/watchdog_spec.hpp"
#include "network/port/red_marker.hpp"
#include "network/port/trimmer.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/dcqcn.hpp"
#include "network/transport/dctcp.hpp"
#include "network/transport/nscc.hpp"
#include "network/transport/timely.hpp"
#include "workloads/build_workload.hpp"
#include "workloads/collective/nccl_device.hpp"
#include "workloads/generate/training/training_checkpoint.hpp"
#include "workloads/goodput/goodput_spec.hpp"
#include "workloads/restart/restart_spec.hpp"

namespace lightrail {
namespace {

/// Structure that is not a parameter table: elements that only hold others or that every stage accepts.
const std::map<std::string, std::vector<std::string>>& structure() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"scenario", {"name"}},
      {"doc", {}},
      {"source", {"parameter", "kind", "text", "value", "url"}},
      {"variable", {"name", "value", "optional"}},
      {"include", {"file"}},
      {"part", {}},
      {"sweep", {}},
      {"vary", {"name", "values"}},
      {"output", {"file", "interval"}},
      {"jobs", {"file"}},
      {"table", {"name", "gpus", "record"}},
      {"component", {"kind"}},
      {"routes", {"of", "ports"}},
      {"ocs", {"circuits"}},
      {"schedule", {}},
      {"at", {"time", "circuits"}},
      {"fault", {"at", "port", "kind"}}};
  return all;
}

std::vector<ParameterDoc> texts(const std::vector<std::string>& attributes) {
  std::vector<ParameterDoc> parameters;
  for (const std::string& a : attributes) parameters.push_back({a, "text", "", "", "", "", false, {}});
  return parameters;
}

/// For the parameters of kinds: by which of them each is read.
std::map<std::string, std::vector<std::string>> kinds_by_parameter(const Registry& registry,
                                                                   const std::string& element) {
  std::map<std::string, std::vector<std::string>> all;
  if (element == "fabric")
    for (const auto& kind : registry.fabrics.kinds())
      for (const ParameterDoc& p : kind->parameters) all[p.name].push_back(kind->name);
  if (element == "workload")
    for (const auto& kind : registry.workloads.kinds())
      for (const ParameterDoc& p : kind->parameters(registry.algorithms)) all[p.name].push_back(kind->name);
  return all;
}

}  // namespace

std::string element_of_kind(const std::string& kind) {
  // <storage> is the group of servers, as <cluster> is that of GPU servers.
  return kind == "storage" ? "storage-server" : kind;
}

std::vector<ElementDoc> known_elements(const Registry& registry) {
  std::map<std::string, std::map<std::string, ParameterDoc>> merged;
  auto add = [&](const std::string& element, const std::vector<ParameterDoc>& parameters) {
    auto& all = merged[element];
    for (const ParameterDoc& p : parameters) {
      auto [it, is_new] = all.emplace(p.name, p);
      if (is_new) continue;
      if (it->second.choices.empty() != p.choices.empty()) it->second.choices.clear();
      for (const std::string& c : p.choices)
        if (!it->second.choices.empty() &&
            std::find(it->second.choices.begin(), it->second.choices.end(), c) == it->second.choices.end())
          it->second.choices.push_back(c);
    }
  };
  for (const auto& [name, attributes] : structure()) add(name, texts(attributes));
  for (const auto& kind : registry.components.kinds()) add(element_of_kind(kind->name), kind->parameters);
  for (const auto& [name, parameters] : system_documentation(registry.fabrics)) add(name, parameters);
  for (const auto& [name, parameters] : workload_documentation(registry.workloads, registry.algorithms))
    add(name, parameters);
  add("gemm", gemm_parameters().documentation());
  add("attention", attention_parameters().documentation());
  add("memory-kernel", memory_kernel_parameters().documentation());
  add("collectives", nccl_device_parameters().documentation());
  add("variation", variation_parameters().documentation());
  add("slow", slow_parameters().documentation());
  add("congestion-control", congestion_parameters().documentation());
  add("dcqcn", dcqcn_parameters().documentation());
  add("nscc", nscc_parameters().documentation());
  add("dctcp", dctcp_parameters().documentation());
  add("timely", timely_parameters().documentation());
  add("ecn", ecn_parameters().documentation());
  add("trim", trim_parameters().documentation());
  add("watchdog", watchdog_parameters().documentation());
  add("lanes", lanes_parameters().documentation());
  add("level", level_parameters().documentation());
  add("lane", lane_parameters().documentation());
  add("run", run_parameters().documentation());
  add("formula", formula_parameters().documentation());
  add("stretch", stretch_parameters().documentation());
  add("goodput", goodput_parameters().documentation());
  add("failure-rates", failure_rates_parameters().documentation());
  add("category", category_parameters().documentation());
  add("checkpoint", job_checkpoint_parameters().documentation());
  add("restart", restart_parameters().documentation());
  add("spares", spares_parameters().documentation());
  add("replicas", replicas_parameters().documentation());
  add("faults", faults_parameters().documentation());
  add("fault", fault_parameters().documentation());
  add("throttle", throttle_parameters().documentation());
  add("rate", rate_parameters().documentation());
  add("degrade", degrade_parameters().documentation());

  std::vector<ElementDoc> all;
  for (const auto& [name, parameters] : merged) {
    all.push_back({name, {}, false, {}});
    for (const auto& [parameter, doc] : parameters) all.back().parameters.push_back(doc);
    all.back().takes_any = name == "component";
    all.back().kinds = kinds_by_parameter(registry, name);
  }
  return all;
}

std::vector<InnerElementDoc> inner_elements() {
  return {{"workload", {"checkpoint", checkpoint_parameters().documentation(), false, {}}},
          {"goodput", {"checkpoint", job_checkpoint_parameters().documentation(), false, {}}},
          {"goodput", {"restart", restart_parameters().documentation(), false, {}}},
          {"faults", {"restart", job_restart_parameters().documentation(), false, {}}},
          {"ocs", {"fault", texts(structure().at("fault")), false, {}}},
          {"faults", {"fault", fault_parameters().documentation(), false, {}}}};
}

const ElementDoc* element_in(const std::string& parent, const std::string& name,
                             const std::vector<ElementDoc>& known,
                             const std::vector<InnerElementDoc>& inner) {
  for (const InnerElementDoc& doc : inner)
    if (doc.parent == parent && doc.element.name == name) return &doc.element;
  const auto doc =
      std::find_if(known.begin(), known.end(), [&](const ElementDoc& e) { return e.name == name; });
  return doc == known.end() ? nullptr : &*doc;
}

}  // namespace lightrail
