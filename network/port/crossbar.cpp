#include "network/port/crossbar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace lightrail {
namespace {

std::vector<PortEnd> ends_of(const BuildContext& build, SimTime pipeline) {
  std::vector<PortEnd> ends = port_ends(build);
  for (PortEnd& end : ends) end.pipeline = pipeline;
  return ends;
}

}  // namespace

Crossbar::Crossbar(const BuildContext& build, SimTime latency, Queueing queueing)
    : Crossbar(build, ends_of(build, latency), latency, queueing) {}

Crossbar::Crossbar(const BuildContext& build, const std::vector<PortEnd>& ends, SimTime latency,
                   Queueing queueing)
    : egress_(build, ends),
      latency_(latency),
      is_fifo_(queueing == Queueing::fifo),
      in_lines_(ends.size()),
      inputs_(ends, build.model.component_name(build.id)) {
  inputs_.send_by(egress_);
  if (is_fifo_) queues_ = std::make_unique<InputQueues>(static_cast<std::uint32_t>(ends.size()));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    in_lines_[i] = LineTime(ends[i].in_rate);
    for (const PortEnd& out : ends)
      has_slow_inputs_ |=
          ends[i].in_rate.value != 0 && (ends[i].in_rate < out.out_rate || out.out_rate.value == 0);
  }
}

bool Crossbar::forward_as(Context& context, const Frame& came, const Frame& train, PortIndex in,
                          PortIndex out) {
  if (!inputs_.taken(context, in, came)) return false;
  if (is_fifo_) return queue(context, train, in, out, came.lane);
  if (auto tail = egress_.offer(context, out, train, ready(context, train, in, out), in, came.lane))
    inputs_.freed(context, in, came, *tail);
  return true;
}

/// True: the input has it.
bool Crossbar::queue(Context& context, const Frame& train, PortIndex in, PortIndex out,
                     std::uint8_t from_lane) {
  queues_->push(in, {train, ready(context, train, in, out), out, from_lane, {}});
  advance(context, in, from_lane);
  return true;
}

/// The trains of an input, one after the other, as far as they may go now.
void Crossbar::advance(Context& context, PortIndex in, std::uint8_t lane) {
  while (queues_->may_go(in, lane, context.now())) {
    const InputQueues::Entry next = queues_->pop(in, lane);
    const auto tail = egress_.offer(context, next.out, next.train, next.ready, in, lane);
    if (!tail) return queues_->waits(in, lane);
    Frame came = next.train;
    came.lane = lane;
    inputs_.freed(context, in, came, *tail);
    queues_->leaves(in, lane, *tail);
  }
  watch(context, in, lane);
}

void Crossbar::go_on(Context& context, PortIndex in, std::uint8_t lane, SimTime tail) {
  queues_->leaves(in, lane, tail);
  watch(context, in, lane);
}

void Crossbar::watch(Context& context, PortIndex in, std::uint8_t lane) {
  if (const SimTime at = queues_->wake(in, lane); at != time_never)
    context.wake(std::max(at, context.now()),
                 to_payload(FlowTimer{.side = FlowTimer::Side::input, .port = in, .detail = lane}));
}

std::vector<std::string> Crossbar::waits_for() const {
  std::vector<std::string> all = egress_.waits_for();
  if (!queues_) return all;
  if (const InputQueues::Count held = queues_->held_up(); held.trains > 0)
    all.push_back(
        fmt::format("{} trains ({} B) wait behind others in input queues", held.trains, held.bytes));
  return all;
}

void Crossbar::save(StateWriter& out) const {
  egress_.save(out), inputs_.save(out);
  if (queues_) queues_->save(out);
}

void Crossbar::load(StateReader& in) {
  egress_.load(in), inputs_.load(in);
  if (queues_) queues_->load(in);
}

}  // namespace lightrail
