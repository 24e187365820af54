#include "fabrics/import/infragraph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/scenario/units.hpp"
#include "fabrics/import/imported_system.hpp"

namespace lightrail::infragraph {

namespace {

std::optional<std::int64_t> number(const std::string& given) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (given.empty() || code != std::errc{} || end != given.data() + given.size()) return std::nullopt;
  return value;
}

}  // namespace

File::File(const std::string& path) : path_(path), root_(read_yaml(path)) {
  const YamlValue* inner = root_.find("infrastructure");
  top_ = inner ? inner : &root_;
  if (const YamlValue* old = top_->find("connections"))
    fail(old->line, "'connections': InfraGraph of before 0.3 (expected 'edges')");
  for (const YamlValue& item : list(*top_, "devices")) read_device(item);
  for (const YamlValue& item : list(*top_, "links")) read_link(item);
  for (const YamlValue& item : list(*top_, "instances")) read_instance(item);
}

void File::fail(int line, const std::string& what) const {
  throw InputErrors(InputError{path_, line, what});
}

const std::vector<YamlValue>& File::list(const YamlValue& in, const char* name) const {
  static const std::vector<YamlValue> nothing;
  const YamlValue* value = in.find(name);
  if (!value || (value->kind == YamlValue::Kind::scalar && (value->text.empty() || value->text == "null")))
    return nothing;
  if (value->kind != YamlValue::Kind::list) fail(value->line, fmt::format("'{}' is no list", name));
  return value->items;
}

const std::string& File::text(const YamlValue& in, const char* name) const {
  const YamlValue* value = in.find(name);
  if (!value || value->kind != YamlValue::Kind::scalar || value->text.empty())
    fail(in.line, fmt::format("lacks '{}'", name));
  return value->text;
}

std::string File::optional_text(const YamlValue& in, const char* name) {
  const YamlValue* value = in.find(name);
  return value ? value->text : "";
}

std::int64_t File::count(const YamlValue& in) const {
  const std::string& given = text(in, "count");
  const auto value = number(given);
  if (!value || *value < 1 || *value > 1'000'000)
    fail(in.line, fmt::format("'count': '{}' is no number from 1 to 1000000", given));
  return *value;
}

double File::real(const YamlValue& value) const {
  double out = 0;
  if (!parse_value(value.text, out).empty() || !(out >= 0 && out <= 1e9))
    fail(value.line, fmt::format("'{}' is no number from 0 to 1e9", value.text));
  return out;
}

void File::read_device(const YamlValue& item) {
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

std::string File::component_of(const YamlValue& edge, const char* name) const {
  const YamlValue* end = edge.find(name);
  if (!end) fail(edge.line, fmt::format("lacks '{}'", name));
  const std::string& whole = text(*end, "component");
  return whole.substr(0, whole.find_first_of("[."));
}

void File::read_link(const YamlValue& item) {
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

const Component* File::component(const Device& device, const std::string& name) {
  for (const Component& c : device.components)
    if (c.name == name) return &c;
  return nullptr;
}

std::int64_t File::xpus(const Device& device, int level) {
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

void File::read_instance(const YamlValue& item) {
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
  if (gpu_.empty() && instance.xpus > 0) gpu_ = gpu_named_in(found->second.text);
  instances_.push_back(instance);
}

std::pair<std::string, std::vector<std::int64_t>> File::slice(const std::string& whole, std::int64_t all,
                                                              int line) const {
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

std::vector<End> File::ends(const YamlValue& edge, const char* which) const {
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

void File::check_size(std::size_t a, std::size_t b, int line) const {
  if (b > 0 && a > most_ends / b) fail(line, fmt::format("more than {} ends", most_ends));
}

const std::pair<const std::string, Link>& File::link_of(const YamlValue& edge) const {
  const std::string& name = text(edge, "link");
  const auto link = links_.find(name);
  if (link == links_.end()) fail(edge.line, fmt::format("no link '{}'", name));
  return *link;
}

}  // namespace lightrail::infragraph
