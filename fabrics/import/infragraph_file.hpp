#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fabrics/import/yaml_tree.hpp"

namespace lightrail::infragraph {

inline constexpr std::int64_t most_ends = 4'000'000;

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

/// A file of InfraGraph: its devices, links and instances, checked; edges are read one by one. What is wrong
/// is thrown as InputErrors with file and line.
class File {
 public:
  explicit File(const std::string& path);
  File(const File&) = delete;  // instances point at devices
  File& operator=(const File&) = delete;

  [[nodiscard]] const std::vector<Instance>& instances() const { return instances_; }
  /// The catalogue's GPU that a device with xpus names; "": none does.
  [[nodiscard]] const std::string& gpu() const { return gpu_; }
  [[nodiscard]] const std::vector<YamlValue>& edges() const { return list(*top_, "edges"); }
  /// Both ends of an edge: `which` is ep1 or ep2.
  [[nodiscard]] std::vector<End> ends(const YamlValue& edge, const char* which) const;
  /// Name and figures of an edge's link.
  [[nodiscard]] const std::pair<const std::string, Link>& link_of(const YamlValue& edge) const;
  /// Null when the device has no such component.
  [[nodiscard]] static const Component* component(const Device& device, const std::string& name);
  [[nodiscard]] const std::string& text(const YamlValue& in, const char* name) const;
  void check_size(std::size_t a, std::size_t b, int line) const;
  [[noreturn]] void fail(int line, const std::string& what) const;

 private:
  [[nodiscard]] const std::vector<YamlValue>& list(const YamlValue& in, const char* name) const;
  [[nodiscard]] static std::string optional_text(const YamlValue& in, const char* name);
  [[nodiscard]] std::int64_t count(const YamlValue& in) const;
  [[nodiscard]] double real(const YamlValue& value) const;
  [[nodiscard]] std::string component_of(const YamlValue& edge, const char* name) const;
  /// xpus of a device and of those that it is made of, each counted once.
  [[nodiscard]] std::int64_t xpus(const Device& device, int level = 0);
  /// "name[0:4]", "name[3]", "name": what Python's slice of `all` takes.
  [[nodiscard]] std::pair<std::string, std::vector<std::int64_t>> slice(const std::string& whole,
                                                                        std::int64_t all, int line) const;
  void read_device(const YamlValue& item);
  void read_link(const YamlValue& item);
  void read_instance(const YamlValue& item);

  std::string path_;
  YamlValue root_;
  const YamlValue* top_ = nullptr;  ///< in root_
  std::map<std::string, Device> devices_;
  std::map<std::string, Link> links_;
  std::map<std::string, std::int64_t> xpus_;  ///< by device
  std::vector<Instance> instances_;
  std::string gpu_;
};

}  // namespace lightrail::infragraph
