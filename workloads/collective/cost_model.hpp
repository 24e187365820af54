#pragma once
#include <string>
#include <vector>

#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

/// NCCL's estimate of a collective [s] (src/graph/tuning.cc, 2.21): latency + bytes / bandwidth.
///   ring: base + (steps - inter) * max(hop(NVLink or PCIe), posts) + inter * hop(net), inter = 2 servers
///     (all-reduce), servers - 1; the whole rate of the rails (one server: of NVLink) x n / steps x
///     efficiency; all-reduces of Simple over servers ring-plateau times the latency once members have 64 B a
///     channel.
///   tree: base + 2 ((members of a server - 1) * hop(NVLink) + log2 servers * hop(net)); half of NVLink, the
///     rails (more than two servers: half of them, for inner nodes send twice) x tree efficiency x
///     tree_correction_of; LL /3.8, LL128 120/128 (one server 7/9).
///   NVLS: base (+ 2 log2 servers * hop(net)); a GPU's link carries every part once, of an all-reduce its own
///     twice: rate x efficiency, x n / (n + 1), n members of a server.
/// hop(net) with what the adapter's plugin reports, in Simple twice. LL at most ll_max_rate, LL128 at most
/// ll128_max_rate of the GPU kind, trees half of these. It chooses; what a collective then takes comes from
/// its messages.
double collective_seconds(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                          Algorithm algorithm, Protocol protocol, std::int64_t bytes);

/// Buffer over time of a long collective in NVSwitches [bit/s].
double nvls_rate(const GroupPlan& plan, CollectiveType type);

/// What a ring's start and steps take of their constants. NCCL counts ring-plateau times as much for
/// all-reduces of Simple over servers from 64 B a member and channel on; what a GPU kind has measured has
/// that in it.
double ring_scale(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type, Protocol protocol,
                  std::int64_t bytes);

/// What runs: the operation's own choice, else the settings', else the smallest collective_seconds
/// (all-to-all: direct).
struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
};
Choice choose(const NcclSettings& settings, const GroupPlan& plan, const Op& op);

/// The algorithms of a collective, auto_select not among them.
const std::vector<Algorithm>& algorithms_of(CollectiveType type);
bool is_simulated(CollectiveType type, Algorithm algorithm);

/// Runs only where it is asked for by name.
bool is_by_name(Algorithm algorithm);
/// Runs as rounds of messages between pairs (exchange.hpp).
bool is_exchange(Algorithm algorithm);

/// "" or why this group cannot run a collective of `type` by `algorithm`.
std::string obstacle(const GroupPlan& plan, CollectiveType type, Algorithm algorithm);

/// Rails that a collective of so many bytes uses.
std::uint32_t ring_channels(const NcclSettings& settings, const GroupPlan& plan, Protocol protocol,
                            std::int64_t bytes);

}  // namespace lightrail
