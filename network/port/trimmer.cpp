#include "network/port/trimmer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/scenario/units.hpp"
#include "network/port/class_elements.hpp"
#include "network/port/tables.hpp"
#include "network/wire/numbered_train.hpp"

namespace lightrail {

Describe<TrimSpec> trim_parameters() {
  using S = TrimSpec;
  return Describe<S>()
      .field("lane", &S::lane, "class, a virtual lane", 0u, max_lanes - 1)
      .required("queue", &S::queue, "a packet that would make the queue of its output longer is trimmed",
                Bytes{1}, Bytes{1ll << 40})
      .field("rate", &S::rate,
             "of ports that the queue is meant for, those of others in proportion; without it for all",
             BitRate{1}, BitRate{1'000'000'000'000'000});
}

std::string trim_text(const TrimSpec& spec) {
  std::string text = format_value(spec.queue);
  if (spec.rate.value > 0) text += fmt::format(" at {}", format_value(spec.rate));
  return text;
}

std::vector<TrimSpec> read_trims(const Element& element, std::uint32_t lanes, LaneMask lossless,
                                 ErrorList& errors) {
  return read_class_elements(
      element, "trim", trim_parameters(), lanes, errors, [&](const Element& child, const TrimSpec& spec) {
        if (spec.lane < lanes && (lossless >> spec.lane & 1) != 0)
          errors.add(child.error(
              fmt::format("<trim>: class {} is lossless: its senders are paused instead (lossless=\"none\")",
                          spec.lane)));
      });
}

Trimmer::Trimmer(const BuildContext& build, const std::vector<TrimSpec>& classes)
    : limits_(std::size_t{build.record.port_count} * max_lanes), counts_(limits_.size()) {
  const std::vector<PortEnd> ends = port_ends(build);
  for (const PortEnd& end : ends) mtu_bytes_ = std::max(mtu_bytes_, end.mtu_bytes);
  for (const TrimSpec& spec : classes) {
    lanes_ = static_cast<LaneMask>(lanes_ | 1u << spec.lane);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::int64_t limit = length_at_port(spec.queue, spec.rate, ends[i].out_rate);
      const std::uint32_t longest = std::max(ends[i].train_bytes(), ends[i].mtu_bytes);
      limits_[index(static_cast<PortIndex>(i), static_cast<std::uint8_t>(spec.lane))] =
          limit + longest - ends[i].mtu_bytes;
    }
  }
}

bool Trimmer::goes_first(const Frame& frame) const {
  return (lanes_ >> frame.lane & 1) != 0 && may_be_lost(frame.kind) && !is_payload(frame.kind);
}

bool Trimmer::is_due(const Frame& train, PortIndex out, const EgressBank& egress,
                     const Context& context) const {
  if ((lanes_ >> train.lane & 1) == 0 || !is_payload(train.kind)) return false;
  const std::int64_t queue = egress.queue(out, train.lane, train.bytes, context).bytes;
  return queue + train.bytes > limits_[index(out, train.lane)];
}

std::optional<Frame> Trimmer::cut(const Frame& train, PortIndex out) {
  const bool is_of_class = (lanes_ >> train.lane & 1) != 0 && is_payload(train.kind);
  if (!is_of_class || !NumberedTrain::carries(train.kind)) return std::nullopt;
  const NumberedTrain header = as<NumberedTrain>(train).trimmed(mtu_bytes_);
  if (header.bytes >= train.bytes) return std::nullopt;
  Count& count = counts_[index(out, train.lane)];
  count.packets += header.bytes / NumberedTrain::header_bytes;
  count.bytes += train.bytes;
  return frame_of(header);
}

void Trimmer::finish(Context& context) const {
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i].packets > 0)
      record_trims(context, static_cast<std::int64_t>(i / max_lanes),
                   static_cast<std::int64_t>(i % max_lanes), counts_[i].packets, counts_[i].bytes);
}

}  // namespace lightrail
