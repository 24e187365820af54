#include "app/cli/smallest_train.hpp"

namespace lightrail {

TrainSize smallest_train(const Model& model, bool is_nvlink) {
  TrainSize smallest;
  for (const LinkClass& one : model.link_classes) {
    if (one.rate.value == 0 || (one.medium == "nvlink") != is_nvlink) continue;
    const TrainSize train{one.grain, one.mtu_bytes};
    if (smallest.packets == 0 || train.bytes() < smallest.bytes()) smallest = train;
  }
  return smallest;
}

}  // namespace lightrail
