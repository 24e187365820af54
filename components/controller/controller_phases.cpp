#include "components/controller/controller.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/transfer_time.hpp"
#include "network/wire/region_control.hpp"

namespace lightrail {

using region_control::Share;

void Controller::decide_phases(Context& context) {
  const CircuitCounts now = counts_of(circuits_, demand_.servers);
  phases_ = phases_for(demand_, now);
  phase_ = 0, begun_ = 0, beside_ = 0;
  if (regions_.joins_both) share_with_packets();
  const CircuitCounts wanted = phases_.empty() ? now : phases_[0].circuits;
  if (wanted == now && !is_stale_) return go_live(context);
  change_to(wanted, context);
}

/// `gain`: as many phases as pay for themselves, or none. The phase whose circuits are lit comes first.
PhaseSchedule Controller::phases_for(const DemandMatrix& demand, const CircuitCounts& now) const {
  const std::vector<PhaseSchedule> all = schedules(demand, regions_.ports(region_), spec_.phases);
  PhaseSchedule best =
      spec_.policy == ReconfigurePolicy::gain ? worth_most(all, demand, now) : shortest(all, demand);
  const auto lit = std::find_if(best.begin(), best.end(),
                                [&](const CircuitPhase& phase) { return phase.circuits == now; });
  if (lit != best.end()) std::rotate(best.begin(), lit, lit + 1);
  return best;
}

PhaseSchedule Controller::worth_most(const std::vector<PhaseSchedule>& all, const DemandMatrix& demand,
                                     const CircuitCounts& now) const {
  const auto packet_time = [&](const DemandMatrix& bytes, const CircuitCounts& circuits) {
    return completion(bytes, circuits, spec_.packet_share) * 8e12 /
           static_cast<double>(regions_.circuit_rate.value);  // picoseconds
  };
  PhaseSchedule best;
  double least = packet_time(demand, now);
  for (const PhaseSchedule& phases : all) {
    double time = 0;
    for (const CircuitPhase& phase : phases)
      time += static_cast<double>(duration(phase, regions_.circuit_rate).count()) +
              (phase.circuits == now ? 0 : static_cast<double>(spec_.expected_dark.count()));
    time = std::max(time, packet_time(left_over(demand, phases), CircuitCounts(demand.servers)));
    if (time < least) least = time, best = phases;
  }
  return best;
}

/// Circuits that there should be now; without a schedule those that there are.
CircuitCounts Controller::counts_of_phase() const {
  return phases_.empty() ? counts_of(circuits_, demand_.servers) : phases_[phase_].circuits;
}

/// Packet NICs take their share of the whole exchange at once, changes included, as long as the last one
/// took.
void Controller::share_with_packets() {
  if (phases_.empty()) return;
  auto nics = static_cast<std::int64_t>(regions_.packet_nics.size());
  for (std::uint32_t m = 0; m < demand_.servers; ++m)
    nics =
        std::min<std::int64_t>(nics, std::count_if(regions_.packet_nics.begin(), regions_.packet_nics.end(),
                                                   [&](std::uint16_t nic) { return region_.works(m, nic); }));
  const auto changes = static_cast<std::int64_t>(phases_.size()) - 1;
  beside_ = part_beside(demand_, phases_, regions_.circuit_rate, BitRate{nics * regions_.packet_rate.value},
                        changes * last_change_);
  take_off(phases_, beside_);
}

void Controller::tell_beside(Context& context) {
  if (beside_ == 0) return;
  for (std::uint32_t from = 0; from < demand_.servers; ++from)
    for (std::uint32_t to = 0; to < demand_.servers; ++to)
      if (std::any_of(phases_.begin(), phases_.end(),
                      [&](const CircuitPhase& phase) { return phase.circuits.at(from, to) > 0; }))
        for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu)
          context.send(static_cast<PortIndex>(1 + from * gpus_ + gpu), context.now(),
                       to_payload(Share{.kind = MessageKind::beside, .parts = beside_, .member = to}));
}

void Controller::tell_later(Context& context) {
  if (!has_later_phase()) return;
  for (std::uint32_t from = 0; from < demand_.servers; ++from)
    for (std::uint32_t to = 0; to < demand_.servers; ++to)
      if (const std::uint32_t part = later_part(phases_, phase_, from, to); part > 0)
        for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu)
          context.send(static_cast<PortIndex>(1 + from * gpus_ + gpu), context.now(),
                       to_payload(Share{.kind = MessageKind::later, .parts = part, .member = to}));
}

/// The phase ends when its circuits have been there for as long as its bytes need, and what is on the way
/// then has left; the first one's time begins when all GPUs have begun.
void Controller::start_phase(Context& context) {
  if (stage_ != Stage::serving || begun_ + absent_ < gpu_count()) return;
  context.wake(context.now() + duration(phases_[phase_], regions_.circuit_rate),
               to_payload(Timer{.kind = Wake::end_phase, .epoch = epoch_}));
}

void Controller::end_phase(std::uint32_t epoch, Context& context) {
  if (stage_ != Stage::serving || epoch != epoch_) return;  // a repair has begun the phase anew
  ++phase_;
  change_to(phases_[phase_].circuits, context);
}

}  // namespace lightrail
