#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "fabrics/import/imported_system.hpp"

namespace lightrail {

namespace {

/// What stands around a GPU of the catalogue in the servers that it has.
struct Surroundings {
  const char *gpu, *nvswitch, *nvlink, *pcie, *host;
  std::uint32_t nvlinks, pcie_generation;
};

constexpr Surroundings around[] = {
    {"a100_sxm_80gb", "nvswitch_gen2", "nvlink3", "pcie_gen4_x16", "dgx_a100", 12, 4},
    {"h100_sxm", "nvswitch_gen3", "nvlink4", "pcie_gen5_x16", "dgx_h100", 18, 5},
    {"h200_sxm", "nvswitch_gen3", "nvlink4", "pcie_gen5_x16", "dgx_h100", 18, 5},
    {"b200_sxm", "nvswitch_gen4", "nvlink5", "pcie_gen5_x16", "dgx_h100", 18, 5}};

const Surroundings& of_gpu(const std::string& gpu) {
  for (const Surroundings& s : around)
    if (gpu == s.gpu) return s;
  return around[1];
}

struct Entry {
  const char* name;
  double gbps;
  std::uint32_t pcie_generation = 0;  ///< of a NIC
};

/// The slowest entry that is as fast as needed, else the fastest.
template <std::size_t n>
const Entry& fitting(const Entry (&entries)[n], double gbps) {
  for (const Entry& entry : entries)
    if (entry.gbps >= gbps) return entry;
  return entries[n - 1];
}

constexpr Entry nics[] = {{"connectx5_100g", 100, 3},
                          {"connectx6_200g", 200, 4},
                          {"connectx7_400g", 400, 5},
                          {"connectx8_800g", 800, 6}};
constexpr Entry switches[] = {
    {"ports64_100g", 100, 0}, {"ports64_200g", 200, 0}, {"qm9700", 400, 0}, {"ports64_800g", 800, 0}};
constexpr Entry cables[] = {{"100g_copper", 100, 0}, {"hdr_copper", 200, 0}, {"ndr_copper", 400, 0}};

constexpr double longest_copper = 100.0, ns_per_metre = 4.765;  // light at 0.7 c

/// What its latency makes of a cable; 0: it has none.
double metres_of(const ImportedSystem::Cable& cable) {
  return std::round(cable.latency_ns / ns_per_metre * 100) / 100;
}

std::string rate(const char* attribute, const Entry& entry, double gbps) {
  if (entry.gbps == gbps) return "";
  return fmt::format(" {}=\"{} Mb/s\"", attribute, std::llround(gbps * 1000));
}

/// For an attribute or a comment.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '"' || static_cast<unsigned char>(c) < 32) continue;
    if (c == '-' && !out.empty() && out.back() == '-') continue;
    out += c;
  }
  if (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

/// "0-7,12".
std::string ranges(std::vector<std::uint32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (end > i) text += "-" + std::to_string(numbers[end]);
    i = end + 1;
  }
  return text;
}

std::string cluster_text(const ImportedSystem::Cluster& c, const Surroundings& has,
                         const std::string& count) {
  std::string text = fmt::format("  <cluster servers=\"{}\">{}\n", count,
                                 c.name.empty() ? "" : fmt::format("  <!-- {} -->", plain(c.name)));
  text += fmt::format("    <server gpus=\"{}\" nics=\"{}\">\n", c.gpus, c.nics);
  text += fmt::format("      <gpu catalogue=\"gpus/{}\"/>\n", has.gpu);
  if (c.has_nvswitch) {
    text += fmt::format("      <nvswitch catalogue=\"nvswitches/{}\"/>\n", has.nvswitch);
    text += fmt::format(
        "      <link role=\"nvlink\" catalogue=\"links/{}\"{}/>\n", has.nvlink,
        c.nvlinks == 0 || c.nvlinks == has.nvlinks ? "" : fmt::format(" links=\"{}\"", c.nvlinks));
  }
  if (c.nics > 0) {
    const Entry& nic = fitting(nics, c.nic_gbps);
    text +=
        fmt::format("      <nic catalogue=\"nics/{}\"{}/>\n", nic.name, rate("port-rate", nic, c.nic_gbps));
  }
  text += fmt::format("      <host catalogue=\"hosts/{}\"/>\n", has.host);
  // A PCIe link is as fast as the slower of its ends.
  std::uint32_t generation = c.pcie_generation == 0 ? has.pcie_generation : c.pcie_generation;
  if (c.nics > 0) generation = std::min(generation, fitting(nics, c.nic_gbps).pcie_generation);
  text +=
      fmt::format("      <link role=\"pcie\" catalogue=\"links/{}\"{}{}/>\n", has.pcie,
                  generation == has.pcie_generation ? "" : fmt::format(" generation=\"{}\"", generation),
                  c.pcie_lanes == 0 || c.pcie_lanes == 16 ? "" : fmt::format(" lanes=\"{}\"", c.pcie_lanes));
  return text + "    </server>\n  </cluster>\n";
}

/// Whether cables join all NICs.
bool is_connected(const ImportedSystem& system) {
  std::map<std::string, std::string> parent;
  auto root = [&](std::string name) {
    while (parent.try_emplace(name, name).first->second != name) {
      std::string& up = parent[name];
      up = parent[up];  // the path is half as long for the next one who asks
      name = up;
    }
    return name;
  };
  std::string first;
  for (const auto& cable : system.cables)
    parent[root(cable.from.substr(0, cable.from.rfind(':')))] = root(cable.to.substr(0, cable.to.rfind(':')));
  for (const auto& [name, up] : parent)
    if (name.starts_with("nic") && std::isdigit(static_cast<unsigned char>(name[3]))) {
      if (first.empty()) first = root(name);
      if (root(name) != first) return false;
    }
  return true;
}

std::string graph_text(const ImportedSystem& system) {
  std::string text =
      is_connected(system)
          ? "  <graph>\n"
          : "  <!-- Not all NICs can reach each other: rails that nothing joins. -->\n  <graph "
            "allow-unreachable=\"on\">\n";
  for (const auto& s : system.switches) {
    const Entry& entry = fitting(switches, s.gbps);
    text += fmt::format("    <switch name=\"{}\" catalogue=\"switches/{}\" ports=\"{}\"{}/>{}\n", s.name,
                        entry.name, s.ports, rate("port-rate", entry, s.gbps),
                        s.text.empty() ? "" : fmt::format("  <!-- {} -->", plain(s.text)));
  }
  for (const auto& cable : system.cables) {
    const Entry& entry = fitting(cables, cable.gbps);
    const double metres = std::min(longest_copper, metres_of(cable));
    text += fmt::format("    <link from=\"{}\" to=\"{}\" catalogue=\"links/{}\"{}{}/>\n", cable.from,
                        cable.to, entry.name, rate("rate", entry, cable.gbps),
                        metres > 0 ? fmt::format(" length=\"{} m\"", metres) : "");
  }
  for (const auto& [name, by_port] : system.routes) {
    std::string ports;
    for (const auto& [port, to] : by_port)
      ports += fmt::format("{}{}:{}", ports.empty() ? "" : " ", port, ranges(to));
    text += fmt::format("    <routes of=\"{}\" ports=\"{}\"/>\n", name, ports);
  }
  return text + "  </graph>\n";
}

std::string fabric_text(const ImportedSystem& system) {
  const double gbps = system.clusters[0].nic_gbps;
  if (gbps == 0) return "";
  const Entry &box = fitting(switches, gbps), &cable = fitting(cables, gbps);
  return fmt::format(
      "  <fabric kind=\"rail-optimised\" tiers=\"2\">\n    <switch catalogue=\"switches/{}\"{}/>\n"
      "    <link role=\"host\" catalogue=\"links/{}\"{}/>\n    <link role=\"trunk\" "
      "catalogue=\"links/{}\"{}/>\n  </fabric>\n",
      box.name, rate("port-rate", box, gbps), cable.name, rate("rate", cable, gbps), cable.name,
      rate("rate", cable, gbps));
}

}  // namespace

