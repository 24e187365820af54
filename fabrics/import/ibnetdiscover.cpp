#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/error.hpp"
#include "fabrics/import/subnet.hpp"
#include "fabrics/import/system_format.hpp"

namespace lightrail {

namespace {

/// Numbers in names by their value: node2 before node10.
bool natural(const std::string& a, const std::string& b) {
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t i2 = i, j2 = j;
      while (i2 < a.size() && digit(a[i2])) ++i2;
      while (j2 < b.size() && digit(b[j2])) ++j2;
      const std::string x = a.substr(i, i2 - i), y = b.substr(j, j2 - j);
      const std::size_t most = std::max(x.size(), y.size());
      const std::string px = std::string(most - x.size(), '0') + x,
                        py = std::string(most - y.size(), '0') + y;
      if (px != py) return px < py;
      i = i2, j = j2;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
    }
  }
  return std::pair(a.size() - i, a) < std::pair(b.size() - j, b);
}

struct Nic {
  std::string host, adapter;
  SubnetPort port;
  double gbps = 0;
};

class Converter {
 public:
  Converter(const Subnet& subnet, const SystemOptions& options) : subnet_(subnet), options_(options) {}

  ImportedSystem convert() {
    add_switches();
    add_servers();
    add_cables();
    return std::move(system_);
  }
  [[nodiscard]] const std::map<std::string, std::string>& switch_names() const { return switch_name_; }
  [[nodiscard]] const std::map<SubnetPort, std::uint32_t>& nic_numbers() const { return nic_number_; }

 private:
  void add_switches() {
    std::vector<std::string> ids;
    for (const auto& [id, node] : subnet_.nodes)
      if (node.kind == 'S') ids.push_back(id);
    // Those with channel adapters are leaves.
    std::set<std::string> leaves;
    std::map<std::string, double> fastest;
    for (const auto& [ends, gbps] : subnet_.cables) {
      const auto& [a, b] = ends;
      if (a.guid[0] == 'H') leaves.insert(b.guid);
      if (b.guid[0] == 'H') leaves.insert(a.guid);
      for (const SubnetPort& port : {a, b}) fastest[port.guid] = std::max(fastest[port.guid], gbps);
    }
    std::stable_sort(ids.begin(), ids.end(), [&](const std::string& a, const std::string& b) {
      return natural(subnet_.nodes.at(a).text, subnet_.nodes.at(b).text);
    });
    std::uint32_t leaf = 0, spine = 0;
    for (const std::string& id : ids) {
      const std::string name =
          leaves.contains(id) ? fmt::format("leaf{}", leaf++) : fmt::format("spine{}", spine++);
      switch_name_[id] = name;
      const SubnetNode& node = subnet_.nodes.at(id);
      system_.switches.push_back({name, fmt::format("{} {}", node.text, id), node.ports, fastest[id]});
    }
  }

