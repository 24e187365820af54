#pragma once
#include <array>
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"
#include "network/transport/net_plugin.hpp"
#include "network/transport/queue_pair_use.hpp"
#include "workloads/collective/expert_routes.hpp"
#include "workloads/collective/nccl_device.hpp"
#include "workloads/program/algorithm_names.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What a message crosses between two endpoints.
enum class Medium : std::uint8_t { local, nvlink, pci, net };

/// How the GPUs' communication library behaves: <nccl catalogue="nccl/nccl_2_21" pxn="on" .../>. A Model
/// resource.
///
/// Latencies are NCCL's own constants (src/graph/tuning.cc), each for a whole step: software and wire. Of a
/// step the network model already spends the wire's part; `*_path` is that part, and the rest, max(0,
/// constant - path), is what the receiver spends after the last byte of a step has arrived. A longer path
/// (more switches) therefore costs more than NCCL's constant, a shorter one less.
///
/// What a GPU kind has measured (NcclDevice) takes the place of the constants when a collective runs; the
/// choice among algorithms and protocols stays by the constants, as NCCL's.
struct NcclSettings {
  bool pxn = true;
  /// All steps of a ring inside one NVSwitch as one exchange: the same bytes and, where all start at once,
  /// the same time, for fewer events.
  bool fold_rings = false;
  bool has_pat = false;
  Algorithm algorithm = Algorithm::auto_select;
  Protocol protocol = Protocol::auto_select;
  /// LL128 is among what `auto` chooses from. NCCL allows it where it trusts the paths to keep the order of
  /// 128 B: on Hopper with NICs no further than PXN. Off: NCCL_PROTO=^LL128.
  bool ll128 = true;