void note_long_cables(ImportedSystem& system) {
  const auto count = std::count_if(system.cables.begin(), system.cables.end(),
                                   [](const auto& cable) { return metres_of(cable) > longest_copper; });
  if (count > 0)
    system.notes.push_back(fmt::format(
        "{} {} a latency above that of {:g} m of copper ({:g} ns): taken as that "
        "long (an optical link can be longer)",
        count, count == 1 ? "cable has" : "cables have", longest_copper, longest_copper * ns_per_metre));
}

const std::vector<std::string>& importable_gpus() {
  static const auto names = [] {
    std::vector<std::string> all;
    for (const Surroundings& s : around) all.emplace_back(s.gpu);
    return all;
  }();
  return names;
}

std::string gpu_named_in(const std::string& text) {
  std::string upper;
  for (const char c : text) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  constexpr std::pair<const char*, const char*> known[] = {
      {"A100", "a100_sxm_80gb"}, {"H100", "h100_sxm"}, {"H200", "h200_sxm"}, {"B200", "b200_sxm"}};
  for (const auto& [word, gpu] : known)
    if (upper.find(word) != std::string::npos) return gpu;
  return "";
}

void check_imported(const ImportedSystem& system, const std::string& file) {
  auto fail = [&](const std::string& what) { throw InputErrors(InputError{file, 0, what}); };
  if (system.clusters.empty()) fail("no server with GPUs is in it");
  for (const auto& c : system.clusters) {
    if (c.gpus == 0 || c.gpus > 1024)
      fail(fmt::format("{}: {} GPUs in a server (expected 1 to 1024)", c.name, c.gpus));
    if (c.nics > 0 && c.gpus % c.nics != 0 && c.nics % c.gpus != 0)
      fail(fmt::format("{}: {} GPUs and {} NICs in a server, which no rule shares out (expected a multiple)",
                       c.name, c.gpus, c.nics));
    if (c.nics > 0 && (c.nic_gbps < 1 || c.nic_gbps > 100'000))
      fail(fmt::format("{}: a NIC of {} Gb/s (expected 1 to 100000)", c.name, c.nic_gbps));
  }
  for (const auto& s : system.switches)
    if (s.ports == 0 || s.ports > 4096)
      fail(fmt::format("switch {}: {} ports (expected 1 to 4096)", s.name, s.ports));
}

std::string write_scenario(const ImportedSystem& system, const std::string& source) {
  const Surroundings& has = of_gpu(system.gpu);
  std::uint32_t servers = 0, gpus = 0;
  for (const auto& c : system.clusters) servers += c.servers, gpus += c.servers * c.gpus;
  std::string text = fmt::format("<!-- Made by: {}\n     {} servers, {} GPUs, {} switches, {} cables.\n",
                                 plain(source), servers, gpus, system.switches.size(), system.cables.size());
  for (const std::string& note : system.notes) text += fmt::format("     Note: {}\n", plain(note));
  text += fmt::format("     -->\n<scenario name=\"{}\">\n", plain(system.name));
  if (!system.has_fabric) text += fmt::format("  <variable name=\"servers\" value=\"{}\"/>\n", servers);
  for (const auto& c : system.clusters)
    text += cluster_text(c, has, system.has_fabric ? std::to_string(c.servers) : "${servers}");
  text += system.has_fabric ? (system.cables.empty() ? "" : graph_text(system)) : fabric_text(system);
  text +=
      "  <!-- In the place of what shall run. -->\n"
      "  <workload kind=\"collective\" collective=\"all-reduce\" group=\"world\" from=\"1 MiB\" to=\"16 "
      "MiB\"/>\n";
  return text + "</scenario>\n";
}

}  // namespace lightrail
