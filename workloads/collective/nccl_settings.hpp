#pragma once
#include <array>
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"
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
struct NcclSettings {
  bool pxn = true;
  Algorithm algorithm = Algorithm::auto_select;
  Protocol protocol = Protocol::auto_select;

  SimTime base_ll = nanoseconds(6'600), base_ll128 = nanoseconds(14'000), base_simple = nanoseconds(8'400);
  SimTime nvlink_ll = nanoseconds(600), nvlink_ll128 = nanoseconds(1'900), nvlink_simple = nanoseconds(3'400);
  SimTime pci_ll = nanoseconds(1'000), pci_ll128 = nanoseconds(2'500), pci_simple = nanoseconds(5'700);
  SimTime net_ll = nanoseconds(2'700), net_ll128 = nanoseconds(4'000), net_simple = nanoseconds(14'000);
  SimTime nvlink_path = nanoseconds(200), pci_path = nanoseconds(400), net_path = nanoseconds(1'200);
  SimTime net_overhead = microseconds(1);

  double efficiency_ll = 0.5, efficiency_ll128 = 0.8625, efficiency_simple = 1;
  BitRate ll_max_rate{141'000'000'000 * 8};

  Bytes buffer_ll{512 * 1024}, buffer_ll128{4'915'200}, buffer_simple{4 * 1024 * 1024};
  std::uint32_t steps = 8;
  std::uint32_t nvlink_channels = 24, net_channels = 2;
  Bytes channel_bytes_ll{4'096}, channel_bytes_ll128{5'120}, channel_bytes_simple{32'768};
  Bytes point_ll_threshold{16 * 1024}, point_chunk_nvlink{512 * 1024}, point_chunk_net{128 * 1024};
  std::uint32_t aggregate = 8;

  SimTime base(Protocol protocol) const;
  /// NCCL's constant for one step.
  SimTime hop(Protocol protocol, Medium medium) const;
  /// The part of hop() that the network does not model; for the net without the sender's net_overhead.
  SimTime software(Protocol protocol, Medium medium) const;
  /// Share of the wire that carries payload.
  double efficiency(Protocol protocol) const;
  /// Bytes on the wire for `payload`, rounded up.
  std::int64_t wire_bytes(Protocol protocol, std::int64_t payload) const;
  /// A channel is opened for every so many bytes of a collective over `members`.
  std::int64_t bytes_per_channel(Protocol protocol, std::uint32_t members) const;
  /// Bytes of a broadcast that travel as one message of a channel: one step of the buffers of its NCCL
  /// channels.
  std::int64_t slice_bytes(Protocol protocol, Medium medium) const;
  /// Larger messages between two GPUs wait until the receiver is ready: what the buffers of one pair hold.
  std::int64_t eager_limit(Medium medium) const;
  /// Protocol of one message of a send or an all-to-all.
  Protocol point_protocol(std::int64_t payload) const;
};

Describe<NcclSettings> nccl_parameters();

/// `element` may be null: NCCL 2.21 with PXN. Mistakes go to `errors`.
NcclSettings parse_nccl_settings(const Element* element, ErrorList& errors);

}  // namespace lightrail
