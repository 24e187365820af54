#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/quantity.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/egress_bank.hpp"

namespace lightrail {

/// <trim> of an Ethernet switch: from which queue on it cuts off the payload of a class's packets.
struct TrimSpec {
  std::uint32_t lane = 0;  ///< class
  Bytes queue{0};          ///< of an output; what would make it longer is trimmed
  BitRate rate{0};         ///< of ports that `queue` is for, others have it in proportion; 0: of all
};

[[nodiscard]] Describe<TrimSpec> trim_parameters();
/// "416000 B at 400 Gb/s".
[[nodiscard]] std::string trim_text(const TrimSpec& spec);

/// Reads the <trim> of an element. Adds errors: a class that is none of the `lanes`, is `lossless` or has two
/// of them.
[[nodiscard]] std::vector<TrimSpec> read_trims(const Element& element, std::uint32_t lanes, LaneMask lossless,
                                               ErrorList& errors);

/// Packet trimming: a packet that finds too long a queue at its output, or no room in the memory, loses its
/// payload instead of being dropped. Its header goes on ahead of all payload, and so do acknowledgements,
/// notices and control messages of the class, so that its sender soon knows.
///   M. Handley et al.: Re-architecting datacenter networks and stacks for low latency and high performance.
///   SIGCOMM 2017 (NDP); Ultra Ethernet Specification 1.0, packet trimming.
///
/// Model: Q + bytes > queue, where Q is what has the line before it, of whatever class, and what waits of its
/// own. A train is trimmed as a whole; with trains of n packets the queue may be n - 1 packets longer. What
/// goes first takes no room of the memory. Leaves out that NDP's switch trims the last packet of the queue
/// instead of the one that comes, by a coin, and a limit of the headers' own queue.
class Trimmer {
 public:
  Trimmer(const BuildContext& build, const std::vector<TrimSpec>& classes);

  /// Whether `frame` goes ahead of payload, since its class trims and it carries none.
  [[nodiscard]] bool goes_first(const Frame& frame) const;
  /// Whether `train`, which would leave on `out` and its lane, is to be trimmed there.
  [[nodiscard]] bool is_due(const Frame& train, PortIndex out, const EgressBank& egress,
                            const Context& context) const;
  /// What is left of it; nothing, where its class does not trim or it has no payload to lose.
  [[nodiscard]] std::optional<Frame> cut(const Frame& train, PortIndex out);

  /// Rows of the table trim.
  void finish(Context& context) const;
  void save(StateWriter& out) const { out.put(counts_); }
  void load(StateReader& in) { in.get(counts_); }

 private:
  struct Count {
    std::int64_t packets = 0, bytes = 0;
  };
  [[nodiscard]] static std::size_t index(PortIndex port, std::uint8_t lane) {
    return std::size_t{port} * max_lanes + lane;
  }

  LaneMask lanes_ = 0;                ///< fixed: that trim
  std::vector<std::int64_t> limits_;  ///< fixed: by port and lane, of a queue [B]
  std::uint32_t mtu_bytes_ = 1;       ///< fixed: of its links [B]
  std::vector<Count> counts_;         ///< by port and lane
};

}  // namespace lightrail
