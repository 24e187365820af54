#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/units.hpp"
#include "engine/scenario/xml_file.hpp"
#include "fabrics/import/system_format.hpp"

namespace lightrail {

namespace {

/// A GPU or a port of a NIC, and the PCI devices above it.
struct Device {
  std::uint32_t number = 0;
  std::string name;
  std::vector<const Element*> above;
};

class Reader {
 public:
  explicit Reader(const SystemOptions& options) : options_(options) {
    ErrorList errors;
    const bool is_read = read_xml_file(options.file, {options.file, 0, ""}, root_, errors);
    errors.throw_if_any();
    if (!is_read || root_.name != "system")
      throw InputErrors(InputError{
          options.file, 1, fmt::format("<{}> is no topology of NCCL (expected <system>)", root_.name)});
  }

  ImportedSystem read() {
    std::vector<const Element*> above;
    visit(root_, above);
    auto by_number = [](const Device& a, const Device& b) { return a.number < b.number; };
    std::stable_sort(gpus_.begin(), gpus_.end(), by_number);
    std::stable_sort(nics_.begin(), nics_.end(), by_number);
    ImportedSystem system;
    system.has_fabric = false;
    ImportedSystem::Cluster& c = system.clusters.emplace_back();
    c.name = fmt::format("{} GPUs, compute capability {}.{}", gpus_.size(), sm_ / 10, sm_ % 10);
    c.servers = options_.servers;
    c.gpus = static_cast<std::uint32_t>(gpus_.size()), c.nics = static_cast<std::uint32_t>(nics_.size());
    c.nic_gbps = slowest_gbps_;
    c.has_nvswitch = nvlinks_ > 0;
    c.nvlinks = gpus_.empty() ? 0 : nvlinks_ / static_cast<std::uint32_t>(gpus_.size());
    c.pcie_generation = pcie_generation_;
    c.pcie_lanes = pcie_lanes_;
    note(system);
    name_gpu(system);
    return system;
  }

 private:
  std::uint32_t number(const Element& element, const char* name, std::uint32_t most) const {
    const Attribute* attribute = element.find(name);
    std::uint32_t value = 0;
    if (!attribute) throw InputErrors(element.error(fmt::format("<{}> lacks '{}'", element.name, name)));
    const std::string& text = attribute->value;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || value > most)
      throw InputErrors(InputError{attribute->file, attribute->line,
                                   fmt::format("<{}> attribute '{}': '{}' is no number from 0 to {}",
                                               element.name, name, text, most)});
    return value;
  }

  /// By its PCI device (pci.ids), else by its compute capability, which several have.
  void name_gpu(ImportedSystem& system) const {
    constexpr std::pair<const char*, const char*> devices[] = {
        {"0x20b2", "a100_sxm_80gb"}, {"0x2330", "h100_sxm"}, {"0x2335", "h200_sxm"}, {"0x2901", "b200_sxm"}};
    for (const auto& [device, name] : devices)
      if (device_ == device) system.gpu = name;
    if (!system.gpu.empty()) return;
    system.gpu = sm_ == 80 ? "a100_sxm_80gb" : sm_ == 90 ? "h100_sxm" : sm_ / 10 == 10 ? "b200_sxm" : "";
    if (!system.gpu.empty() && options_.gpu.empty())
      system.notes.push_back(fmt::format(
          "GPUs of compute capability {}.{} that are no known device of NVIDIA ('{}'): taken as {} "
          "(gpu=...)",
          sm_ / 10, sm_ % 10, device_, system.gpu));
  }

  void visit(const Element& element, std::vector<const Element*>& above) {
    if (element.name == "gpu") add_gpu(element, above);
    if (element.name == "net") add_net(element, above);
    above.push_back(&element);
    for (const Element& child : element.children) visit(child, above);
    above.pop_back();
  }

