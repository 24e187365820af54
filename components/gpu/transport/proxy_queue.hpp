#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/gpu/transport/waiting_requests.hpp"
#include "engine/model/component.hpp"

namespace lightrail {

/// NCCL's proxy thread of one GPU: posts work requests to the GPU's NICs, its own and those it forwards for
/// its neighbours (PXN), one batch after the other. A batch posts the oldest request together with others for
/// the same receiving GPU, `aggregate` at most; requests that wait on one connection grow into one. One
/// request takes `overhead`, each further one of its batch `progress`: buffers, flags and completions of
/// every request, where the plugin's post, its notice of receipt and their completions are the batch's. What
/// is a part of another request, for another NIC or queue pair, goes with the next batch for its receiver and
/// takes no time.
class ProxyQueue {
 public:
  using Share = WaitingRequests::Share;
  using Request = WaitingRequests::Request;

  /// `wake` is sent to the component itself when on_wake is due.
  ProxyQueue(const Payload& wake, SimTime overhead, SimTime progress, std::uint32_t aggregate)
      : wake_(wake), overhead_(overhead), progress_(std::min(progress, overhead)), aggregate_(aggregate) {}

  /// A request whose bytes are all here at `ready` (>= now).
  void post(Context& context, SimTime ready, const Request& request);
  void on_wake(Context& context);

  [[nodiscard]] bool is_idle() const { return waiting_.is_empty() && coming_.empty(); }
  /// Forgets all requests, and returns the bytes that they would have sent.
  std::int64_t drop_all();

  void save(StateWriter& out) const {
    out.put(free_at_), out.put(wake_at_), waiting_.save(out), out.put(coming_);
  }
  void load(StateReader& in) { in.get(free_at_), in.get(wake_at_), waiting_.load(in), in.get(coming_); }

 private:
  struct Coming {
    Request request{};
    SimTime ready{};
  };
  void pump(Context& context);
  void post_batch(Context& context);

  Payload wake_;
  SimTime overhead_, progress_;
  std::uint32_t aggregate_;

  SimTime free_at_{}, wake_at_ = time_never;
  WaitingRequests waiting_;
  std::vector<Coming> coming_;  ///< not ready yet, soonest first
};

}  // namespace lightrail
