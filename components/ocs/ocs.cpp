#include "components/ocs/ocs.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "components/network/build_checks.hpp"
#include "components/network/train.hpp"
#include "engine/model/output_selection.hpp"
#include "engine/model/tables.hpp"

namespace lightrail {
namespace {

/// True when the device at `port` returns credits for what it takes.
bool takes_part(const BuildContext& build, PortIndex port) {
  LinkId out = build.model.ports[build.record.first_port + port].out;
  if (!out.is_valid()) return false;
  const LinkRecord& link = build.model.links[out.value];
  auto* spec =
      dynamic_cast<const BufferedSpec*>(build.model.specs[build.model.components[link.to.value].spec].get());
  return spec && (spec->is_transparent() || spec->input_buffer(link.to_port).lanes > 0);
}

}  // namespace

Ocs::Ocs(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const OcsSpec&>(build.spec)),
      meter_settings_(meter_settings(build.model)),
      ports_(build.record.port_count),
      meters_(build.record.port_count),
      ledger_(build.record.port_count) {
  check_port_count(build, spec_.ports);
  if (auto* output = model_.resource<OutputSelection>()) is_recorded_ = output->is_recorded(tables::ocs);
  bool some = false, all = true;
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    auto port = static_cast<PortIndex>(i);
    ports_[i].out = spec_.first.out(port);
    LinkId link = model_.ports[build.record.first_port + i].out;
    links_.push_back(link);
    lines_.emplace_back(link.is_valid() ? model_.link_classes[model_.links[link.value].link_class].rate
                                        : BitRate{});
    has_credits_.push_back(takes_part(build, port));
    if (link.is_valid()) some = some || has_credits_[i], all = all && has_credits_[i];
  }
  if (some && !all)
    throw InputErrors(
        InputError{"", 0,
                   build.model.component_name(build.id) +
                       ": devices with and without credit flow control share one optical switch"});
}

void Ocs::handle(const Event& event, PortIndex port, Context& context) {
  switch_circuits(context);
  const Payload& p = event.payload;
  if (kind_of(p) == WireKind::credit) {
    ledger_.freed(port, p.lane, p.bytes, [&](PortIndex sender, std::uint32_t bytes) {
      Payload credit = p;
      credit.bytes = bytes;
      context.send(sender, context.now(), credit);
    });
    return;
  }
  Port& in = ports_[port];
  if (in.out == CircuitTable::dark || context.now() < in.lit_from || in.out >= ports_.size() ||
      !links_[in.out].is_valid())
    return lose(context, p, port);
  bool is_payload = kind_of(p) == WireKind::train;
  if (is_payload) in.bytes += p.bytes;
  if (has_credits_[in.out]) ledger_.sent(port, in.out, p.lane, p.bytes);
  meters_[in.out].add(context, meter_settings_, links_[in.out], context.now(), lines_[in.out].of(p.bytes),
                      is_payload ? p.bytes : 0);
  context.send(in.out, context.now(), p);
}

void Ocs::lose(Context& context, const Payload& train, PortIndex port) {
  Port& in = ports_[port];
  if (in.lost_trains++ == 0) in.first_lost = context.now();
  if (kind_of(train) == WireKind::train) in.lost_bytes += train.bytes;
  // The train fills no buffer, so its sender has its credits back.
  if (!has_credits_[port]) return;
  Payload credit;
  credit.kind = static_cast<std::uint8_t>(WireKind::credit);
  credit.lane = train.lane;
  credit.bytes = train.bytes;
  context.send(port, context.now(), credit);
}

/// Brings the circuits up to now. Done on arrivals instead of by timers, so that a schedule does not prolong
/// a run.
void Ocs::switch_circuits(Context& context) {
  while (next_ < spec_.schedule.size() && spec_.schedule[next_].at <= context.now()) {
    const Reconfiguration& change = spec_.schedule[next_++];
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      PortIndex out = change.table.out(static_cast<PortIndex>(i));
      if (out == ports_[i].out) continue;
      write_row(context, static_cast<PortIndex>(i), change.at);
      ports_[i].out = out;
      ports_[i].since = change.at;
      ports_[i].lit_from = change.at + spec_.dark_time;
      ports_[i].bytes = ports_[i].lost_bytes = 0;
    }
  }
}

