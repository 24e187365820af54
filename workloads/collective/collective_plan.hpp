#pragma once
#include <variant>

#include "workloads/collective/exchange_plan.hpp"
#include "workloads/collective/relay_plan.hpp"

namespace lightrail {

/// Blocks along the rings of the GroupPlan, one message a step and channel.
struct RingSteps {};
/// All steps of a ring inside one NVSwitch as one exchange.
struct FoldedRing {};
/// The root's buffer along the rings, in slices that follow one another.
struct RingStream {};
/// Every member's share to every other at once; large messages wait for the receiver's clear-to-send.
struct PeerMessages {};
/// ceil(log2 n) rounds of control messages.
struct Dissemination {};

/// How one member carries a collective out: what CommEngine runs. ExchangePlan and RelayPlan say everything
/// themselves; the others are worked out step by step from the group and the operation.
using CollectivePlan =
    std::variant<RingSteps, FoldedRing, RingStream, PeerMessages, Dissemination, RelayPlan, ExchangePlan>;

}  // namespace lightrail
