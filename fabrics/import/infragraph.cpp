#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/units.hpp"
#include "fabrics/import/system_format.hpp"
#include "fabrics/import/yaml_tree.hpp"

namespace lightrail {

namespace {

constexpr std::int64_t most_ends = 4'000'000;

struct Component {
  std::string name, kind;  ///< kind: cpu, xpu, nic, switch, port, device ...
  std::int64_t count = 0;
};

struct Device {
  std::string name, text;
  std::vector<Component> components;
  std::vector<std::pair<std::string, std::string>> edges;  ///< names of components
  int line = 0;
};

struct Instance {
  std::string name;
  const Device* device = nullptr;
  std::int64_t count = 0, xpus = 0;
  bool is_switch = false;
};

struct Link {
  double gbps = 0, latency_ns = 0;
};

/// One place of an edge: a component of one device.
struct End {
  std::uint32_t instance = 0;
  std::int64_t number = 0;
  std::vector<std::pair<std::string, std::int64_t>> path;  ///< component and index, from the outside
  auto operator<=>(const End&) const = default;            // NOLINT(modernize-use-nullptr): see Quantity
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), root_(read_yaml(path)) {}

  ImportedSystem read() {
    const YamlValue* top = root_.find("infrastructure");
    const YamlValue& all = top ? *top : root_;
    if (all.find("connections"))
      fail(all.find("connections")->line, "'connections': InfraGraph of before 0.3 (expected 'edges')");
    for (const YamlValue& item : list(all, "devices")) read_device(item);
    for (const YamlValue& item : list(all, "links")) read_link(item);
    for (const YamlValue& item : list(all, "instances")) read_instance(item);
    for (const YamlValue& item : list(all, "edges")) read_edge(item);
    add_servers();
    add_switches();
    for (const auto& [a, b, link] : edges_) add_cable(a, b, link);
    if (left_out_ > 0)
      system_.notes.push_back(
          fmt::format("{} edges to devices without xpu and port are left out", left_out_));
    return std::move(system_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw InputErrors(InputError{path_, line, what});
  }

  [[nodiscard]] const std::vector<YamlValue>& list(const YamlValue& in, const char* name) const {
    static const std::vector<YamlValue> nothing;
    const YamlValue* value = in.find(name);
    if (!value || (value->kind == YamlValue::Kind::scalar && (value->text.empty() || value->text == "null")))
      return nothing;
    if (value->kind != YamlValue::Kind::list) fail(value->line, fmt::format("'{}' is no list", name));
    return value->items;
  }
  [[nodiscard]] const std::string& text(const YamlValue& in, const char* name) const {
    const YamlValue* value = in.find(name);
    if (!value || value->kind != YamlValue::Kind::scalar || value->text.empty())
      fail(in.line, fmt::format("lacks '{}'", name));
    return value->text;
  }
  [[nodiscard]] std::string optional_text(const YamlValue& in, const char* name) const {
    const YamlValue* value = in.find(name);
    return value ? value->text : "";
  }
  [[nodiscard]] std::int64_t count(const YamlValue& in) const {
    const std::string& given = text(in, "count");
    const auto value = number(given);
    if (!value || *value < 1 || *value > 1'000'000)
      fail(in.line, fmt::format("'count': '{}' is no number from 1 to 1000000", given));
    return *value;
  }
  static std::optional<std::int64_t> number(const std::string& given) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (given.empty() || code != std::errc{} || end != given.data() + given.size()) return std::nullopt;
    return value;
  }
  [[nodiscard]] double real(const YamlValue& value) const {
    double out = 0;
    if (!parse_value(value.text, out).empty() || !(out >= 0 && out <= 1e9))
      fail(value.line, fmt::format("'{}' is no number from 0 to 1e9", value.text));
    return out;
  }

  void read_device(const YamlValue& item) {
    Device device;
    device.line = item.line;
    device.name = text(item, "name");
    device.text = device.name + " " + optional_text(item, "description");
    for (const YamlValue& c : list(item, "components")) {
      device.components.push_back({text(c, "name"), text(c, "choice"), count(c)});
      device.text += " " + optional_text(c, "description");
    }
    for (const YamlValue& edge : list(item, "edges"))
      device.edges.emplace_back(component_of(edge, "ep1"), component_of(edge, "ep2"));
    if (!devices_.emplace(device.name, device).second)
      fail(item.line, fmt::format("a second device '{}'", device.name));
  }
  [[nodiscard]] std::string component_of(const YamlValue& edge, const char* name) const {
    const YamlValue* end = edge.find(name);
    if (!end) fail(edge.line, fmt::format("lacks '{}'", name));
    const std::string& whole = text(*end, "component");
    return whole.substr(0, whole.find_first_of("[."));
  }

