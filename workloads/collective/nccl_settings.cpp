#include "workloads/collective/nccl_settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/transfer_time.hpp"
#include "engine/base/wide.hpp"
#include "workloads/program/collective_names.hpp"

namespace lightrail {
namespace {

/// By protocol: LL, LL128, Simple.
template <class T>
T pick(Protocol protocol, T ll, T ll128, T simple) {
  switch (protocol) {
    case Protocol::ll:
      return ll;
    case Protocol::ll128:
      return ll128;
    case Protocol::simple:
      return simple;
    case Protocol::auto_select:
    case Protocol::bare:
      break;
  }
  fail_contract("a protocol of NCCL is chosen", __FILE__, __LINE__);
}

std::int64_t wire(double efficiency, std::int64_t payload) {
  const auto millionths = static_cast<std::int64_t>(std::llround(efficiency * 1e6));
  return static_cast<std::int64_t>((Wide{payload} * 1'000'000 + millionths - 1) / millionths);
}

}  // namespace

NcclSettings NcclSettings::on(const NcclDevice& d) const {
  NcclSettings s = *this;
  s.base_ll = d.base_ll, s.base_ll128 = d.base_ll128, s.base_simple = d.base_simple;
  s.nvlink_ll = d.nvlink_ll, s.nvlink_ll128 = d.nvlink_ll128, s.nvlink_simple = d.nvlink_simple;
  s.nvlink_efficiency_ll = d.efficiency_ll, s.nvlink_efficiency_ll128 = d.efficiency_ll128;
  s.nvlink_efficiency_simple = d.efficiency_simple;
  s.copy_rate = d.copy_rate, s.is_measured = true;
  s.point_ll = d.point_ll, s.point_simple = d.point_simple, s.point_efficiency = d.point_efficiency;
  s.tree_ll = d.base_ll, s.tree_ll128 = d.base_ll128, s.tree_simple = d.base_simple;
  s.tree_nvlink_ll = d.nvlink_ll, s.tree_nvlink_ll128 = d.nvlink_ll128;
  s.tree_nvlink_simple = d.nvlink_simple;
  s.nvls = d.nvls, s.nvls_tree_rate = d.nvls_tree_rate;
  if (d.nvls_tree_net > SimTime{0}) s.nvls_tree_net = d.nvls_tree_net;
  // A library without the limit has other kernels (HybridEP). Low latency is DeepEP's, whatever the library.
  if (d.deepep_sm_rate.value > 0 && deepep_sm_rate.value > 0) s.deepep_sm_rate = d.deepep_sm_rate;
  if (d.deepep_low_latency_nvlink > SimTime{0}) s.deepep_low_latency_nvlink = d.deepep_low_latency_nvlink;
  if (d.deepep_low_latency_nvlink_efficiency > 0)
    s.deepep_low_latency_nvlink_efficiency = d.deepep_low_latency_nvlink_efficiency;
  return s;
}

SimTime NcclSettings::tree_base(Protocol p) const {
  return pick(p, tree_ll, tree_ll128, tree_simple);
}

SimTime NcclSettings::base(Protocol p) const {
  return pick(p, base_ll, base_ll128, base_simple);
}

SimTime NcclSettings::hop(Protocol p, Medium medium) const {
  switch (medium) {
    case Medium::local:
      return SimTime{0};
    case Medium::nvlink:
      return pick(p, nvlink_ll, nvlink_ll128, nvlink_simple);
    case Medium::pci:
      return pick(p, pci_ll, pci_ll128, pci_simple);
    case Medium::net:
      return pick(p, net_ll, net_ll128, net_simple);
  }
  return SimTime{0};
}

SimTime NcclSettings::modelled(Medium medium) const {
  if (medium == Medium::nvlink) return nvlink_path;
  if (medium == Medium::pci) return pci_path;
  return medium == Medium::net ? net_path + net_overhead : SimTime{0};
}

SimTime scaled(SimTime time, double scale) {
  return scale == 1 ? time : SimTime{std::llround(static_cast<double>(time.count()) * scale)};
}

SimTime NcclSettings::software(Protocol p, Medium medium, double scale) const {
  return std::max(SimTime{0}, scaled(hop(p, medium), scale) - modelled(medium));
}

SimTime NcclSettings::tree_software(Protocol p, Medium medium) const {
  return std::max(SimTime{0}, tree_hop(p, medium) - modelled(medium));
}

SimTime NcclSettings::nvls_tree_software() const {
  return std::max(SimTime{0}, nvls_tree_net - modelled(Medium::net));
}

SimTime NcclSettings::pat_software(Medium medium) const {
  return std::max(SimTime{0}, (medium == Medium::net ? pat_net : pat_nvlink) - modelled(medium));
}

SimTime NcclSettings::collnet_software(Medium medium) const {
  return std::max(SimTime{0}, (medium == Medium::net ? collnet_net : collnet_nvlink) - modelled(medium));
}

double NcclSettings::deepep_sm_share(BitRate nvlink) const {
  if (deepep_sms == 0 || deepep_sm_rate.value == 0 || nvlink.value <= 0)
    return std::numeric_limits<double>::infinity();
  return static_cast<double>(deepep_sms) * static_cast<double>(deepep_sm_rate.value) /
         static_cast<double>(nvlink.value);
}

std::int64_t NcclSettings::deepep_wire_bytes(Medium medium, BitRate nvlink, std::int64_t payload) const {
  if (medium == Medium::local) return payload;
  if (medium == Medium::net) return wire(deepep_net_efficiency, payload);
  return wire(std::min(deepep_nvlink_efficiency, deepep_sm_share(nvlink)), payload);
}

std::int64_t NcclSettings::deepep_low_latency_wire_bytes(Medium medium, bool is_one_server,
                                                         std::int64_t payload) const {
  if (medium == Medium::nvlink && is_one_server) return wire(deepep_low_latency_nvlink_efficiency, payload);
  return deepep_wire_bytes(medium, BitRate{}, payload);
}

SimTime NcclSettings::tree_hop(Protocol p, Medium medium) const {
  if (medium == Medium::nvlink) return pick(p, tree_nvlink_ll, tree_nvlink_ll128, tree_nvlink_simple);
  if (medium == Medium::net) return pick(p, tree_net_ll, tree_net_ll128, tree_net_simple);
  return hop(p, medium);
}

SimTime NcclSettings::point_software(Protocol p, Medium medium) const {
  return is_measured && medium == Medium::nvlink ? SimTime{0} : software(p, medium);
}

SimTime NcclSettings::copy_time(std::int64_t bytes) const {
  return copy_rate.value == 0 ? SimTime{0} : transfer_time(Bytes{bytes}, copy_rate);
}

double NcclSettings::efficiency(Protocol p) const {
  return pick(p, efficiency_ll, efficiency_ll128, efficiency_simple);
}

std::int64_t NcclSettings::wire_bytes(Protocol p, std::int64_t payload) const {
  return wire(efficiency(p), payload);
}

std::int64_t NcclSettings::wire_bytes(Protocol p, Medium medium, std::int64_t payload) const {
  if (medium == Medium::net)
    return net_wire_bytes(p, payload, (payload + point_chunk_net.value - 1) / point_chunk_net.value);
  if (!is_measured || medium != Medium::nvlink) return wire_bytes(p, payload);
  return wire(pick(p, nvlink_efficiency_ll, nvlink_efficiency_ll128, nvlink_efficiency_simple), payload);
}

std::int64_t NcclSettings::net_wire_bytes(Protocol p, std::int64_t payload, std::int64_t messages) const {
  const std::int64_t sent = wire_bytes(p, payload);
  if (net_rate.value == 0 || sent == 0) return sent;
  const double rate = static_cast<double>(net_rate.value) / 8,
               n = static_cast<double>(std::max<std::int64_t>(1, messages));
  double extra = n * rate * static_cast<double>(plugin.message_time.count()) * 1e-12;
  if (plugin.staged_rate.value > 0 && plugin.staged_rate < net_rate)
    extra += std::min(static_cast<double>(sent), n * static_cast<double>(plugin.staged_bytes.value)) *
             (static_cast<double>(net_rate.value) / static_cast<double>(plugin.staged_rate.value) - 1);
  return sent + std::llround(extra);
}

std::int64_t NcclSettings::ring_messages(std::int64_t block) const {
  const std::int64_t of_channel = (block + net_channels - 1) / net_channels;
  const std::int64_t most = std::max<std::int64_t>(1, buffer_simple.value / steps * ring_chunk_steps / 2);
  const std::int64_t slice =
      std::clamp<std::int64_t>((of_channel + 1) / 2, std::max<std::int64_t>(1, most / 32), most);
  return net_channels * ((of_channel + slice - 1) / slice);
}

std::int64_t NcclSettings::point_wire_bytes(Protocol p, Medium medium, std::int64_t payload) const {
  if (p == Protocol::simple && medium == Medium::nvlink) return wire(point_efficiency, payload);
  return wire_bytes(p, medium, payload);
}

std::int64_t NcclSettings::nvls_wire_bytes(double nvls_efficiency, std::int64_t payload) const {
  return wire(nvls_efficiency, payload);
}

std::int64_t NcclSettings::bytes_per_channel(Protocol p, std::uint32_t members) const {
  return pick(p, channel_bytes_ll.value * members, channel_bytes_ll128.value, channel_bytes_simple.value);
}

std::int64_t NcclSettings::slice_bytes(Protocol p, Medium medium) const {
  const Bytes buffer = pick(p, buffer_ll, buffer_ll128, buffer_simple);
  const std::uint32_t channels = medium == Medium::net ? net_channels : nvlink_channels;
  const std::int64_t step = buffer.value / steps;
  const double payload = static_cast<double>(step) * efficiency(p);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(payload) * channels);
}