void Ocs::write_row(Context& context, PortIndex port, SimTime end) {
  const Port& p = ports_[port];
  if (!is_recorded_ || (p.out == CircuitTable::dark && p.lost_bytes == 0)) return;
  std::int64_t out = p.out == CircuitTable::dark ? -1 : p.out;
  SimTime start = p.out == CircuitTable::dark ? p.since : p.lit_from;
  std::array<std::int64_t, 6> row{port, out, start.count(), end.count(), p.bytes, p.lost_bytes};
  context.record_at(start, tables::ocs, row);
}

void Ocs::finish(Context& context) {
  switch_circuits(context);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    write_row(context, static_cast<PortIndex>(i), SimTime{-1});
    if (links_[i].is_valid()) meters_[i].finish(context, meter_settings_, links_[i]);
  }
  auto* output = model_.resource<OutputSelection>();
  if (spec_.power.value == 0 || !output || !output->is_recorded(tables::power)) return;
  // An optical switch draws the same power with and without traffic; 1 W for 1 ps is 1 pJ.
  double energy_pj = spec_.power.value * static_cast<double>(context.now().count());
  std::array<std::int64_t, 2> row{context.now().count(), std::bit_cast<std::int64_t>(energy_pj)};
  context.record(tables::power, row);
}

std::vector<std::string> Ocs::waits_for() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < ports_.size(); ++i)
    if (ports_[i].lost_trains > 0)
      all.push_back(
          fmt::format("port {}: {} trains lost in the dark, the first at {}; nothing sends them again", i,
                      ports_[i].lost_trains, format_time(ports_[i].first_lost)));
  return all;
}

void Ocs::save(StateWriter& out) const {
  out.put(ports_), out.put(meters_), out.put(next_);
  ledger_.save(out);
}

void Ocs::load(StateReader& in) {
  in.get(ports_), in.get(meters_), in.get(next_);
  ledger_.load(in);
}

std::shared_ptr<const ComponentKind> ocs_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "ocs";
  kind->doc =
      "Optical circuit switch: joins ports one to one, without buffer. A <schedule> of <at time circuits> "
      "replaces the "
      "circuits; added ones have light dark-time later. Trains that meet darkness are lost and reported; "
      "nothing sends "
      "them again. Leaves out failing ports, crosstalk and re-training of transceivers.";
  kind->weight = 4;
  kind->ports = {{"0 ...", "ports", "any optical link; light of both directions"}};
  kind->statistics = {{"ocs", "every circuit: times, payload, and what met darkness"},
                      {"link_use", "payload and busy time of every output by interval"},
                      {"power", "energy of the switch"}};
  bind_spec(
      *kind,
      Describe<OcsSpec>()
          .field("ports", &OcsSpec::ports, "number of ports", 1u, 65000u)
          .field("dark-time", &OcsSpec::dark_time, "from a reconfiguration to light on the circuits it adds",
                 SimTime{0}, milliseconds(3'600'000))
          .field("insertion-loss", &OcsSpec::insertion_loss, "loss of a path, counted in the light budget",
                 Decibel{0}, Decibel{60})
          .field("circuits", &OcsSpec::circuits, "circuits at the start: '0-4 1-5' both ways, '0>4' one way")
          .field("power", &OcsSpec::power, "electrical power, for the power table; 0: not known", Watts{0},
                 Watts{1e6}));
  accept_sources(*kind);
  kind->make_spec = [make = kind->make_spec](const Element& element, ErrorList& errors) {
    auto spec = std::make_shared<OcsSpec>(static_cast<const OcsSpec&>(*make(element, errors)));
    if (std::string problem = CircuitTable::parse(spec->circuits, spec->ports, spec->first);
        !problem.empty()) {
      const Attribute* circuits = element.find("circuits");
      errors.add({circuits->file, circuits->line, "<ocs> attribute 'circuits': " + problem});
    }
    spec->schedule = parse_schedule(element, spec->ports, errors);
    return std::shared_ptr<const Spec>(std::move(spec));
  };
  kind->make = [](const BuildContext& build) { return std::make_unique<Ocs>(build); };
  return kind;
}

}  // namespace lightrail
