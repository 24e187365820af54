#pragma once
#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"

namespace lightrail {

/// What collectives take on one kind of GPU: <gpu><collectives base-ll="9.6 us" .../></gpu>, measured on it
/// with nccl-tests and fitted by tools/fit_nccl.py, and what DeepEP's kernels take on it. A GPU without it
/// takes NCCL's own constants (NcclSettings).
///
/// Time of a ring: base + steps x (hop + block / (rate x efficiency)) + block / copy-rate. The choice of
/// algorithm and protocol stays NCCL's: by its constants, and by the limits that its table has for this
/// architecture (`ll_max_rate`, `ll128_max_rate`).
struct NcclDevice {
  SimTime base_ll{}, base_ll128{}, base_simple{};        ///< start of a ring collective
  SimTime nvlink_ll{}, nvlink_ll128{}, nvlink_simple{};  ///< one step over NVLink
  double efficiency_ll = 0.5, efficiency_ll128 = 0.9375, efficiency_simple = 1;
  BitRate copy_rate{};     ///< at which a ring kernel copies its own block to the output; 0: costs nothing
  BitRate channel_rate{};  ///< what one NCCL channel of a tree moves; 0: costs nothing
  SimTime point_ll{}, point_simple{};  ///< start of a send, a receive, an all-to-all
  double point_efficiency = 1;         ///< share of the link that these reach in Simple
  SimTime nvls{};                      ///< start of a collective in the NVSwitch
  SimTime nvls_tree_net{};  ///< one level of an NVLS-tree over the network; 0: as the library has it
  /// NCCL's limit of an NVLS-tree, bus bandwidth of one head on two servers; 0: none.
  BitRate nvls_tree_rate{};
  BitRate ll_max_rate{}, ll_max_rate_2{},
      ll_max_rate_4{};       ///< NCCL's llMaxBws: 1, 2, more servers (the CPU's)
  BitRate ll128_max_rate{};  ///< NCCL's limit of LL128, all channels together
  /// ... of a tree over 2 and over more servers, bus bandwidth; 0: as ll128_max_rate.
  BitRate ll128_tree_rate_2{}, ll128_tree_rate_4{};
  /// DeepEP's kernels; 0: as the library has it.
  BitRate deepep_sm_rate{};
  SimTime deepep_low_latency_nvlink{};
  double deepep_low_latency_nvlink_efficiency = 0;
};

[[nodiscard]] Describe<NcclDevice> nccl_device_parameters();

/// Member by member the slower of two: what a group of both GPUs takes.
[[nodiscard]] NcclDevice slower(const NcclDevice& a, const NcclDevice& b);

/// A Spec whose device may have such figures.
class NcclDeviceSpec {
 public:
  /// Null: not measured.
  [[nodiscard]] virtual const NcclDevice* nccl_device() const = 0;

 protected:
  ~NcclDeviceSpec() = default;
};

/// A Spec of a switch that reduces and multicasts for its GPUs (NVLS).
class MulticastSpec {
 public:
  /// Share of the links' rate that this reaches; 0: the switch cannot.
  [[nodiscard]] virtual double multicast_efficiency() const = 0;
  /// Head in to head out of an idle switch.
  [[nodiscard]] virtual SimTime switching_latency() const = 0;

 protected:
  ~MulticastSpec() = default;
};

}  // namespace lightrail
