#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/units.hpp"
#include "fabrics/import/system_format.hpp"

namespace lightrail {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw InputErrors(InputError{"", 0, "system import" + what});
}

std::uint32_t number(const Attribute& attribute, std::uint32_t most) {
  std::uint32_t value = 0;
  std::string problem = parse_value(attribute.value, value);
  if (problem.empty() && (value < 1 || value > most))
    problem = fmt::format("'{}' is out of range (1 ... {})", attribute.value, most);
  if (!problem.empty()) refuse(fmt::format(": '{}': {}", attribute.name, problem));
  return value;
}

void set(SystemOptions& options, const Attribute& attribute) {
  const std::string& name = attribute.name;
  if (name == "gpu") {
    const auto& known = importable_gpus();
    if (std::find(known.begin(), known.end(), attribute.value) == known.end())
      refuse(": 'gpu': " + invalid_choice(attribute.value, known));
    options.gpu = attribute.value;
  }
  if (name == "routes") options.routes = attribute.value;
  if (name == "skip") options.skip = attribute.value;
  if (name == "gpus") options.gpus = number(attribute, 1024);
  if (name == "servers") options.servers = number(attribute, 65'536);
}

}  // namespace

const std::vector<SystemFormat>& system_formats() {
  static const std::vector<SystemFormat> all = {
      {"infragraph", "InfraGraph (Keysight, ASTRA-sim 3.0), YAML or JSON", {"gpu"}, read_infragraph},
      {"nccl-topo", "what NCCL_TOPO_DUMP_FILE writes: one server", {"gpu", "servers"}, read_nccl_topology},
      {"ibnetdiscover",
       "output of ibnetdiscover; routes=FILE: of dump_lfts.sh or ibroute",
       {"gpu", "gpus", "routes", "skip"},
       read_ibnetdiscover}};
  return all;
}

std::string import_system(const std::string& format, const std::vector<std::string>& files,
                          const std::vector<Attribute>& attributes, const std::string& typed,
                          std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const SystemFormat& known : system_formats()) names.push_back(known.name);
  const auto found = std::find(names.begin(), names.end(), format);
  if (found == names.end()) refuse(": " + invalid_choice(format, names));
  const SystemFormat& of = system_formats()[static_cast<std::size_t>(found - names.begin())];
  if (files.size() != 1) refuse(fmt::format(" {}: {} files are given (expected one)", format, files.size()));
  SystemOptions options;
  options.file = files[0];
  for (const Attribute& attribute : attributes) {
    if (std::find(of.options.begin(), of.options.end(), attribute.name) == of.options.end())
      refuse(fmt::format(" {}: attribute {}", format, invalid_choice(attribute.name, of.options)));
    set(options, attribute);
  }
  ImportedSystem system = of.read(options);
  if (!options.gpu.empty()) system.gpu = options.gpu;
  if (system.gpu.empty()) {
    system.gpu = "h100_sxm";
    system.notes.emplace_back("the file names no GPU that the catalogue has: taken as h100_sxm (gpu=...)");
  }
  system.name = std::filesystem::path(options.file).stem().string();
  check_imported(system, options.file);
  note_long_cables(system);
  notes = system.notes;
  return write_scenario(system, typed);
}

}  // namespace lightrail
