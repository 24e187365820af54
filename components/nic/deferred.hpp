#pragma once
#include "engine/base/error.hpp"
#include "engine/model/context.hpp"
#include "network/wire/train.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {

/// A work request that came in on `port`, for later.
[[nodiscard]] inline DeferredWork deferred(const WorkRequest& work, PortIndex port) {
  DeferredWork later;
  LIGHTRAIL_EXPECT(work.lane < max_lanes);
  later.lane = work.lane & (max_lanes - 1);
  later.notify = work.notify, later.reduce_in_fabric = work.reduce_in_fabric;
  later.is_resent = work.is_resent, later.is_grown = work.is_grown, later.part = work.part;
  later.retries = work.retries;
  later.bytes = work.bytes, later.address = work.address;
  later.set_port(port);
  return later;
}

/// The same of a control message.
[[nodiscard]] inline DeferredWork deferred(const Train& control, PortIndex port) {
  DeferredWork later;
  later.kind = MessageKind::control;
  LIGHTRAIL_EXPECT(control.lane < max_lanes);
  later.lane = control.lane & (max_lanes - 1), later.retries = control.retries;
  later.bytes = control.bytes, later.address = control.address;
  later.set_port(port);
  return later;
}

}  // namespace lightrail
