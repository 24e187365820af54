#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/units.hpp"
#include "fabrics/import/infragraph_file.hpp"
#include "fabrics/import/system_format.hpp"

namespace lightrail {

namespace {

using infragraph::Component, infragraph::Device, infragraph::End, infragraph::Instance, infragraph::Link;
using infragraph::most_ends;

/// Makes servers, switches and cables of a file.
class Converter {
 public:
  explicit Converter(const std::string& path) : file_(path) {}

  ImportedSystem convert() {
    system_.gpu = file_.gpu();
    for (const YamlValue& item : file_.edges()) read_edge(item);
    add_servers();
    add_switches();
    for (const auto& [a, b, link] : edges_) add_cable(a, b, link);
    if (left_out_ > 0)
      system_.notes.push_back(
          fmt::format("{} edges to devices without xpu and port are left out", left_out_));
    return std::move(system_);
  }

 private:
  [[nodiscard]] const std::vector<Instance>& instances() const { return file_.instances(); }

  void read_edge(const YamlValue& item) {
    const std::vector<End> a = file_.ends(item, "ep1"), b = file_.ends(item, "ep2");
    const auto& link = file_.link_of(item);
    const std::string& scheme = file_.text(item, "scheme");
    if (scheme == "one2one") {
      for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) join(a[i], b[i], link, item.line);
    } else if (scheme == "many2many") {
      file_.check_size(a.size(), b.size(), item.line);
      for (const End& x : a)
        for (const End& y : b) join(x, y, link, item.line);
    } else {
      file_.fail(item.line, fmt::format("scheme {}", invalid_choice(scheme, {"one2one", "many2many"})));
    }
  }

  void join(const End& a, const End& b, const std::pair<const std::string, Link>& link, int line) {
    if (a == b) return;
    if (static_cast<std::int64_t>(edges_.size()) >= most_ends)
      file_.fail(line, fmt::format("more than {} cables", most_ends));
    auto what = [&](const End& end) { return instances()[end.instance]; };
    const bool is_known = (what(a).is_switch || what(a).xpus > 0) && (what(b).is_switch || what(b).xpus > 0);
    if (!is_known) {
      ++left_out_;
      return;
    }
    if (what(a).xpus > 0 && what(b).xpus > 0) {
      if (a.instance == b.instance && a.number == b.number) return;  // inside a server
      file_.fail(line, fmt::format("{} and {} are joined without a switch", name_of(a), name_of(b)));
    }
    if (link.second.gbps <= 0)
      file_.fail(line,
                 fmt::format("link '{}' between devices has no bandwidth (expected physical.bandwidth in "
                             "gigabits_per_second or gigabytes_per_second)",
                             link.first));
    for (const End& end : {a, b})
      if (!used_.insert(end).second) file_.fail(line, fmt::format("{} is joined twice", name_of(end)));
    for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      auto& gbps = gbps_[{x->instance, x->number}];
      gbps = gbps == 0 || what(*x).is_switch ? std::max(gbps, link.second.gbps)
                                             : std::min(gbps, link.second.gbps);
    }
    edges_.emplace_back(a, b, link.second);
  }

  [[nodiscard]] std::string name_of(const End& end) const {
    std::string out = fmt::format("{}[{}]", instances()[end.instance].name, end.number);
    for (const auto& [name, n] : end.path) out += fmt::format(".{}[{}]", name, n);
    return out;
  }

