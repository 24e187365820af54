#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/model/component.hpp"
#include "network/wire/work_request.hpp"

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
  enum class Share : std::uint16_t {
    request,  ///< a request of its own
    part      ///< of a request that was posted before or is in the same batch
  };
  struct Request {
    WorkRequest work{};
    EndpointId receiver{};  ///< the GPU
    PortIndex nic = 0;      ///< port
    Share share = Share::request;
  };

  /// `wake` is sent to the component itself when on_wake is due.
  ProxyQueue(const Payload& wake, SimTime overhead, SimTime progress, std::uint32_t aggregate)
      : wake_(wake), overhead_(overhead), progress_(std::min(progress, overhead)), aggregate_(aggregate) {}

  /// A request whose bytes are all here at `ready` (>= now).
  void post(Context& context, SimTime ready, const Request& request);
  void on_wake(Context& context);

  [[nodiscard]] bool is_idle() const { return pending_.empty() && coming_.empty(); }
  /// Forgets all requests, and returns the bytes that they would have sent.
  std::int64_t drop_all();

  void save(StateWriter& out) const {
    out.put(free_at_), out.put(wake_at_), out.put(pending_), out.put(coming_);
  }
  void load(StateReader& in) { in.get(free_at_), in.get(wake_at_), in.get(pending_), in.get(coming_); }

 private:
  struct Coming {
    Request request{};
    SimTime ready{};
  };
  void pump(Context& context);
  void post_batch(Context& context);
  bool merge(const Request& request);

  Payload wake_;
  SimTime overhead_, progress_;
  std::uint32_t aggregate_;

  SimTime free_at_{}, wake_at_ = time_never;
  std::vector<Request> pending_;  ///< oldest first
  std::vector<Coming> coming_;    ///< not ready yet, soonest first
};

}  // namespace lightrail