  /// "node018 HCA-1" -> host and adapter. A text that names no host is an adapter of its own.
  static std::pair<std::string, std::string> host_of(const std::string& id, std::string text) {
    std::erase(text, '\'');
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos) return {id, text};
    const std::string adapter = text.substr(blank + 1);
    const bool is_adapter = adapter.starts_with("HCA-") || adapter.find('_') != std::string::npos;
    if (!is_adapter || adapter.find(' ') != std::string::npos) return {id, text};
    return {text.substr(0, blank), adapter};
  }

  [[nodiscard]] bool is_skipped(const std::string& host) const {
    std::istringstream patterns(options_.skip);
    for (std::string pattern; patterns >> pattern;)
      if (fnmatch(pattern.c_str(), host.c_str(), 0) == 0) return true;
    return false;
  }

  void add_servers() {
    std::vector<Nic> nics;
    std::uint32_t aggregation = 0, skipped = 0, unknown = 0;
    for (const auto& [ends, gbps] : subnet_.cables)
      for (const SubnetPort& port : {ends.first, ends.second}) {
        if (port.guid[0] != 'H') continue;
        const auto node = subnet_.nodes.find(port.guid);
        const std::string text = node == subnet_.nodes.end() ? "" : node->second.text;
        if (text.find("Aggregation Node") != std::string::npos) {
          ++aggregation;
          continue;
        }
        auto [host, adapter] = host_of(port.guid, text);
        if (is_skipped(host)) {
          ++skipped;
          continue;
        }
        unknown += host == port.guid;
        nics.push_back({host, adapter, port, gbps});
      }
    if (aggregation > 0) note("{} ports of SHARP's aggregation nodes are left out", aggregation);
    if (skipped > 0) note("{} ports of hosts that skip= names are left out", skipped);
    if (unknown > 0) note("{} adapters do not say their host: a server each", unknown);
    std::stable_sort(nics.begin(), nics.end(), [](const Nic& a, const Nic& b) {
      if (a.host != b.host) return natural(a.host, b.host);
      if (a.adapter != b.adapter) return natural(a.adapter, b.adapter);
      return a.port < b.port;
    });
    for (std::size_t i = 0; i < nics.size();) {
      std::size_t end = i;
      double slowest = nics[i].gbps;
      while (end < nics.size() && nics[end].host == nics[i].host)
        slowest = std::min(slowest, nics[end].gbps), ++end;
      add_server(nics[i].host, static_cast<std::uint32_t>(end - i), slowest);
      i = end;
    }
    for (std::uint32_t n = 0; n < nics.size(); ++n) nic_number_[nics[n].port] = n;
    if (options_.gpus == 0 && !nics.empty())
      note("a server has as many GPUs as NICs (gpus=... says how many)");
  }

  void add_server(const std::string& host, std::uint32_t nics, double gbps) {
    const std::uint32_t gpus = options_.gpus ? options_.gpus : nics;
    if (!system_.clusters.empty()) {
      auto& last = system_.clusters.back();
      if (last.nics == nics && last.nic_gbps == gbps) {
        last.name = last.name.substr(0, last.name.find(" to ")) + " to " + host;
        ++last.servers;
        return;
      }
    }
    ImportedSystem::Cluster cluster;
    cluster.name = host;
    cluster.gpus = gpus, cluster.nics = nics, cluster.nic_gbps = gbps;
    cluster.has_nvswitch = gpus > 1;
    system_.clusters.push_back(cluster);
  }

  [[nodiscard]] std::string place(const SubnetPort& port) const {
    if (auto nic = nic_number_.find(port); nic != nic_number_.end())
      return fmt::format("nic{}:0", nic->second);
    if (auto name = switch_name_.find(port.guid); name != switch_name_.end())
      return fmt::format("{}:{}", name->second, port.number - 1);
    return "";
  }

  void add_cables() {
    std::uint32_t left_out = 0;
    std::vector<std::tuple<bool, std::string, ImportedSystem::Cable>> sorted;
    for (const auto& [ends, gbps] : subnet_.cables) {
      std::string a = place(ends.first), b = place(ends.second);
      if (a.empty() || b.empty()) {
        const bool is_known = ends.first.guid[0] == 'H' || ends.second.guid[0] == 'H';
        left_out += !is_known;
        continue;
      }
      if (b.starts_with("nic") || (!a.starts_with("nic") && natural(b, a))) std::swap(a, b);
      if (b.starts_with("nic"))
        throw InputErrors(InputError{
            options_.file, 0,
            fmt::format("{} and {} are joined without a switch", ends.first.guid, ends.second.guid)});
      sorted.emplace_back(!a.starts_with("nic"), a, ImportedSystem::Cable{a, b, gbps, 0});
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& x, const auto& y) {
      if (std::get<0>(x) != std::get<0>(y)) return std::get<0>(x) < std::get<0>(y);
      return natural(std::get<1>(x), std::get<1>(y));
    });
    for (auto& [is_trunk, key, cable] : sorted) system_.cables.push_back(std::move(cable));
    if (left_out > 0)
      note("{} cables to routers and to what the file does not describe are left out", left_out);
    note("cables are copper of 2 m: the file says neither their kind nor their length");
  }

  template <class... Values>
  void note(fmt::format_string<Values...> text, Values&&... values) {
    system_.notes.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  const Subnet& subnet_;
  const SystemOptions& options_;
  ImportedSystem system_;
  std::map<std::string, std::string> switch_name_;  ///< by GUID
  std::map<SubnetPort, std::uint32_t> nic_number_;
};

/// Forwarding tables as ibroute and dump_lfts.sh print them: a switch's heading with its GUID, then a line
/// for each LID.
void read_routes(const std::string& path, const Subnet& subnet, const Converter& converter,
                 ImportedSystem& system) {
  std::map<std::uint32_t, std::uint32_t> nic_of_lid;
  for (const auto& [port, lid] : subnet.lid_of)
    if (auto nic = converter.nic_numbers().find(port); nic != converter.nic_numbers().end())
      nic_of_lid[lid] = nic->second;
  SubnetLines lines(path);
  std::string name;
  std::uint32_t ports = 0, tables = 0;
  for (std::string line; lines.next(line);) {
    if (const std::size_t at = line.find(" guid 0x");
        line.starts_with("Unicast lids") && at != std::string::npos) {
      std::string guid =
          line.substr(at + 8, line.find_first_not_of("0123456789abcdefABCDEF", at + 8) - at - 8);
      if (guid.size() < 16) guid.insert(0, 16 - guid.size(), '0');
      const auto found = converter.switch_names().find("S-" + guid);
      if (found == converter.switch_names().end())
        lines.fail(fmt::format("the table of switch 0x{}, which the other file does not have", guid));
      name = found->second, ports = subnet.nodes.at("S-" + guid).ports;
      ++tables;
      continue;
    }
    LineCursor cursor{line};
    if (!cursor.take("0x")) continue;
    const auto lid = cursor.number(16);
    cursor.blanks();
    const auto port = cursor.number();
    if (!lid || !port) lines.fail("expected '0xLID PORT : (what it is)'");
    if (name.empty()) lines.fail("a route before any switch (expected 'Unicast lids ... guid 0x...')");
    if (*port > ports) lines.fail(fmt::format("port {} of {}, which has {}", *port, name, ports));
    if (const auto nic = nic_of_lid.find(*lid); nic != nic_of_lid.end() && *port > 0)
      system.routes[name][*port - 1].push_back(nic->second);
  }
  if (tables == 0) lines.fail("no forwarding table (expected what dump_lfts.sh or ibroute print)");
  for (auto& [table, by_port] : system.routes) {
    std::set<std::uint32_t> seen;
    for (const auto& [port, to] : by_port)
      for (const std::uint32_t nic : to)
        if (!seen.insert(nic).second)
          throw InputErrors(InputError{path, 0, fmt::format("{} has two routes to one LID", table)});
  }
}

}  // namespace

ImportedSystem read_ibnetdiscover(const SystemOptions& options) {
  const Subnet subnet = read_subnet(options.file);
  Converter converter(subnet, options);
  ImportedSystem system = converter.convert();
  if (!options.routes.empty()) read_routes(options.routes, subnet, converter, system);
  return system;
}

}  // namespace lightrail
