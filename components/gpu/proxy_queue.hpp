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

  /// `work`: WireKind::message. `wake` is sent to the component itself when on_wake is due.
  void post(Context& context, const Payload& work, const Payload& wake);
  void on_wake(Context& context, const Payload& wake);

  bool is_idle() const { return pending_.empty(); }
  void save(StateWriter& out) const { out.put(free_at_), out.put(pending_); }
  void load(StateReader& in) { in.get(free_at_), in.get(pending_); }

 private:
  bool merge(const Payload& work);

  PortIndex nic_;
  SimTime overhead_, progress_;
  std::uint32_t aggregate_;

  SimTime free_at_{};
  std::vector<Payload> pending_;  ///< oldest first; not empty: a wake at free_at_ is on its way
};

}  // namespace lightrail