std::int64_t NcclSettings::chunk_bytes(Protocol p) const {
  const std::int64_t step = pick(p, buffer_ll, buffer_ll128, buffer_simple).value / steps;
  // LL: 4 B of data with 4 B of flag; LL128: 120 B with 8 B.
  return std::max<std::int64_t>(1, pick(p, step / 2, step / 128 * 120, step));
}

std::uint32_t NcclSettings::blocks_ahead(Protocol p) const {
  return std::max(1u, steps / pick(p, 1u, 1u, ring_chunk_steps));
}

std::int64_t NcclSettings::eager_limit(Medium medium) const {
  return (medium == Medium::net ? point_chunk_net : point_chunk_nvlink).value * steps;
}

Protocol NcclSettings::point_protocol(std::int64_t payload) const {
  if (protocol != Protocol::auto_select) return protocol;
  return payload <= point_ll_threshold.value ? Protocol::ll : Protocol::simple;
}

Describe<NcclSettings> nccl_parameters(const AlgorithmNames& algorithms) {
  using S = NcclSettings;
  const SimTime zero{0}, most = milliseconds(1);
  const Bytes one{1}, largest{1ll << 40};
  Describe<S> table;
  table.field("pxn", &S::pxn, "send over NVLink to the local GPU on the destination's rail")
      .field("fold-rings", &S::fold_rings,
             "all steps of a ring inside one NVSwitch as one exchange: fewer events")
      .choice("algorithm", &S::algorithm, "of the collectives that have it; auto: by NCCL's cost model",
              algorithms)
      .choice("protocol", &S::protocol, "auto: by NCCL's cost model", protocol_names())
      .field("ll128", &S::ll128, "auto may choose LL128; off: NCCL_PROTO=^LL128")
      .field("base-ll", &S::base_ll, "start of a collective, LL", zero, most)
      .field("base-ll128", &S::base_ll128, "start of a collective, LL128", zero, most)
      .field("base-simple", &S::base_simple, "start of a collective, Simple", zero, most)
      .field("nvlink-ll", &S::nvlink_ll, "one step over NVLink, LL", zero, most)
      .field("nvlink-ll128", &S::nvlink_ll128, "one step over NVLink, LL128", zero, most)
      .field("nvlink-simple", &S::nvlink_simple, "one step over NVLink, Simple", zero, most)
      .field("pci-ll", &S::pci_ll, "one step over PCIe, LL", zero, most)
      .field("pci-ll128", &S::pci_ll128, "one step over PCIe, LL128", zero, most)
      .field("pci-simple", &S::pci_simple, "one step over PCIe, Simple", zero, most)
      .field("net-ll", &S::net_ll, "one step over the network, LL", zero, most)
      .field("net-ll128", &S::net_ll128, "one step over the network, LL128", zero, most)
      .field("net-simple", &S::net_simple, "one step over the network, Simple", zero, most)
      .field("nvlink-path", &S::nvlink_path, "share of an NVLink step that the network model spends", zero,
             most)
      .field("pci-path", &S::pci_path, "share of a PCIe step that the network model spends", zero, most)
      .field("net-path", &S::net_path, "share of a network step that the network model spends", zero, most)
      .field("tree-ll", &S::tree_ll, "start of a tree, LL", zero, most)
      .field("tree-ll128", &S::tree_ll128, "start of a tree, LL128", zero, most)
      .field("tree-simple", &S::tree_simple, "start of a tree, Simple", zero, most)
      .field("tree-nvlink-ll", &S::tree_nvlink_ll, "one level of a tree over NVLink, LL", zero, most)
      .field("tree-nvlink-ll128", &S::tree_nvlink_ll128, "one level of a tree over NVLink, LL128", zero, most)
      .field("tree-nvlink-simple", &S::tree_nvlink_simple, "one level of a tree over NVLink, Simple", zero,
             most)
      .field("tree-net-ll", &S::tree_net_ll, "one level of a tree over the network, LL", zero, most)
      .field("tree-net-ll128", &S::tree_net_ll128, "one level of a tree over the network, LL128", zero, most)
      .field("tree-net-simple", &S::tree_net_simple, "one level of a tree over the network, Simple", zero,
             most)
      .field("nvls", &S::nvls, "a collective in the NVSwitch (NVLS)", zero, most)
      .field("nvls-tree-net", &S::nvls_tree_net, "one level of an NVLS-tree over the network", zero, most)
      .field("point-ll", &S::point_ll, "start of a send, receive or all-to-all, LL", zero, most)
      .field("point-simple", &S::point_simple, "start of a send, receive or all-to-all, Simple", zero, most)
      .field("pat", &S::has_pat, "whether it has parallel aggregated trees, as 2.23 and later")
      .field("pat-base", &S::pat_base, "start of a collective on parallel aggregated trees", zero, most)
      .field("pat-nvlink", &S::pat_nvlink, "one round of these over NVLink and PCIe", zero, most)
      .field("pat-net", &S::pat_net, "one round of these over the network", zero, most)
      .field("collnet-nvlink", &S::collnet_nvlink,
             "one step over NVLink of a reduction in the fabric (SHARP)", zero, most)
      .field("collnet-net", &S::collnet_net, "... to the switch and back", zero, most)
      .field("deepep-start", &S::deepep_start,
             "kernels and notices of a dispatch or combine over servers (DeepEP)", zero, most)
      .field("deepep-nvlink-start", &S::deepep_nvlink_start, "the same in one server, normal", zero, most)
      .field("deepep-nvlink-efficiency", &S::deepep_nvlink_efficiency, "share of NVLink that DeepEP reaches",
             0.01, 1.0)
      .field("deepep-net-efficiency", &S::deepep_net_efficiency, "share of the network that DeepEP reaches",
             0.01, 1.0)
      .field("deepep-sms", &S::deepep_sms,
             "multiprocessors that a dispatch or combine holds; 0: collective-sms of the GPU", 0u, 10'000u)
      .field("deepep-sm-rate", &S::deepep_sm_rate,
             "what each of deepep-sms moves over NVLink, where the GPU kind does not say; 0: as much as "
             "there is",
             BitRate{0}, BitRate{1'000'000'000'000'000})
      .field("deepep-low-latency-nvlink", &S::deepep_low_latency_nvlink,
             "kernels and notices of a low-latency dispatch or combine in one server, where the GPU kind "
             "does not say",
             zero, most)
      .field("deepep-low-latency-nvlink-efficiency", &S::deepep_low_latency_nvlink_efficiency,
             "share of NVLink that it reaches there, where the GPU kind does not say", 0.01, 1.0)
      .field("deepep-experts", &S::deepep_experts, "experts of a token (top-k), for jobs without a model", 1u,
             256u)
      .field("deepep-groups", &S::deepep_groups,
             "servers that a token's experts are on at most, for jobs without a model", 1u, 65'536u)
      .field("tree-efficiency", &S::tree_efficiency, "of a tree's rate, for the choice of the algorithm",
             0.01, 1.0)
      .field("ring-plateau", &S::ring_plateau,
             "of a ring's latency in Simple over servers, from 64 B a member and channel on", 1.0, 10.0)
      .field("net-overhead", &S::net_overhead, "the proxy thread's time to post one message to the NIC", zero,
             most)
      .field("net-progress", &S::net_progress, "... of that, what each further message posted with it takes",
             zero, most)
      .field(
          "start-skew", &S::start_skew,
          "how much later than its program a member starts a collective, mean of an exponential draw by the "
          "scenario's seed; 0: all at once",
          zero, most)
      .field("efficiency-ll", &S::efficiency_ll, "payload share of the wire, LL", 0.01, 1.0)
      .field("efficiency-ll128", &S::efficiency_ll128, "payload share of the wire, LL128", 0.01, 1.0)
      .field("efficiency-simple", &S::efficiency_simple, "payload share of the wire, Simple", 0.01, 1.0)
      .field("ll-max-rate", &S::ll_max_rate, "most that LL moves in one GPU, for the choice of the protocol",
             BitRate{1}, BitRate{1'000'000'000'000'000})
      .field("buffer-ll", &S::buffer_ll, "buffer of one NCCL channel, LL", one, largest)
      .field("buffer-ll128", &S::buffer_ll128, "buffer of one NCCL channel, LL128", one, largest)
      .field("buffer-simple", &S::buffer_simple, "buffer of one NCCL channel, Simple", one, largest)
      .field("steps", &S::steps, "parts of a buffer (NCCL_STEPS)", 1u, 64u)
      .field("ring-chunk-steps", &S::ring_chunk_steps, "of these, what a block of a ring takes, Simple", 1u,
             64u)
      .field("nvlink-channels", &S::nvlink_channels, "NCCL channels inside a server", 1u, 64u)
      .field("net-channels", &S::net_channels, "NCCL channels of one NIC", 1u, 64u)
      .field("nvls-channels", &S::nvls_channels, "NCCL channels of a collective in the NVSwitch", 1u, 64u)
      .field("nvls-chunk", &S::nvls_chunk, "largest step of one of these and head", one, largest)
      .field("channel-bytes-ll", &S::channel_bytes_ll, "bytes and member that open one more rail, LL", one,
             largest)
      .field("channel-bytes-ll128", &S::channel_bytes_ll128, "bytes that open one more rail, LL128", one,
             largest)
      .field("channel-bytes-simple", &S::channel_bytes_simple, "bytes that open one more rail, Simple", one,
             largest)
      .field("point-ll-threshold", &S::point_ll_threshold, "largest message of a send or all-to-all in LL",
             Bytes{0}, largest)
      .field("point-chunk-nvlink", &S::point_chunk_nvlink, "step of a send's buffer, NVLink and PCIe", one,
             largest)
      .field("point-chunk-net", &S::point_chunk_net, "step of a send's buffer, network", one, largest)
      .field("aggregate", &S::aggregate, "messages to one GPU that the proxy thread posts at once", 1u, 64u)
      .field(
          "qps-per-connection", &S::queue_pairs,
          "queue pairs of a connection over the network (NCCL_IB_QPS_PER_CONNECTION), by which ECMP, rates "
          "and repairs tell flows apart",
          1u, 128u)
      .choice(
          "qp-use", &S::queue_pair_use,
          "how messages go by them: in turns, chunk by chunk; split over all (NCCL_IB_SPLIT_DATA_ON_QPS); or "
          "each chunk by the one with the least under way",
          {{"turns", QueuePairUse::turns}, {"split", QueuePairUse::split}, {"least", QueuePairUse::least}})
      .choice("qp-paths", &S::queue_pair_ways,
              "ways of a connection's queue pairs: hashed, or source ports chosen so that ECMP gives each "
              "another one",
              {{"hashed", QueuePairWays::hashed}, {"disjoint", QueuePairWays::disjoint}});
  return table;
}

NcclSettings parse_nccl_settings(const Element* element, const AlgorithmNames& algorithms,
                                 ErrorList& errors) {
  NcclSettings settings;
  if (!element) return settings;
  nccl_parameters(algorithms).parse(*element, settings, errors);
  return settings;
}

}  // namespace lightrail
