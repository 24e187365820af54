#include "network/port/red_marker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/wide.hpp"
#include "engine/scenario/units.hpp"
#include "network/port/class_elements.hpp"
#include "network/port/tables.hpp"
#include "network/wire/marked_train.hpp"
#include "network/wire/numbered_train.hpp"

namespace lightrail {
namespace {

constexpr std::uint64_t certain = std::uint64_t{1} << 32;

}  // namespace

Describe<EcnSpec> ecn_parameters() {
  using S = EcnSpec;
  return Describe<S>()
      .field("lane", &S::lane, "class, a virtual lane", 0u, max_lanes - 1)
      .required("kmin", &S::kmin, "a packet that finds a queue of no more than that is not marked", Bytes{0},
                Bytes{1ll << 40})
      .required("kmax", &S::kmax, "one that finds more than that always is", Bytes{1}, Bytes{1ll << 40})
      .required("pmax", &S::pmax, "how likely one is marked that finds kmax", 0.0, 1.0)
      .field("rate", &S::rate,
             "of ports that kmin and kmax are meant for, those of others in proportion; without it for all",
             BitRate{1}, BitRate{1'000'000'000'000'000});
}

std::string ecn_text(const EcnSpec& spec) {
  std::string text =
      fmt::format("{} ... {}, {:g}", format_value(spec.kmin), format_value(spec.kmax), spec.pmax);
  if (spec.rate.value > 0) text += fmt::format(" at {}", format_value(spec.rate));
  return text;
}

std::vector<EcnSpec> read_ecn(const Element& element, std::uint32_t lanes, ErrorList& errors) {
  return read_class_elements(
      element, "ecn", ecn_parameters(), lanes, errors, [&](const Element& child, const EcnSpec& spec) {
        if (spec.kmin > spec.kmax)
          errors.add(child.error_at("kmin", fmt::format("<ecn> attribute 'kmin': {} is more than kmax ({})",
                                                        format_value(spec.kmin), format_value(spec.kmax))));
      });
}

RedMarker::RedMarker(const BuildContext& build, const std::vector<EcnSpec>& classes, std::uint64_t salt)
    : thresholds_(std::size_t{build.record.port_count} * max_lanes),
      counts_(thresholds_.size()),
      draw_(salt) {
  const std::vector<PortEnd> ends = port_ends(build);
  for (const PortEnd& end : ends) mtu_bytes_ = std::max(mtu_bytes_, end.mtu_bytes);
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (const EcnSpec& spec : classes) {
      Threshold& own = thresholds_[index(static_cast<PortIndex>(i), static_cast<std::uint8_t>(spec.lane))];
      own.kmin = length_at_port(spec.kmin, spec.rate, ends[i].out_rate);
      own.kmax = std::max(length_at_port(spec.kmax, spec.rate, ends[i].out_rate), own.kmin);
      own.pmax = static_cast<std::uint64_t>(std::llround(std::ldexp(spec.pmax, 32)));
    }
}

std::uint64_t RedMarker::probability(PortIndex out, std::uint8_t lane, std::int64_t bytes) const {
  const Threshold& own = thresholds_[index(out, lane)];
  if (own.kmax == 0 || bytes <= own.kmin) return 0;
  if (bytes > own.kmax) return certain;  // always, where kmin is kmax
  return static_cast<std::uint64_t>(static_cast<UnsignedWide>(own.pmax) *
                                    static_cast<std::uint64_t>(bytes - own.kmin) /
                                    static_cast<std::uint64_t>(own.kmax - own.kmin));
}

Frame RedMarker::marked(const Frame& train, PortIndex out, const EgressBank& egress, const Context& context) {
  const bool is_numbered = NumberedTrain::carries(train.kind);
  const bool is_plain = train.kind == MessageKind::train || train.kind == MessageKind::marked_train;
  if (!is_payload(train.kind) || !(is_plain || is_numbered)) return train;
  const std::uint32_t packets = packets_in(train.bytes, mtu_bytes_);
  Count& count = counts_[index(out, train.lane)];
  count.seen += packets;
  const std::uint64_t chance =
      probability(out, train.lane, egress.queue(out, train.lane, train.bytes, context).bytes);
  if (chance == 0) return train;
  std::uint32_t marks = 0;
  for (std::uint32_t i = 0; i < packets; ++i) marks += draw_.next() >> 32 < chance ? 1 : 0;
  count.marked += marks;
  if (marks == 0) return train;
  if (is_plain) return frame_of(MarkedTrain::of(train, std::max(marks, marks_of(train))));
  Frame result = train;
  result.kind = MessageKind::marked_numbered_train;
  return result;
}

void RedMarker::finish(Context& context) const {
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i].marked > 0)
      record_marks(context, static_cast<std::int64_t>(i / max_lanes),
                   static_cast<std::int64_t>(i % max_lanes), counts_[i].seen, counts_[i].marked);
}

void RedMarker::save(StateWriter& out) const {
  out.put(counts_);
  draw_.save(out);
}

void RedMarker::load(StateReader& in) {
  in.get(counts_);
  draw_.load(in);
}

}  // namespace lightrail
