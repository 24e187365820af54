#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "components/gpu/execution/program_runner.hpp"
#include "workloads/program/groups.hpp"

/// The part of ProgramRunner that says what it is at: for people, when nothing goes on any more and while it
/// does.
namespace lightrail {

std::string ProgramRunner::describe(std::uint32_t op) const {
  const Op& o = program_->ops[op];
  std::string text = fmt::format("op {} '{}'", op, o.name < model_.names.size() ? model_.names[o.name] : "");
  if (o.kind == OpKind::collective || o.kind == OpKind::send || o.kind == OpKind::recv)
    text += fmt::format(" ({})", model_.resource<GroupTable>()->kind(o.group).name);
  return text;
}

/// Only what waits for others: operations behind them on this GPU follow from it.
std::vector<std::string> ProgramRunner::waits_for(const GpuTransport& transport) const {
  std::vector<std::string> all;
  for (const std::uint32_t slot : background_)
    all.push_back(describe(comm_.run(slot).op) + " " + comm_.waits_for(transport, slot));
  const bool is_reading = state_ == State::reading;
  if (program_->ops.empty() || (!is_reading && (!has_work() || state_ != State::running))) return all;
  for (const Stream& s : streams_)
    if (s.is_running && s.slot != CommEngine::no_slot)
      all.push_back(describe(comm_.run(s.slot).op) + " " + comm_.waits_for(transport, s.slot) +
                    (health_ ? ", since " + format_time(comm_.run(s.slot).start) : ""));
  if (!all.empty()) return all;
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
    if (streams_[stream].ended == index_.stream_ops[stream].size()) continue;
    const std::uint32_t index = op_index(stream), missing = first_missing(index);
    all.push_back(missing == none ? describe(index) + " has not ended"
                                  : describe(index) + " waits for " + describe(missing));
  }
  return all;
}

std::optional<double> ProgramRunner::done_share() const {
  // What an operation costs the simulator: one event, and about one for each train of a message.
  constexpr double train_bytes = 65'536;
  if (batch_queue_ || iterations_ == 0) return std::nullopt;
  double done = 0, all = 0;
  for (std::size_t stream = 0; stream < streams_.size(); ++stream)
    for (std::size_t i = 0; i < index_.stream_ops[stream].size(); ++i) {
      const Op& op = program_->ops[index_.stream_ops[stream][i]];
      const bool is_sent = op.kind != OpKind::compute && op.kind != OpKind::host;
      const double weight = 1 + (is_sent ? static_cast<double>(op.bytes) / train_bytes : 0);
      all += weight;
      if (i < streams_[stream].ended) done += weight;
    }
  const double share = all > 0 && iteration_ < iterations_ ? done / all : 0;
  return (iteration_ + share) / iterations_;
}

}  // namespace lightrail
