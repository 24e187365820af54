#pragma once
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/kind.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

class FlowControlKind;

/// Input buffer behind a port: as large for each of its virtual lanes, which may share what is beyond a
/// reserve. No lanes: the device takes whatever comes and plays no part in flow control.
struct InputBuffer {
  std::uint8_t lanes = 0;
  std::int64_t bytes = 0;                    ///< per lane [B]
  const FlowControlKind* control = nullptr;  ///< what keeps senders from overfilling it; null: no lanes
  std::int64_t reserve = 0;  ///< of `bytes`, what a lane has for itself, where `control` shares the rest [B]
};

/// A Spec whose device takes part in flow control. Both ends of a link derive the sender's side from it.
class BufferedSpec : public Spec {
 public:
  [[nodiscard]] virtual InputBuffer input_buffer(PortIndex port) const = 0;
  /// True for devices that pass light through (ocs): the buffer is then the one at the far end of the
  /// circuit.
  [[nodiscard]] virtual bool is_transparent() const { return false; }
  /// False for devices that send whatever the far end has room for: nobody counts on their links.
  [[nodiscard]] virtual bool has_flow_control() const { return true; }
};

}  // namespace lightrail
