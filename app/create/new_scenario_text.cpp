#include "app/create/new_scenario_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/counted.hpp"

namespace lightrail {
namespace {

std::string leaf_of(const std::string& entry) {
  return entry.substr(entry.rfind('/') + 1);
}

constexpr std::uint32_t most_recorded_gpus = 64;

using Commands = std::vector<std::pair<std::string, std::string>>;

/// What is simulated, in words.
std::string job_of(const NewScenario& s) {
  if (s.workload == "training") return "training of " + leaf_of(s.model);
  if (s.workload == "inference") return "serving of " + leaf_of(s.model);
  if (s.workload == "trace") return "replay of " + s.trace;
  return s.collective;
}

/// Formulas say nothing of requests, and a trace has times of its own.
bool has_detail(const NewScenario& s) {
  return s.workload == "collective" || s.workload == "training";
}

/// The variable that <sweep> varies, and its values.
std::pair<std::string, std::string> varied(const NewScenario& s) {
  if (s.workload == "training") return {"overlap", "off on"};
  if (s.workload == "inference") return {"rate", "2 8 32"};
  if (s.workload == "trace") return {"host_scale", "1 0"};
  return {"size", "1 MB; 16 MB; 256 MB"};
}

/// On which GPU the trace was taken, and what that does to its kernels.
std::string recorded_text(const NewScenario& s) {
  if (s.recorded_on.empty())
    return fmt::format(
        "    The trace was taken on {}, which the catalogue lacks: kernels keep their times.\n",
        s.traced_gpu);
  return fmt::format("    {}; kernels scale from `recorded` to the server's GPU.\n",
                     s.traced_gpu.empty()
                         ? "The trace does not name its GPU: `recorded` is taken as the server's"
                         : "The trace was taken on " + s.traced_gpu);
}

std::string doc_text(const NewScenario& s, const std::string& file) {
  const std::string result = s.name + ".h5";
  Commands commands{{"lightrail validate " + file, "every mistake, and the network as it is built"},
                    {"lightrail run " + file, "writes " + result + ", prints a summary"}};
  if (s.workload == "inference")
    commands.push_back({"lightrail report " + result, "a page: latencies, use, cost"});
  else
    commands.push_back({"lightrail explain " + result, "where the time went"});
  if (has_detail(s))
    commands.push_back({"lightrail run " + file + " --set detail=formula", "by formula, in a second"});
  if (s.workload == "training")
    commands.push_back({"lightrail plan " + file, "the fastest way to spread the model"});
  commands.push_back(
      {"lightrail sweep " + file + " --jobs 0", fmt::format("once for each {}", varied(s).first)});
  std::string text = fmt::format("  <doc>\n    Made by lightrail new: {}.\n", new_scenario_sentence(s));
  if (s.workload == "training")
    text +=
        "    The plan is the first that fits by a rule of thumb; `sequences` is that of a GPU and step.\n";
  if (s.workload == "trace") text += recorded_text(s);
  text += "\n";
  for (const auto& [command, what] : commands) text += fmt::format("    {:<52} {}\n", command, what);
  return text + "  </doc>\n";
}

std::string variables_text(const NewScenario& s) {
  Commands variables{{"servers", std::to_string(s.servers)}};
  if (has_detail(s)) variables.push_back({"detail", "trains"});
  if (s.workload == "collective") variables.push_back({"size", "16 MB"});
  if (s.workload == "training") variables.insert(variables.end(), {{"sequences", "1"}, {"overlap", "off"}});
  if (s.workload == "inference") variables.insert(variables.end(), {{"rate", "8"}, {"requests", "32"}});
  if (s.workload == "trace") variables.insert(variables.end(), {{"trace", s.trace}, {"host_scale", "1"}});
  if (s.workload == "trace" && !s.recorded_on.empty()) variables.emplace_back("recorded", s.recorded_on);
  std::string text;
  for (const auto& [name, value] : variables)
    text += fmt::format("  <variable name=\"{}\" value=\"{}\"/>\n", name, value);
  return text;
}

std::string link_text(const char* role, const std::string& entry, const std::string& length) {
  return fmt::format("    <link role=\"{}\" catalogue=\"{}\"{}/>\n", role, entry,
                     length.empty() ? "" : fmt::format(" length=\"{}\"", length));
}

std::string network_text(const NewScenario& s) {
  if (s.fabric == "none") return "  <fabric kind=\"none\"/>\n";
  const bool is_ethernet = s.parts.switch_element == "ethernet-switch";
  const bool has_tiers = s.fabric != "single-switch" && s.fabric != "dragonfly-plus";
  std::string text = fmt::format("  <fabric kind=\"{}\"", s.fabric);
  if (has_tiers) text += fmt::format(" tiers=\"{}\"", s.tiers);
  if (s.rails > 0) text += fmt::format(" rails=\"{}\"", s.rails);
  text += fmt::format(" routing=\"{}\">\n", is_ethernet ? "ecmp" : "adaptive");
  text += fmt::format("    <{} catalogue=\"{}\"/>\n", s.parts.switch_element, s.parts.switch_entry);
  text += link_text("host", s.parts.host_link, s.parts.host_length);
  const bool has_trunks = s.fabric == "dragonfly-plus" || (has_tiers && s.tiers > 1);
  if (has_trunks) text += link_text("trunk", s.parts.trunk_link, s.parts.trunk_length);
  if (has_tiers && s.tiers > 2) text += link_text("core", s.parts.trunk_link, s.parts.core_length);
  if (s.fabric == "dragonfly-plus") text += link_text("global", s.parts.trunk_link, s.parts.core_length);
  return text + "  </fabric>\n";
}

std::string workload_text(const NewScenario& s) {
  if (s.workload == "collective")
    return fmt::format(
        "  <workload kind=\"collective\" collective=\"{}\" from=\"${{size}}\" to=\"${{size}}\"/>\n",
        s.collective);
  if (s.workload == "trace")
    return fmt::format(R"(  <workload kind="trace" file="${{trace}}" host-scale="${{host_scale}}"{})",
                       s.recorded_on.empty()
                           ? "/>\n"
                           : ">\n    <recorded-on><gpu catalogue=\"${recorded}\"/></recorded-on>\n"
                             "  </workload>\n");
  const std::string model = fmt::format("    <model catalogue=\"{}\"/>\n", s.model);
  if (s.workload == "inference")
    return fmt::format("  <workload kind=\"inference\" tp=\"{}\" pp=\"{}\">\n{}", s.tp, s.pp, model) +
           "    <requests count=\"${requests}\" rate=\"${rate}\" prompt=\"512\" output=\"32\"/>\n  "
           "</workload>\n";
  std::string plan;
  for (const auto& [name, value] : told(s.plan)) plan += fmt::format(" {}=\"{}\"", name, value);
  return fmt::format(
      "  <workload kind=\"training\" global-batch=\"${{sequences * {} * servers}}\"\n"
      "            overlap-gradients=\"${{overlap}}\"{}>\n{}  </workload>\n",
      s.gpus, plan, model);
}

}  // namespace

std::string new_scenario_sentence(const NewScenario& s) {
  return fmt::format("{} on {} of {} ({} GPUs), {}{}", job_of(s), counted(s.servers, "server"),
                     leaf_of(s.server), s.servers * s.gpus,
                     s.fabric == "none" ? "no network between them" : s.fabric,
                     s.parts.switch_element == "ethernet-switch" ? ", Ethernet" : "");
}

std::string new_scenario_text(const NewScenario& s, const std::string& file) {
  std::string text = fmt::format("<scenario name=\"{}\">\n", s.name) + doc_text(s, file) + variables_text(s);
  const auto [name, values] = varied(s);
  text += fmt::format("  <sweep><vary name=\"{}\" values=\"{}\"/></sweep>\n", name, values);
  const std::string size =
      s.workload == "trace" ? fmt::format(R"( gpus="{}" nics="{}")", s.gpus, s.nics) : "";
  text += fmt::format(R"(  <cluster servers="${{servers}}"><server catalogue="{}"{})", s.server, size);
  text += s.parts.nic.empty() ? "/></cluster>\n"
                              : fmt::format("><nic catalogue=\"{}\"/></server></cluster>\n", s.parts.nic);
  text += network_text(s) + "  <nccl catalogue=\"nccl/nccl_2_28\"/>\n" + workload_text(s);
  // All operations of a small job: `lightrail explain` finds the critical path only then.
  if (s.workload != "inference" && s.servers * s.gpus <= most_recorded_gpus)
    text += R"(  <output><table name="ops" gpus="all"/></output>)"
            "\n";
  if (has_detail(s)) text += "  <run detail=\"${detail}\"/>\n";
  return text + "</scenario>\n";
}

}  // namespace lightrail