  void read_link(const YamlValue& item) {
    const YamlValue* physical = item.find("physical");
    const YamlValue& at = physical ? *physical : item;
    Link link;
    if (const YamlValue* bandwidth = at.find("bandwidth")) {
      if (const YamlValue* v = bandwidth->find("gigabits_per_second")) link.gbps = real(*v);
      if (const YamlValue* v = bandwidth->find("gigabytes_per_second")) link.gbps = 8 * real(*v);
    }
    if (const YamlValue* latency = at.find("latency"))
      for (const auto& [unit, ns] : {std::pair("ms", 1e6), std::pair("us", 1e3), std::pair("ns", 1.0)})
        if (const YamlValue* v = latency->find(unit)) link.latency_ns = ns * real(*v);
    if (const std::string& name = text(item, "name"); !links_.emplace(name, link).second)
      fail(item.line, fmt::format("a second link '{}'", name));
  }

  [[nodiscard]] const Component* component(const Device& device, const std::string& name) const {
    for (const Component& c : device.components)
      if (c.name == name) return &c;
    return nullptr;
  }

  /// xpus of a device and of those that it is made of, each counted once.
  std::int64_t xpus(const Device& device, int level = 0) {
    if (level > 8) fail(device.line, fmt::format("device '{}' is made of itself", device.name));
    if (const auto known = xpus_.find(device.name); known != xpus_.end()) return known->second;
    std::int64_t all = 0;
    for (const Component& c : device.components) {
      if (c.kind == "xpu") all += c.count;
      const auto inner = c.kind == "device" ? devices_.find(c.name) : devices_.end();
      if (inner != devices_.end()) all += c.count * xpus(inner->second, level + 1);
      if (all > 1'000'000)
        fail(device.line, fmt::format("device '{}' has more than a million xpus", device.name));
    }
    xpus_.emplace(device.name, all);
    return all;
  }

  void read_instance(const YamlValue& item) {
    Instance instance;
    instance.name = text(item, "name");
    if (std::any_of(instances_.begin(), instances_.end(),
                    [&](const Instance& other) { return other.name == instance.name; }))
      fail(item.line, fmt::format("a second instance '{}'", instance.name));
    const std::string& device = text(item, "device");
    const auto found = devices_.find(device);
    if (found == devices_.end()) fail(item.line, fmt::format("no device '{}'", device));
    instance.device = &found->second;
    instance.count = count(item);
    instance.xpus = xpus(found->second);
    for (const Component& c : found->second.components)
      instance.is_switch |= instance.xpus == 0 && (c.kind == "port" || c.kind == "switch");
    if (system_.gpu.empty() && instance.xpus > 0) system_.gpu = gpu_named_in(found->second.text);
    instances_.push_back(instance);
  }

  /// "name[0:4]", "name[3]", "name": what Python's slice of `all` takes.
  [[nodiscard]] std::pair<std::string, std::vector<std::int64_t>> slice(const std::string& whole,
                                                                        std::int64_t all, int line) const {
    const std::size_t open = whole.find('[');
    const std::string name = whole.substr(0, open);
    std::int64_t from = 0, to = all, step = 1;
    if (open != std::string::npos) {
      if (whole.back() != ']') fail(line, fmt::format("'{}': no slice (expected name[0:4])", whole));
      std::vector<std::string> parts{""};
      for (const char c : whole.substr(open + 1, whole.size() - open - 2))
        c == ':' ? void(parts.emplace_back()) : void(parts.back() += c);
      std::vector<std::optional<std::int64_t>> numbers;
      for (const std::string& part : parts) {
        numbers.push_back(number(part));
        if ((!part.empty() && !numbers.back()) || (numbers.back() && *numbers.back() < 0) || parts.size() > 3)
          fail(line, fmt::format("'{}': no slice (expected name[0:4])", whole));
      }
      if (parts.size() == 1) {
        if (!numbers[0]) fail(line, fmt::format("'{}': no slice (expected name[0:4])", whole));
        from = *numbers[0], to = from + 1;
      } else {
        from = numbers[0].value_or(0), to = numbers[1].value_or(all);
        if (parts.size() == 3) step = numbers[2].value_or(1);
      }
      if (step < 1 || from > to || to > all)
        fail(line, fmt::format("'{}' reaches beyond what there is ({})", whole, all));
    }
    std::vector<std::int64_t> out;
    for (std::int64_t i = from; i < to; i += step) out.push_back(i);
    return {name, out};
  }

