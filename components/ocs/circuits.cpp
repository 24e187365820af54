#include "components/ocs/circuits.hpp"

#include <algorithm>
#include <array>

#include "components/ocs/tables.hpp"
#include "engine/model/output_selection.hpp"
#include "links/optical/bit_errors.hpp"
#include "links/optical/path_loss.hpp"

namespace lightrail {

Circuits::Circuits(const BuildContext& build, const OcsSpec& spec)
    : model_(build.model), spec_(spec), id_(build.id), ports_(build.record.port_count) {
  if (auto* output = model_.resource<OutputSelection>()) is_recorded_ = output->is_recorded(tables::ocs);
  for (std::uint32_t i = 0; i < build.record.port_count; ++i)
    links_.push_back(model_.ports[build.record.first_port + i].out);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto port = static_cast<PortIndex>(i);
    ports_[i].out = spec_.first.out(port);
    ports_[i].failure = failure_of(port, ports_[i].out);
  }
}

const LinkLight& Circuits::light(LinkId link) const {
  return model_.link_classes[model_.links[link.value].link_class].light;
}

double Circuits::failure_of(PortIndex in, PortIndex out) const {
  if (out >= links_.size() || in >= links_.size() || !links_[out].is_valid() || !links_[in].is_valid())
    return 0;
  const LinkLight& from = light(LinkId{links_[in].value ^ 1});
  const LinkLight& to = light(links_[out]);
  if (from.codeword_bytes == 0 || to.codeword_bytes == 0) return 0;
  const PathLoss loss{spec_.insertion_loss, spec_.loss_spread, spec_.drift_spread};
  const Decibel margin{from.level_dbm - loss.of(model_.seed, id_, in, out).value - to.needed_dbm};
  return codeword_failure(pre_fec_bit_error_rate(margin), std::max(from.burst_bits, to.burst_bits));
}

void Circuits::change(const PortChange& change, Context& context) {
  for (std::size_t i = 0; i < spec_.ports && i < ports_.size(); ++i) {
    if (change.port != PortChange::all_ports && change.port != i) continue;
    Port& port = ports_[i];
    port.is_failed = change.state == PortState::failed;
    port.is_stuck = change.state == PortState::stuck;
    if (!port.is_failed) continue;
    for (std::size_t k = 0; k < ports_.size(); ++k)
      if (k == i || ports_[k].out == i)
        join(static_cast<PortIndex>(k), CircuitTable::dark, change.at, change.at, context);
  }
}

std::int64_t Circuits::added(const CircuitTable& table) const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto in = static_cast<PortIndex>(i);
    const PortIndex out = table.out(in);
    count += out != CircuitTable::dark && out != ports_[i].out && !is_other_half(table, in);
  }
  return count;
}

bool Circuits::is_other_half(const CircuitTable& table, PortIndex in) const {
  const PortIndex out = table.out(in);
  return out < in && table.out(out) == in && ports_[out].out != in;
}

/// What the ports can do of what is wanted: failed ones are dark, stuck ones keep what they have.
CircuitTable Circuits::possible(const CircuitTable& wanted) const {
  CircuitTable table;
  std::vector<bool> is_taken(ports_.size(), false);
  for (std::size_t i = 0; i < ports_.size(); ++i)
    if (ports_[i].is_stuck && ports_[i].out < ports_.size()) is_taken[ports_[i].out] = true;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto in = static_cast<PortIndex>(i);
    PortIndex out = wanted.out(in);
    if (ports_[i].is_stuck)
      out = ports_[i].out;
    else if (ports_[i].is_failed || (out < ports_.size() && (ports_[out].is_failed || is_taken[out])))
      out = CircuitTable::dark;
    table.set(in, out);
  }
  return table;
}

SimTime Circuits::apply(const CircuitTable& wanted, SimTime at, Context& context) {
  const CircuitTable table = possible(wanted);
  SimTime dark_until = at, all_lit = at;
  std::vector<SimTime> lit(ports_.size(), at);
  std::vector<bool> has_light(ports_.size(), false);
  bool has_changed = false;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto in = static_cast<PortIndex>(i);
    const PortIndex out = table.out(in);
    if (out < ports_.size()) {
      LIGHTRAIL_EXPECT(!has_light[out]);  // a circuit never carries two senders
      has_light[out] = true;
    }
    if (out == ports_[i].out) continue;
    has_changed = true;
    if (out == CircuitTable::dark) continue;
    if (is_other_half(table, in)) {
      lit[i] = lit[out];
      continue;
    }
    // One circuit after the other, or all together.
    dark_until = spec_.serial ? dark_until + spec_.dark_time : at + spec_.dark_time;
    lit[i] = dark_until;
  }
  for (std::size_t i = 0; i < ports_.size() && has_changed; ++i) {
    const auto in = static_cast<PortIndex>(i);
    const PortIndex out = table.out(in);
    const bool goes_dark = out != ports_[i].out || spec_.dark == DarkScope::all;
    if (!goes_dark || (out == CircuitTable::dark && ports_[i].out == CircuitTable::dark)) continue;
    SimTime from = spec_.dark == DarkScope::all ? std::max(dark_until, at + spec_.dark_time) : lit[i];
    if (out < links_.size() && links_[out].is_valid()) from += light(links_[out]).retraining;
    if (out != CircuitTable::dark) all_lit = std::max(all_lit, from);
    join(in, out, at, from, context);
  }
  return all_lit;
}

void Circuits::join(PortIndex port, PortIndex out, SimTime at, SimTime lit_from, Context& context) {
  Port& p = ports_[port];
  write_row(context, port, at);
  if (out != p.out) p.failure = failure_of(port, out);
  p.out = out;
  p.since = at;
  p.lit_from = lit_from;
  p.bytes = p.lost_bytes = 0;
}

void Circuits::write_row(Context& context, PortIndex port, SimTime end) {
  const Port& p = ports_[port];
  if (!is_recorded_ || (p.out == CircuitTable::dark && p.lost_bytes == 0)) return;
  std::int64_t out = p.out == CircuitTable::dark ? -1 : p.out;
  SimTime start = p.out == CircuitTable::dark ? p.since : p.lit_from;
  std::array<std::int64_t, 6> row{port, out, start.count(), end.count(), p.bytes, p.lost_bytes};
  context.record_at(start, tables::ocs, row);
}

void Circuits::finish(Context& context) {
  for (std::size_t i = 0; i < ports_.size(); ++i) write_row(context, static_cast<PortIndex>(i), SimTime{-1});
}

void Circuits::save(StateWriter& out) const {
  for (const Port& p : ports_) {
    out.put(p.out), out.put(p.is_failed), out.put(p.is_stuck), out.put(p.since), out.put(p.lit_from);
    out.put(p.bytes), out.put(p.lost_bytes), out.put(p.failure);
  }
}

void Circuits::load(StateReader& in) {
  for (Port& p : ports_) {
    in.get(p.out), in.get(p.is_failed), in.get(p.is_stuck), in.get(p.since), in.get(p.lit_from);
    in.get(p.bytes), in.get(p.lost_bytes), in.get(p.failure);
  }
}

}  // namespace lightrail