  SimTime base_ll = nanoseconds(6'600), base_ll128 = nanoseconds(14'000), base_simple = nanoseconds(8'400);
  SimTime nvlink_ll = nanoseconds(600), nvlink_ll128 = nanoseconds(1'900), nvlink_simple = nanoseconds(3'400);
  SimTime pci_ll = nanoseconds(1'000), pci_ll128 = nanoseconds(2'500), pci_simple = nanoseconds(5'700);
  SimTime net_ll = nanoseconds(2'700), net_ll128 = nanoseconds(4'000), net_simple = nanoseconds(14'000);
  SimTime nvlink_path = nanoseconds(200), pci_path = nanoseconds(400), net_path = nanoseconds(1'200);
  SimTime net_overhead = microseconds(1), net_progress = nanoseconds(540);
  SimTime tree_ll = nanoseconds(6'800), tree_ll128 = nanoseconds(14'000), tree_simple = nanoseconds(0);
  SimTime tree_nvlink_ll = nanoseconds(600), tree_nvlink_ll128 = nanoseconds(1'250),
          tree_nvlink_simple = nanoseconds(28'000);
  SimTime tree_net_ll = nanoseconds(5'000), tree_net_ll128 = nanoseconds(8'500),
          tree_net_simple = nanoseconds(28'000);
  SimTime nvls = nanoseconds(25'000), nvls_tree_net = nanoseconds(14'000);
  SimTime point_ll = nanoseconds(6'600), point_simple = nanoseconds(8'400);
  double point_efficiency = 1;

  SimTime pat_base = nanoseconds(8'000), pat_nvlink = nanoseconds(4'000), pat_net = nanoseconds(14'000);
  SimTime collnet_nvlink = nanoseconds(3'700), collnet_net = nanoseconds(31'000);
  SimTime deepep_start = microseconds(28), deepep_nvlink_start = microseconds(38);
  double deepep_nvlink_efficiency = 0.83, deepep_net_efficiency = 0.92;
  /// Multiprocessors that a dispatch or combine of DeepEP holds; 0: as many as a GPU kind's collectives.
  std::uint32_t deepep_sms = 20;
  BitRate deepep_sm_rate{132'800'000'000};  ///< what each of them moves over NVLink; 0: as much as there is
  /// Low latency among GPUs of one server.
  SimTime deepep_low_latency_nvlink = microseconds(13);
  double deepep_low_latency_nvlink_efficiency = 0.65;
  std::uint32_t deepep_experts = 8, deepep_groups = 4;

  double efficiency_ll = 0.5, efficiency_ll128 = 0.92, efficiency_simple = 1;
  double tree_efficiency = 0.92, ring_plateau = 1.4;
  BitRate ll_max_rate{141'000'000'000 * 8};
  /// A member of a collective starts later than its program by an exponential draw of this mean, anew each
  /// time; 0: all at once.
  SimTime start_skew{};
  // Not of the element, a GPU kind's own.
  BitRate copy_rate{}, nvls_tree_rate{};
  double nvlink_efficiency_ll = 1, nvlink_efficiency_ll128 = 1, nvlink_efficiency_simple = 1;
  bool is_measured = false;
  // Not of the element, the adapters' own.
  NetPlugin plugin{};
  BitRate net_rate{};

  Bytes buffer_ll{512 * 1024}, buffer_ll128{4'915'200}, buffer_simple{4 * 1024 * 1024};
  std::uint32_t steps = 8, ring_chunk_steps = 4;
  std::uint32_t nvlink_channels = 24, net_channels = 2, nvls_channels = 16;
  Bytes nvls_chunk{128 * 1024};
  Bytes channel_bytes_ll{4'096}, channel_bytes_ll128{5'120}, channel_bytes_simple{32'768};
  Bytes point_ll_threshold{16 * 1024}, point_chunk_nvlink{512 * 1024}, point_chunk_net{128 * 1024};
  std::uint32_t aggregate = 8;

  std::uint32_t queue_pairs = 1;  ///< of a connection over the network
  QueuePairUse queue_pair_use = QueuePairUse::turns;
  QueuePairWays queue_pair_ways = QueuePairWays::hashed;

  bool operator==(const NcclSettings&) const = default;
  /// Wire and proxy of one step, which the network model spends.
  [[nodiscard]] SimTime modelled(Medium medium) const;
  /// With what was measured on a GPU kind in the place of the constants.
  [[nodiscard]] NcclSettings on(const NcclDevice& device) const;
  [[nodiscard]] SimTime base(Protocol protocol) const;
  [[nodiscard]] SimTime tree_base(Protocol protocol) const;
  /// Start of a send, a receive or an all-to-all.
  [[nodiscard]] SimTime point_base(Protocol p) const { return p == Protocol::ll ? point_ll : point_simple; }
  /// NCCL's constant for one step.
  [[nodiscard]] SimTime hop(Protocol protocol, Medium medium) const;
  [[nodiscard]] SimTime tree_hop(Protocol protocol, Medium medium) const;
  /// The part of hop() that the network does not model; for the net without the sender's net_overhead.
  [[nodiscard]] SimTime software(Protocol protocol, Medium medium, double scale = 1) const;
  /// ... of a message of a send or an all-to-all; a measured start of these has the step over NVLink in it.
  [[nodiscard]] SimTime point_software(Protocol protocol, Medium medium) const;
  /// The part of tree_hop() that the network does not model.
  [[nodiscard]] SimTime tree_software(Protocol protocol, Medium medium) const;
  /// ... of a level of an NVLS-tree.
  [[nodiscard]] SimTime nvls_tree_software() const;
  /// The part of a round of parallel aggregated trees that the network does not model.
  [[nodiscard]] SimTime pat_software(Medium medium) const;
  /// ... of a reduction in the switch of a rail.
  [[nodiscard]] SimTime collnet_software(Medium medium) const;
  [[nodiscard]] ExpertRoutes expert_routes() const { return {deepep_experts, deepep_groups}; }
  /// Share of an NVLink of that rate that DeepEP's multiprocessors fill; infinite: they do not limit it.
  [[nodiscard]] double deepep_sm_share(BitRate nvlink) const;
  /// Bytes on the wire for `payload` of DeepEP's kernels; `nvlink`: rate of a GPU's NVLink, of which its
  /// multiprocessors may not fill all.
  [[nodiscard]] std::int64_t deepep_wire_bytes(Medium medium, BitRate nvlink, std::int64_t payload) const;
  /// ... of its low-latency kernels; `is_one_server`: all members are in one server.
  [[nodiscard]] std::int64_t deepep_low_latency_wire_bytes(Medium medium, bool is_one_server,
                                                           std::int64_t payload) const;
  /// Share of the wire that carries payload.
  [[nodiscard]] double efficiency(Protocol protocol) const;
  /// Bytes on the wire for `payload`, rounded up.
  [[nodiscard]] std::int64_t wire_bytes(Protocol protocol, std::int64_t payload) const;
  /// ... over `medium`: over NVLink at what the GPU kind reaches.
  [[nodiscard]] std::int64_t wire_bytes(Protocol protocol, Medium medium, std::int64_t payload) const;
  /// ... over the network, in `messages` of the same size: with what the adapter's plugin takes for each.
  [[nodiscard]] std::int64_t net_wire_bytes(Protocol protocol, std::int64_t payload,
                                            std::int64_t messages) const;
  /// ... of a message of a send or an all-to-all over `medium`.
  [[nodiscard]] std::int64_t point_wire_bytes(Protocol protocol, Medium medium, std::int64_t payload) const;
  /// A channel is opened for every so many bytes of a collective over `members`.
  [[nodiscard]] std::int64_t bytes_per_channel(Protocol protocol, std::uint32_t members) const;
  /// ... of a message through the arithmetic of an NVSwitch.
  [[nodiscard]] std::int64_t nvls_wire_bytes(double nvls_efficiency, std::int64_t payload) const;
  /// How long a ring kernel copies its own block to the output.
  [[nodiscard]] SimTime copy_time(std::int64_t bytes) const;
  /// Bytes of a broadcast that travel as one message of a channel: one step of the buffers of its NCCL
  /// channels.
  [[nodiscard]] std::int64_t slice_bytes(Protocol protocol, Medium medium) const;
  /// Messages that a block of a ring is over the network: of each NCCL channel two slices, or what they need.
  [[nodiscard]] std::int64_t ring_messages(std::int64_t block) const;
  /// Payload of one step of a channel's buffer.
  [[nodiscard]] std::int64_t chunk_bytes(Protocol protocol) const;
  /// Blocks that the buffers of a ring's channel hold.
  [[nodiscard]] std::uint32_t blocks_ahead(Protocol protocol) const;
  /// Larger messages between two GPUs wait until the receiver is ready: what the buffers of one pair hold.
  [[nodiscard]] std::int64_t eager_limit(Medium medium) const;
  /// Protocol of one message of a send or an all-to-all.
  [[nodiscard]] Protocol point_protocol(std::int64_t payload) const;
};

/// `time` x `scale`, to the picosecond.
[[nodiscard]] SimTime scaled(SimTime time, double scale);

/// `algorithms`: the choices of its attribute "algorithm".
[[nodiscard]] Describe<NcclSettings> nccl_parameters(const AlgorithmNames& algorithms);

/// `element` may be null: NCCL 2.21 with PXN. Mistakes go to `errors`.
[[nodiscard]] NcclSettings parse_nccl_settings(const Element* element, const AlgorithmNames& algorithms,
                                               ErrorList& errors);

}  // namespace lightrail
