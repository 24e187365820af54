#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/gpu_spec.hpp"
#include "components/host/host.hpp"
#include "components/nic/nic.hpp"
#include "tests/support/network_bed.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail::test {

/// A small cluster with round numbers: NVLink 200 GB/s (5 ps a byte), network and PCIe 50 GB/s (20 ps a
/// byte). One switch a rail, nothing between rails.
struct ClusterShape {
  std::uint32_t servers = 1, gpus = 8, nics = 0;
  bool has_nvswitch = true, has_host = false;
  bool joins_rails = false;  ///< one switch for all rails
  /// Servers whose NICs of a rail share a switch; the switches of a rail have one above them, by one cable
  /// each. 0: all of them, and there is none above.
  std::uint32_t servers_per_leaf = 0;
  std::uint32_t storage = 0;
  SimTime metadata{};        ///< of storage servers
  std::uint32_t grain = 16;  ///< packets of 4 KiB a train
  double nvls_efficiency = 0, sharp_efficiency = 0;
  std::int64_t sharp_buffer = 0;  ///< [B]
  std::uint32_t sharp_radix = 0;
  std::int64_t nvswitch_buffer = 1 << 20;     ///< [B]
  std::uint32_t planes = 1;                   ///< of the NVSwitch; more than 1: flows are hashed over them
  NicStriping striping = NicStriping::split;  ///< of more NICs than GPUs, as many for each
};

inline constexpr std::int64_t nvlink_ps = 5, net_ps = 20;  ///< a byte
inline constexpr SimTime nvlink_latency = nanoseconds(50), nvswitch_latency = nanoseconds(100),
                         pcie_latency = nanoseconds(200), nic_latency = nanoseconds(100),
                         cable_latency = nanoseconds(30), switch_latency = nanoseconds(130),
                         host_latency = nanoseconds(150);
/// Head of a train over NVLink; work request to NIC to switch to NIC to GPU.
inline constexpr SimTime nvlink_path = 2 * nvlink_latency + nvswitch_latency;
inline constexpr SimTime net_path = 2 * pcie_latency + 2 * nic_latency + 2 * cable_latency + switch_latency;

/// GPUs with programs on that cluster, run by the network bed's engine.
class GpuBed {
 public:
  explicit GpuBed(const ClusterShape& shape);

  GroupKindId group(const std::string& name, std::uint32_t count, std::uint32_t stride = 1,
                    std::uint32_t stands_for = 1);
  GroupKindId listed_group(const std::string& name, const std::vector<std::vector<std::uint32_t>>& lists);
  /// Every GPU of `gpus` runs `program`; others have none.
  void run_on(const std::vector<std::uint32_t>& gpus, Program program);
  /// All GPUs run one program with these operations on one stream.
  void run_all(std::vector<Op> ops);
  /// prepare_execution, then to the last event.
  void run(SimTime save_at = time_never);
  /// What prepare_execution complains about.
  std::vector<std::string> mistakes();

  std::uint32_t gpus() const { return shape_.servers * shape_.gpus; }
  /// End of the operation on that GPU in the first iteration.
  SimTime end_of(std::uint32_t gpu, std::uint32_t op);
  SimTime start_of(std::uint32_t gpu, std::uint32_t op);
  /// Sum over the rows of `traffic` of one GPU, or of all.
  std::int64_t sent_bytes(std::uint32_t gpu);
  std::int64_t sent_bytes();
  /// Sum over the rows of `messages` of one GPU.
  std::int64_t received_bytes(std::uint32_t gpu);
  std::string error_of_run();

  NetworkBed bed;
  ProgramSet set;
  NcclSettings nccl;
  std::shared_ptr<GpuSpec> gpu_spec = std::make_shared<GpuSpec>();
  std::shared_ptr<NicSpec> nic_spec = std::make_shared<NicSpec>();
  std::shared_ptr<HostSpec> host_spec = std::make_shared<HostSpec>();  ///< of ClusterShape::has_host
  std::vector<ComponentId> switches;
  bool by_formula = false;           ///< communication takes what a formula says, and some GPUs stand for all
  bool recalls = false;              ///< collectives that met this before are not simulated
  std::size_t kept_runs = 1u << 18;  ///< RecallPlan::max_runs
  SimTime interval = milliseconds(100);  ///< of link_use

 private:
  std::vector<std::string> prepare();

  ClusterShape shape_;
  std::shared_ptr<GroupTable> groups_ = std::make_shared<GroupTable>();
  std::vector<std::pair<ComponentId, std::uint32_t>> numbers_;
  std::optional<Model> wired_;  ///< without a job: every prepare() begins with it
};

Op collective(CollectiveType type, GroupKindId group, std::int64_t bytes,
              Protocol protocol = Protocol::simple);
Op compute(SimTime duration, std::uint8_t stream = 0);
/// Time of the CPU's alone.
Op host(SimTime duration, std::uint8_t stream = 0);
Op after(Op op, std::uint32_t first, std::uint16_t count);
Op point(OpKind kind, GroupKindId group, std::int32_t offset, std::int64_t bytes);

/// Serialisation of a message cut into trains of `train` bytes [ps], each rounded up alone as the line does
/// (the rates here are whole picoseconds a byte, so nothing is rounded).
inline SimTime line(std::int64_t bytes, std::int64_t ps) {
  return SimTime{bytes * ps};
}

}  // namespace lightrail::test