  std::vector<End> ends(const YamlValue& edge, const char* which) {
    const YamlValue* end = edge.find(which);
    if (!end) fail(edge.line, fmt::format("lacks '{}'", which));
    const std::string &instance_text = text(*end, "instance"), &component_text = text(*end, "component");
    const std::string name = instance_text.substr(0, instance_text.find('['));
    const auto found =
        std::find_if(instances_.begin(), instances_.end(), [&](const Instance& i) { return i.name == name; });
    if (found == instances_.end()) fail(end->line, fmt::format("no instance '{}'", name));
    std::vector<std::vector<std::pair<std::string, std::int64_t>>> paths{{}};
    const Device* device = found->device;
    for (std::size_t at = 0; at <= component_text.size();) {
      const std::size_t dot = std::min(component_text.find('.', at), component_text.size());
      const std::string part = component_text.substr(at, dot - at);
      at = dot + 1;
      const std::string part_name = part.substr(0, part.find('['));
      const Component* c = device ? component(*device, part_name) : nullptr;
      if (!c)
        fail(end->line,
             fmt::format("no component '{}' in device '{}'", part_name, device ? device->name : "?"));
      const auto numbers = slice(part, c->count, end->line).second;
      std::vector<std::vector<std::pair<std::string, std::int64_t>>> longer;
      check_size(paths.size(), numbers.size(), end->line);
      for (const auto& path : paths)
        for (const std::int64_t n : numbers) {
          longer.push_back(path);
          longer.back().emplace_back(part_name, n);
        }
      paths = std::move(longer);
      const auto inner = devices_.find(part_name);
      device = c->kind == "device" && inner != devices_.end() ? &inner->second : nullptr;
    }
    std::vector<End> out;
    const auto numbers = slice(instance_text, found->count, end->line).second;
    check_size(paths.size(), numbers.size(), end->line);
    for (const std::int64_t n : numbers)
      for (const auto& path : paths)
        out.push_back({static_cast<std::uint32_t>(found - instances_.begin()), n, path});
    return out;
  }
  void check_size(std::size_t a, std::size_t b, int line) const {
    if (b > 0 && a > most_ends / b) fail(line, fmt::format("more than {} ends", most_ends));
  }

  void read_edge(const YamlValue& item) {
    const std::vector<End> a = ends(item, "ep1"), b = ends(item, "ep2");
    const std::string& name = text(item, "link");
    const auto link = links_.find(name);
    if (link == links_.end()) fail(item.line, fmt::format("no link '{}'", name));
    const std::string& scheme = text(item, "scheme");
    if (scheme == "one2one") {
      for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) join(a[i], b[i], link, item.line);
    } else if (scheme == "many2many") {
      check_size(a.size(), b.size(), item.line);
      for (const End& x : a)
        for (const End& y : b) join(x, y, link, item.line);
    } else {
      fail(item.line, fmt::format("scheme {}", invalid_choice(scheme, {"one2one", "many2many"})));
    }
  }

  void join(const End& a, const End& b, std::map<std::string, Link>::const_iterator link, int line) {
    if (a == b) return;
    if (static_cast<std::int64_t>(edges_.size()) >= most_ends)
      fail(line, fmt::format("more than {} cables", most_ends));
    auto what = [&](const End& end) { return instances_[end.instance]; };
    const bool is_known = (what(a).is_switch || what(a).xpus > 0) && (what(b).is_switch || what(b).xpus > 0);
    if (!is_known) {
      ++left_out_;
      return;
    }
    if (what(a).xpus > 0 && what(b).xpus > 0) {
      if (a.instance == b.instance && a.number == b.number) return;  // inside a server
      fail(line, fmt::format("{} and {} are joined without a switch", name_of(a), name_of(b)));
    }
    if (link->second.gbps <= 0)
      fail(line, fmt::format("link '{}' between devices has no bandwidth (expected physical.bandwidth in "
                             "gigabits_per_second or gigabytes_per_second)",
                             link->first));
    for (const End& end : {a, b})
      if (!used_.insert(end).second) fail(line, fmt::format("{} is joined twice", name_of(end)));
    for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      auto& gbps = gbps_[{x->instance, x->number}];
      gbps = gbps == 0 || what(*x).is_switch ? std::max(gbps, link->second.gbps)
                                             : std::min(gbps, link->second.gbps);
    }
    edges_.emplace_back(a, b, link->second);
  }

  [[nodiscard]] std::string name_of(const End& end) const {
    std::string out = fmt::format("{}[{}]", instances_[end.instance].name, end.number);
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
    for (std::uint32_t i = 0; i < instances_.size(); ++i) {
      const Instance& instance = instances_[i];
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
    for (std::uint32_t i = 0; i < instances_.size(); ++i) {
      const Instance& instance = instances_[i];
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
        if (name.starts_with("nic")) name = "switch_" + name;
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
        if (is_plain) ports = component(*instance.device, *kinds.begin())->count;
        system_.switches.push_back({name, instance.device->name,
                                    static_cast<std::uint32_t>(std::max<std::int64_t>(ports, used)),
                                    gbps->second});
      }
    }
  }

  void add_cable(const End& a, const End& b, const Link& link) {
    std::string from = ends_.at(a), to = ends_.at(b);
    if (instances_[b.instance].xpus > 0) std::swap(from, to);
    system_.cables.push_back({from, to, link.gbps, link.latency_ns});
  }

  std::string path_;
  YamlValue root_;
  std::map<std::string, Device> devices_;
  std::map<std::string, Link> links_;
  std::vector<Instance> instances_;
  std::map<std::string, std::int64_t> xpus_;  ///< by device
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
  return Reader(options.file).read();
}

}  // namespace lightrail
