#pragma once
#include <array>
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/model.hpp"
#include "engine/model/state_io.hpp"
#include "network/wire/frame.hpp"
#include "network/wire/message_kind.hpp"

namespace lightrail {

/// A Model resource: jobs are restarted. A connection that breaks ends no run then; its sender is told, and
/// what was under way is thrown away and counted.
struct RestartsJobs {};
[[nodiscard]] inline bool restarts_jobs(const Model& model) {
  return model.resource<RestartsJobs>() != nullptr;
}

/// Where payload of a job that was stopped was when it was thrown away.
enum class DiscardedAt : std::uint8_t {
  sender,   ///< not on the wire yet
  network,  ///< a switch or NIC had sent it as often as it may
  arrival,  ///< it came in when the job was stopped already
  receiver  ///< it had come in, and its message was not complete or nobody had asked for it
};

/// Payload that one component has thrown away: the rows of the table discarded. With what came in as complete
/// messages it is what was sent. Plain state.
class Discards {
 public:
  void add(DiscardedAt where, std::int64_t bytes) { bytes_[static_cast<std::size_t>(where)] += bytes; }
  /// The same of a frame: control messages carry no payload.
  void add(DiscardedAt where, const Frame& frame) {
    if (is_payload(frame.kind)) add(where, frame.bytes);
  }
  void finish(Context& context) const;
  void save(StateWriter& out) const { out.put(bytes_); }
  void load(StateReader& in) { in.get(bytes_); }

 private:
  std::array<std::int64_t, 4> bytes_{};  ///< by DiscardedAt
};

}  // namespace lightrail
