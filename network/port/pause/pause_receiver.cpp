#include "network/port/pause/pause_receiver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/wide.hpp"
#include "engine/scenario/units.hpp"
#include "network/port/pause/pause_frame.hpp"
#include "network/wire/numbered_train.hpp"

namespace lightrail {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw InputErrors(InputError{"", 0, name + ": " + what});
}

/// Throws where pauses do not work at that port.
void check_end(const PortEnd& end, std::size_t port, const PauseSettings& settings, const std::string& name) {
  if (end.is_circuit)
    refuse(name, fmt::format("port {} pauses its senders (PFC) and is joined to an optical switch, which may "
                             "join it to another one while they are paused",
                             port));
  const PauseFlowControl* far = pause_control_of(end.far);
  if (!far)
    refuse(name, fmt::format("port {} pauses its senders (PFC), and the device at its far end has another "
                             "flow control",
                             port));
  const SimTime way = end.round_trip + far->reaction(end.in_rate);
  const SimTime pause =
      SimTime{static_cast<std::int64_t>(static_cast<Wide>(settings.quanta) * PauseFrame::quantum_bits *
                                        1'000'000'000'000 / std::max<std::int64_t>(end.out_rate.value, 1))};
  if (end.out_rate.value > 0 && pause / 2 < way)
    refuse(name, fmt::format("a pause of {} quanta at port {} takes {}: it ends before it can be renewed "
                             "(way there and back and reaction: {})",
                             settings.quanta, port, format_value(pause), format_value(way)));
}

/// Of a port of `rate`, no less than the smallest share that there is.
std::int64_t alpha_at(const PauseSettings& settings, BitRate rate) {
  if (settings.alpha == 0 || settings.alpha_rate.value == 0 || rate.value == 0) return settings.alpha;
  const Wide alpha = static_cast<Wide>(settings.alpha) * rate.value / settings.alpha_rate.value;
  return std::max<std::int64_t>(static_cast<std::int64_t>(alpha), 1);
}

/// Classes that a device with these settings sends in spite of pauses when they are in a storm.
LaneMask forwarded_by(const PauseSettings& settings) {
  LaneMask lanes = 0;
  for (std::uint32_t lane = 0; lane < max_lanes; ++lane) {
    const Watchdog& rule = settings.watchdogs[lane];
    if (rule.detect > SimTime{0} && rule.action == StormAction::forward)
      lanes = static_cast<LaneMask>(lanes | 1u << lane);
  }
  return lanes;
}

}  // namespace

PauseReceiver::PauseReceiver(std::span<const PortEnd> ports, const PauseSettings& settings,
                             const std::string& name)
    : settings_(settings),
      name_(name),
      terms_(ports.size()),
      lossy_(ports.size()),
      pauses_(ports.size() * max_lanes),
      lost_(ports.size() * max_lanes) {
  std::vector<SharedMemory::Account> accounts(ports.size() * max_lanes);
  std::int64_t headroom = 0, reserve = 0;
  bool is_first = true;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const PortEnd& end = ports[i];
    const PauseFlowControl* own = pause_control_of(end.near);
    if (!end.is_connected || !own) continue;
    check_end(end, i, settings, name);
    terms_[i] = {.lanes = settings.lanes, .hears_arrivals = true, .hears_departures = true};
    if (std::exchange(is_first, false)) first_port_ = static_cast<PortIndex>(i);
    const std::int64_t extra = std::int64_t{end.train_bytes()} - end.mtu_bytes;
    const SimTime reaction = pause_control_of(end.far)->reaction(end.in_rate);
    const std::int64_t own_headroom =
        settings.headroom > 0 ? settings.headroom : headroom_bytes(end, reaction);
    reserve += settings.lanes * settings.reserve;
    lossy_[i] =
        static_cast<LaneMask>(~settings.lossless | forwarded_by(pause_control_of(end.far)->settings()));
    for (std::uint8_t lane = 0; lane < settings.lanes; ++lane) {
      SharedMemory::Account& account = accounts[account_of(static_cast<PortIndex>(i), lane)];
      account.extra = extra;
      account.alpha = alpha_at(settings, end.in_rate);
      if ((settings.lossless >> lane & 1) == 0) continue;
      account.headroom_limit = own_headroom + extra;
      headroom += own_headroom;
    }
  }
  if (headroom + reserve > settings.buffer)
    refuse(name, fmt::format("the headroom of its lossless classes ({}) and the reserves ({}) are more than "
                             "its buffer of {}",
                             format_value(Bytes{headroom}), format_value(Bytes{reserve}),
                             format_value(Bytes{settings.buffer})));
  memory_ = SharedMemory({settings.buffer - headroom - reserve, settings.reserve, settings.resume_offset},
                         std::move(accounts));
}

bool PauseReceiver::on_taken(Context& context, PortIndex port, const Frame& train) {
  release(context.now());
  const std::uint32_t account = account_of(port, train.lane);
  if (!memory_.take(account, train.bytes)) {
    lose(context, port, train);
    return false;
  }
  const bool is_lossless = (settings_.lossless >> train.lane & 1) != 0;
  if (!is_lossless || pauses_[account].is_on != 0 || !memory_.is_beyond(account)) return true;
  Pause& pause = pauses_[account];
  pause.is_on = 1;
  pause.since = context.now();
  ++pause.use.pauses;
  paused_.push_back(account);
  tell(context, account, static_cast<std::uint16_t>(settings_.quanta));
  watch(context);
  return true;
}