  /// Whether a switch inside joins the xpus: one that neither NICs nor CPUs are joined to.
  [[nodiscard]] static bool has_xpu_switch(const Device& device) {
    std::map<std::string, std::string> kind;
    for (const Component& c : device.components) kind[c.name] = c.kind;
    std::set<std::string> at_xpu, at_others;
    for (const auto& [a, b] : device.edges)
      for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
        if (kind[x] == "xpu" && kind[y] == "xpu") return true;
        if (kind[x] == "xpu") at_xpu.insert(y);
        if (kind[x] == "nic" || kind[x] == "cpu" || kind[x] == "device") at_others.insert(y);
      }
    return std::any_of(at_xpu.begin(), at_xpu.end(), [&](const std::string& name) {
      return (kind[name] == "switch" || kind[name] == "custom") && !at_others.contains(name);
    });
  }

  void add_servers() {
    for (std::uint32_t i = 0; i < instances().size(); ++i) {
      const Instance& instance = instances()[i];
      if (instance.xpus == 0) continue;
      const bool has_switch = has_xpu_switch(*instance.device);
      if (!has_switch && instance.xpus > 1)
        system_.notes.push_back(fmt::format("no switch joins the xpus of device '{}': they talk over PCIe",
                                            instance.device->name));
      for (std::int64_t n = 0; n < instance.count; ++n) {
        ImportedSystem::Cluster c;
        c.name = instance.name;
        c.gpus = static_cast<std::uint32_t>(std::min<std::int64_t>(instance.xpus, 1'000'000));
        c.has_nvswitch = has_switch;
        if (const auto gbps = gbps_.find({i, n}); gbps != gbps_.end()) c.nic_gbps = gbps->second;
        for (auto end = used_.lower_bound({i, n, {}});
             end != used_.end() && end->instance == i && end->number == n; ++end) {
          ends_[*end] = fmt::format("nic{}:0", nics_++);
          ++c.nics;
        }
        if (!system_.clusters.empty()) {
          auto& last = system_.clusters.back();
          if (last.name == c.name && last.nics == c.nics && last.nic_gbps == c.nic_gbps) {
            ++last.servers;
            continue;
          }
        }
        system_.clusters.push_back(c);
      }
    }
  }

  void add_switches() {
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < instances().size(); ++i) {
      const Instance& instance = instances()[i];
      if (!instance.is_switch) continue;
      for (std::int64_t n = 0; n < instance.count; ++n) {
        const auto gbps = gbps_.find({i, n});
        if (gbps == gbps_.end()) continue;  // not joined to anything
        std::string name;
        for (const char c : instance.name)
          name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
                      ? c
                      : '_';
        name.append(fmt::format("{}", n));
        if (name.starts_with("nic")) name.insert(0, "switch_");
        while (!names.insert(name).second) name += '_';
        std::uint32_t used = 0;
        std::int64_t ports = 0;
        std::set<std::string> kinds;
        const auto first = used_.lower_bound({i, n, {}});
        auto is_own = [&](auto end) { return end != used_.end() && end->instance == i && end->number == n; };
        for (auto end = first; is_own(end); ++end) kinds.insert(end->path.front().first);
        // Ports of one kind keep their numbers.
        const bool is_plain = kinds.size() == 1 && first->path.size() == 1;
        for (auto end = first; is_own(end); ++end) {
          ends_[*end] = fmt::format("{}:{}", name, is_plain ? end->path.front().second : used);
          ++used;
        }
        if (is_plain) ports = infragraph::File::component(*instance.device, *kinds.begin())->count;
        system_.switches.push_back({name, instance.device->name,
                                    static_cast<std::uint32_t>(std::max<std::int64_t>(ports, used)),
                                    gbps->second});
      }
    }
  }

  void add_cable(const End& a, const End& b, const Link& link) {
    std::string from = ends_.at(a), to = ends_.at(b);
    if (instances()[b.instance].xpus > 0) std::swap(from, to);
    system_.cables.push_back({from, to, link.gbps, link.latency_ns});
  }

  infragraph::File file_;
  std::vector<std::tuple<End, End, Link>> edges_;
  std::set<End> used_;
  std::map<std::pair<std::uint32_t, std::int64_t>, double> gbps_;  ///< by instance and number
  std::map<End, std::string> ends_;                                ///< names in the scenario
  std::uint32_t nics_ = 0;
  std::uint64_t left_out_ = 0;
  ImportedSystem system_;
};

}  // namespace

ImportedSystem read_infragraph(const SystemOptions& options) {
  return Converter(options.file).convert();
}

}  // namespace lightrail
