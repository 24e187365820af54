#include "app/cli/xsd.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "app/cli/build_model.hpp"
#include "app/cli/read_lanes.hpp"
#include "components/gpu/compute/compute_model.hpp"
#include "components/gpu/compute/kernel_variation.hpp"
#include "fabrics/system/build_system.hpp"
#include "network/health/read_degraded.hpp"
#include "network/health/read_faults.hpp"
#include "network/port/red_marker.hpp"
#include "network/port/trimmer.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/dcqcn.hpp"
#include "network/transport/nscc.hpp"
#include "workloads/build_workload.hpp"
#include "workloads/collective/nccl_device.hpp"
#include "workloads/goodput/goodput_spec.hpp"

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

std::string escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

/// One of the choices, for editors to offer, or text with a ${variable}.
std::string choice_type(const std::vector<std::string>& choices) {
  std::string text = "<xs:simpleType><xs:union><xs:simpleType><xs:restriction base=\"xs:string\">";
  for (const std::string& c : choices) text += "<xs:enumeration value=\"" + escape(c) + "\"/>";
  return text +
         "</xs:restriction></xs:simpleType><xs:simpleType><xs:restriction base=\"xs:string\">"
         "<xs:pattern value=\".*[$][{].*\"/></xs:restriction></xs:simpleType></xs:union></xs:simpleType>";
}

std::string attribute_text(const ParameterDoc& p) {
  std::string doc = p.doc + (p.unit.empty() ? "" : " [" + p.unit + "]") +
                    (p.default_value.empty() ? "" : "; default " + p.default_value);
  std::string text = "    <xs:attribute name=\"" + p.name + "\"";
  if (p.choices.empty()) text += " type=\"xs:string\"";
  text += "><xs:annotation><xs:documentation>" + escape(doc) + "</xs:documentation></xs:annotation>";
  if (!p.choices.empty()) text += choice_type(p.choices);
  return text + "</xs:attribute>\n";
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
  for (const auto& [name, attributes] : structure()) {
    std::vector<ParameterDoc> parameters;
    for (const std::string& a : attributes) parameters.push_back({a, "text", "", "", "", "", false, {}});
    add(name, parameters);
  }
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
  add("ecn", ecn_parameters().documentation());
  add("trim", trim_parameters().documentation());
  add("lanes", lanes_parameters().documentation());
  add("level", level_parameters().documentation());
  add("lane", lane_parameters().documentation());
  add("run", run_parameters().documentation());
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
    all.push_back({name, {}, false});
    for (const auto& [parameter, doc] : parameters) all.back().parameters.push_back(doc);
    all.back().takes_any = name == "component";
  }
  return all;
}

std::string xsd_text(const std::vector<ElementDoc>& elements) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xs:schema "
      "xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n";
  text += "  <xs:group name=\"content\"><xs:choice>\n";
  for (const ElementDoc& e : elements) text += "    <xs:element ref=\"" + e.name + "\"/>\n";
  text += "  </xs:choice></xs:group>\n";
  for (const ElementDoc& e : elements) {
    text += "  <xs:element name=\"" + e.name + "\"><xs:complexType mixed=\"true\">\n";
    text += "    <xs:group ref=\"content\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>\n";
    std::set<std::string> present;
    for (const ParameterDoc& p : e.parameters) {
      present.insert(p.name);
      text += attribute_text(p);
    }
    for (const char* common : {"catalogue", "name", "role", "count"})
      if (!present.count(common))
        text += std::string("    <xs:attribute name=\"") + common + "\" type=\"xs:string\"/>\n";
    if (e.takes_any) text += "    <xs:anyAttribute processContents=\"skip\"/>\n";
    text += "  </xs:complexType></xs:element>\n";
  }
  return text + "</xs:schema>\n";
}

}  // namespace lightrail