void PauseReceiver::lose(const Context& context, PortIndex port, const Frame& train) {
  const std::uint32_t of = account_of(port, train.lane);
  const bool is_lossy = may_lose(port, train.lane);
  if (is_lossy && may_be_lost(train.kind)) {
    Lost& lost = lost_[of];
    ++lost.trains;
    lost.bytes += train.bytes;
    return;
  }
  const SharedMemory::Account& account = memory_[of];
  const bool is_lossless = (settings_.lossless >> train.lane & 1) != 0;
  std::string why;
  if (!is_lossy)
    why = fmt::format("{} B of its headroom of {} B are taken, the pause came too late (raise the headroom)",
                      account.headroom, account.headroom_limit);
  else if (is_lossless)
    why = "its sender's watchdog sends in spite of pauses, and the NIC that sent them repairs nothing of it";
  else
    why = fmt::format(
        "the class is not lossless and has all that it may have of the buffer ({} B), and the NIC that sent "
        "them takes their class for lossless and repairs nothing",
        account.normal);
  throw SimulationError(context.now(), name_,
                        fmt::format("{} B of {}class {} at port {} are lost: {}", train.bytes,
                                    is_lossless ? "lossless " : "", train.lane, port, why));
}

void PauseReceiver::on_freed(Context&, PortIndex, std::uint8_t, std::uint32_t, SimTime) {
  fail_contract("a receiver that hears departures is not told of bytes", __FILE__, __LINE__);
}

void PauseReceiver::on_leaving(Context& context, PortIndex port, const Frame& train, SimTime at) {
  leaving_.push_back({at, account_of(port, train.lane), train.bytes});
  std::push_heap(leaving_.begin(), leaving_.end());
  watch(context);
}

void PauseReceiver::on_timer(Context& context, const FlowTimer&) {
  if (timer_ != context.now()) return;  // an earlier time has been asked for since
  timer_ = time_never;
  release(context.now());
  resume(context);
  watch(context);
}

/// What has left by now.
void PauseReceiver::release(SimTime now) {
  while (!leaving_.empty() && leaving_.front().at <= now) {
    memory_.give(leaving_.front().account, leaving_.front().bytes);
    std::pop_heap(leaving_.begin(), leaving_.end());
    leaving_.pop_back();
  }
}

void PauseReceiver::resume(Context& context) {
  std::erase_if(paused_, [&](std::uint32_t account) {
    if (!memory_.has_emptied(account)) return false;
    Pause& pause = pauses_[account];
    pause.is_on = 0;
    pause.use.add(pause.since, context.now());
    tell(context, account, 0);
    return true;
  });
}

/// Only while somebody is paused does it matter when a train leaves.
void PauseReceiver::watch(Context& context) {
  if (paused_.empty() || leaving_.empty()) return;
  const SimTime at = std::max(leaving_.front().at, context.now());
  if (timer_ <= at) return;
  timer_ = at;
  context.wake(at, to_payload(FlowTimer{.side = FlowTimer::Side::receiver, .port = first_port_}));
}

void PauseReceiver::tell(Context& context, std::uint32_t account, std::uint16_t quanta) {
  const auto lane = static_cast<std::uint8_t>(account % max_lanes);
  line_->send_frame(context, static_cast<PortIndex>(account / max_lanes), PauseFrame::wire_bytes,
                    to_payload(PauseFrame{.lane = lane, .quanta = quanta}));
}

void PauseReceiver::finish(Context& context) {
  Lost all;
  for (std::size_t i = 0; i < pauses_.size(); ++i) {
    const Pause& pause = pauses_[i];
    PauseUse use = pause.use;
    if (pause.is_on != 0) use.add(pause.since, context.now());
    if (use.pauses > 0) record_pauses(context, i, PauseWay::sent, use);
    const SharedMemory::Account& account = memory_[i];
    all.trains += lost_[i].trains, all.bytes += lost_[i].bytes;
    if (account.most > 0 || lost_[i].trains > 0)
      record_buffer(context,
                    {static_cast<std::int64_t>(i / max_lanes), static_cast<std::int64_t>(i % max_lanes),
                     account.most, account.most_headroom, lost_[i].trains, lost_[i].bytes});
  }
  if (memory_.most() > 0 || all.trains > 0)
    record_buffer(context, {-1, -1, memory_.most(), memory_.most_headroom(), all.trains, all.bytes});
}

void PauseReceiver::save(StateWriter& out) const {
  memory_.save(out);
  out.put(pauses_), out.put(lost_), out.put(paused_), out.put(leaving_), out.put(timer_);
}

void PauseReceiver::load(StateReader& in) {
  memory_.load(in);
  in.get(pauses_), in.get(lost_), in.get(paused_), in.get(leaving_), in.get(timer_);
}

}  // namespace lightrail
