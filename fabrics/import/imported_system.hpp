#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lightrail {

/// A system as another tool describes it, in the terms of a scenario.
struct ImportedSystem {
  /// Equal servers in a row.
  struct Cluster {
    std::string name;  ///< of its servers, for readers
    std::uint32_t servers = 1, gpus = 0, nics = 0;
    double nic_gbps = 0;  ///< [Gb/s] of a NIC's port; 0 without NICs
    bool has_nvswitch = true;
    std::uint32_t nvlinks = 0;          ///< of a GPU; 0: as the catalogue's
    std::uint32_t pcie_generation = 0;  ///< 0: as the catalogue's
    std::uint32_t pcie_lanes = 0;       ///< of a GPU; 0: as the catalogue's, x16
  };
  struct Switch {
    std::string name, text;  ///< text: what the file calls it
    std::uint32_t ports = 0;
    double gbps = 0;  ///< [Gb/s] of its fastest port
  };
  struct Cable {
    std::string from, to;   ///< "nic3:0", "leaf0:7"
    double gbps = 0;        ///< [Gb/s]
    double latency_ns = 0;  ///< [ns] one way, as the file gives it; 0: not given
  };
  std::string name;
  std::string gpu;  ///< entry of the catalogue's gpus
  std::vector<Cluster> clusters;
  std::vector<Switch> switches;
  std::vector<Cable> cables;
  /// By switch: port -> numbers of NICs that its table sends there.
  std::map<std::string, std::map<std::uint32_t, std::vector<std::uint32_t>>> routes;
  bool has_fabric = true;          ///< false: the file describes one server, a fabric is guessed
  std::vector<std::string> notes;  ///< what the file does not say
};

/// The scenario, with every note as a comment. `source`: what it was made from, for its first line.
[[nodiscard]] std::string write_scenario(const ImportedSystem& system, const std::string& source);

/// Adds a note where cables have latencies that write_scenario() cuts to what copper may have.
void note_long_cables(ImportedSystem& system);

/// Names of the GPUs that importers know; the catalogue has each.
[[nodiscard]] const std::vector<std::string>& importable_gpus();

/// The GPU that a text ("NVIDIA A100 GPU") means, "" when it names none.
[[nodiscard]] std::string gpu_named_in(const std::string& text);

/// Fails where a server's GPUs and NICs cannot be shared out evenly, or nothing is there. Throws InputErrors.
void check_imported(const ImportedSystem& system, const std::string& file);

}  // namespace lightrail
