#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/network/train.hpp"
#include "engine/model/component.hpp"

namespace lightrail {

/// NCCL's proxy thread of one GPU: posts work requests to the GPU's NIC, its own and those it forwards for
/// its neighbours (PXN), one batch after the other. A batch posts the oldest request together with others for
/// the same receiving GPU, `aggregate` at most; requests that wait on one connection grow into one. One
/// request takes `overhead`, each further one of its batch `progress`: buffers, flags and completions of
/// every request, where the plugin's post, its notice of receipt and their completions are the batch's.
class ProxyQueue {
 public:
  ProxyQueue(PortIndex nic, SimTime overhead, SimTime progress, std::uint32_t aggregate)
      : nic_(nic), overhead_(overhead), progress_(std::min(progress, overhead)), aggregate_(aggregate) {}

  /// `work`: WireKind::message, whose bytes are all here at `ready` (>= now). `wake` is sent to the component
  /// itself when on_wake is due.
  void post(Context& context, SimTime ready, const Payload& work, const Payload& wake);
  void on_wake(Context& context, const Payload& wake);

  bool is_idle() const { return pending_.empty() && coming_.empty(); }
  void save(StateWriter& out) const {
    out.put(free_at_), out.put(wake_at_), out.put(pending_), out.put(coming_);
  }
  void load(StateReader& in) { in.get(free_at_), in.get(wake_at_), in.get(pending_), in.get(coming_); }

 private:
  struct Coming {
    Payload work{};
    SimTime ready{};
  };
  void pump(Context& context, const Payload& wake);
  void post_batch(Context& context);
  bool merge(const Payload& work);

  PortIndex nic_;
  SimTime overhead_, progress_;
  std::uint32_t aggregate_;

  SimTime free_at_{}, wake_at_ = time_never;
  std::vector<Payload> pending_;  ///< oldest first
  std::vector<Coming> coming_;    ///< not ready yet, soonest first
};

}  // namespace lightrail