  void add_gpu(const Element& gpu, const std::vector<const Element*>& above) {
    gpus_.push_back({number(gpu, "dev", 65'535), "", above});
    const std::uint32_t sm = number(gpu, "sm", 999);
    if (sm_ != 0 && sm != sm_)
      throw InputErrors(
          gpu.error(fmt::format("GPUs of compute capabilities {} and {} in one server (all are "
                                "taken to be equal)",
                                sm_, sm)));
    sm_ = sm;
    for (const Element& link : gpu.children) {
      if (link.name != "nvlink") continue;
      nvlinks_ += number(link, "count", 1024);
      const Attribute* what = link.find("tclass");
      if (what && !what->value.starts_with("0x0680")) ++direct_;
    }
    pcie(above);
  }

  /// Of the device next above.
  void pcie(const std::vector<const Element*>& above) {
    if (above.empty()) return;
    const Element& pci = *above.back();
    if (const Attribute* device = pci.find("device"); device && device_.empty()) device_ = device->value;
    if (pci.find("link_width"))
      if (const std::uint32_t lanes = number(pci, "link_width", 16); lanes > 0)
        pcie_lanes_ = pcie_lanes_ == 0 ? lanes : std::min(pcie_lanes_, lanes);
    const Attribute* speed = pci.find("link_speed");
    if (!speed) return;
    constexpr std::pair<const char*, std::uint32_t> generations[] = {
        {"8.0 GT/s", 3}, {"16.0 GT/s", 4}, {"32.0 GT/s", 5}, {"64.0 GT/s", 6}};
    for (const auto& [text, generation] : generations)
      if (speed->value.starts_with(text)) pcie_generation_ = generation;
  }

  void add_net(const Element& net, const std::vector<const Element*>& above) {
    const Attribute* name = net.find("name");
    if (!name) throw InputErrors(net.error("<net> lacks 'name'"));
    if (!names_.insert(name->value).second) return;
    nics_.push_back({number(net, "dev", 65'535), name->value, above});
    const double gbps = number(net, "speed", 100'000'000) / 1000.0;  // Mb/s
    if (nics_.size() > 1 && gbps != slowest_gbps_) has_unequal_ = true;
    slowest_gbps_ = nics_.size() == 1 ? gbps : std::min(slowest_gbps_, gbps);
  }

  static std::size_t common(const Device& a, const Device& b) {
    const auto [x, y] = std::mismatch(a.above.begin(), a.above.end(), b.above.begin(), b.above.end());
    return static_cast<std::size_t>(x - a.above.begin());
  }

  void note(ImportedSystem& system) const {
    system.notes.push_back(fmt::format(
        "a topology of NCCL describes one server: {} of them and a rail-optimised fabric are assumed",
        options_.servers));
    if (has_unequal_)
      system.notes.push_back(
          fmt::format("NICs of different speeds: all taken as the slowest, {} Gb/s", slowest_gbps_));
    if (direct_ > 0)
      system.notes.emplace_back("GPUs joined by NVLink without an NVSwitch: taken as if one joined them");
    std::uint32_t far = 0;
    for (std::size_t g = 0; g < gpus_.size() && !nics_.empty(); ++g) {
      const std::size_t used = common(gpus_[g], nics_[g * nics_.size() / gpus_.size()]);
      for (const Device& nic : nics_)
        if (common(gpus_[g], nic) > used) {
          ++far;
          break;
        }
    }
    if (far > 0)
      system.notes.push_back(fmt::format(
          "{} GPUs are nearer to another NIC than to the one they use here (GPU l uses NIC l nics / gpus)",
          far));
  }

  const SystemOptions& options_;
  Element root_;
  std::vector<Device> gpus_, nics_;
  std::set<std::string> names_;
  std::uint32_t sm_ = 0, nvlinks_ = 0, direct_ = 0, pcie_generation_ = 0, pcie_lanes_ = 0;
  std::string device_;  ///< PCI device of the first GPU
  double slowest_gbps_ = 0;
  bool has_unequal_ = false;
};

}  // namespace

ImportedSystem read_nccl_topology(const SystemOptions& options) {
  return Reader(options).read();
}

}  // namespace lightrail
