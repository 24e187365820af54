#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/scenario/element.hpp"
#include "fabrics/import/imported_system.hpp"

namespace lightrail {

/// What the command line gives beside the file.
struct SystemOptions {
  std::string file;
  std::string gpu;            ///< entry of the catalogue's gpus; "": what the file names
  std::string routes;         ///< forwarding tables of the switches (ibroute, dump_lfts)
  std::string skip;           ///< patterns of hosts that are left out, parted by blanks
  std::uint32_t gpus = 0;     ///< of a server, where the file does not say
  std::uint32_t servers = 2;  ///< where the file describes one
};

/// A format that describes systems: an explicit list, one file and one line each.
struct SystemFormat {
  std::string name, doc;
  std::vector<std::string> options;  ///< of SystemOptions, that have an effect
  ImportedSystem (*read)(const SystemOptions& options) = nullptr;
};

[[nodiscard]] const std::vector<SystemFormat>& system_formats();

/// `lightrail system import FORMAT FILE NAME=VALUE...`: the scenario's text. `typed`: the command line, for
/// its first line. Throws InputErrors with file and line.
[[nodiscard]] std::string import_system(const std::string& format, const std::vector<std::string>& files,
                                        const std::vector<Attribute>& attributes, const std::string& typed,
                                        std::vector<std::string>& notes);

/// Of the formats.
[[nodiscard]] ImportedSystem read_infragraph(const SystemOptions& options);
[[nodiscard]] ImportedSystem read_nccl_topology(const SystemOptions& options);
[[nodiscard]] ImportedSystem read_ibnetdiscover(const SystemOptions& options);

}  // namespace lightrail
