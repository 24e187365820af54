#include "network/port/port_end.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "network/port/none/no_flow_control.hpp"
#include "network/port/send_ahead.hpp"
#include "network/port/trains_per_message.hpp"
#include "network/port/whole_messages.hpp"

namespace lightrail {
namespace {

const BufferedSpec* buffered_spec(const Model& model, ComponentId id) {
  return dynamic_cast<const BufferedSpec*>(model.specs[model.components[id.value].spec].get());
}

InputBuffer smaller(InputBuffer a, InputBuffer b) {
  return {std::min(a.lanes, b.lanes), std::min(a.bytes, b.bytes), a.control, std::min(a.reserve, b.reserve)};
}

/// The smallest buffer of the devices around an optical switch; devices without flow control do not count,
/// and neither do further optical switches.
InputBuffer buffer_around(const Model& model, ComponentId circuit_switch) {
  const ComponentRecord& record = model.components[circuit_switch.value];
  InputBuffer least{};
  bool is_first = true;
  for (std::uint32_t i = 0; i < record.port_count; ++i) {
    LinkId out = model.ports[record.first_port + i].out;
    if (!out.is_valid()) continue;
    const LinkRecord& link = model.links[out.value];
    const BufferedSpec* spec = buffered_spec(model, link.to);
    if (!spec || spec->is_transparent()) continue;
    InputBuffer buffer = spec->input_buffer(link.to_port);
    if (buffer.lanes == 0) continue;
    least = is_first ? buffer : smaller(least, buffer);
    is_first = false;
  }
  return least;
}

/// The same with a flow control in any case.
InputBuffer controlled(InputBuffer buffer) {
  LIGHTRAIL_EXPECT(buffer.lanes == 0 || buffer.control);  // a Spec with a buffer says who guards it
  if (buffer.lanes == 0) buffer.control = &no_flow_control();
  return buffer;
}

/// At the far end of `out`, which ends at a device of the spec `far`, with buffers or (null) without.
InputBuffer far_buffer(const Model& model, const LinkRecord& out, const BufferedSpec* far) {
  if (!far) return {};
  return far->is_transparent() ? buffer_around(model, out.to) : far->input_buffer(out.to_port);
}

const TrainStretches* stretches_of(const BuildContext& build) {
  const auto* all = build.model.resource<TrainStretches>();
  return all ? all->of(build.record.atom) : nullptr;
}

/// Reads the ends of one component's ports. What they have in common is looked up once, and the spec behind a
/// port only where it is another than behind the one before: a model has a million ports, and a look-up by
/// type takes as long as all the rest.
class EndReader {
 public:
  explicit EndReader(const BuildContext& build)
      : build_(build),
        model_(build.model),
        own_(dynamic_cast<const BufferedSpec*>(&build.spec)),
        ahead_(model_.resource<SendAhead>()),
        stretches_(stretches_of(build)),
        is_whole_(model_.resource<WholeMessages>()),
        trains_per_message_(TrainsPerMessage::of(model_)) {}

  [[nodiscard]] PortEnd read(PortIndex port);

 private:
  const BufferedSpec* behind(const LinkRecord& out);

  const BuildContext& build_;
  const Model& model_;
  const BufferedSpec* own_;
  const SendAhead* ahead_;
  const TrainStretches* stretches_;
  bool is_whole_;
  std::uint32_t trains_per_message_;
  const Spec* last_spec_ = nullptr;
  const BufferedSpec* last_ = nullptr;  ///< the same, as what it is
};

const BufferedSpec* EndReader::behind(const LinkRecord& out) {
  const Spec* spec = model_.specs[model_.components[out.to.value].spec].get();
  if (spec != last_spec_) {
    last_spec_ = spec;
    last_ = dynamic_cast<const BufferedSpec*>(spec);
  }
  return last_;
}

PortEnd EndReader::read(PortIndex port) {
  PortEnd end;
  end.far = end.near = controlled({});
  end.out = model_.ports[build_.record.first_port + port].out;
  end.is_connected = end.out.is_valid();
  if (!end.is_connected) return end;
  const LinkRecord& out = model_.links[end.out.value];
  const LinkRecord& in = model_.links[end.out.value ^ 1];
  const LinkClass& link_class = model_.link_classes[out.link_class];
  end.out_rate = link_class.rate;
  const LinkClass& in_class = model_.link_classes[in.link_class];
  end.in_rate = in_class.rate;
  end.round_trip = link_class.latency + in_class.latency;
  end.mtu_bytes = link_class.mtu_bytes;
  end.grain = link_class.grain;
  if (ahead_) end.send_ahead = ahead_->time;
  end.stretches = stretches_;
  end.trains_per_message = trains_per_message_;
  end.is_nvlink = link_class.medium == "nvlink";
  end.energy_pj_per_bit = link_class.energy_pj_per_bit;
  end.light = &link_class.light;

  const BufferedSpec* far = behind(out);
  end.is_circuit = far && far->is_transparent();
  const bool is_open = is_whole_ || (far && !far->has_flow_control()) || (own_ && !own_->has_flow_control());
  end.far = controlled(is_open ? InputBuffer{} : far_buffer(model_, out, far));
  if (own_ && !is_open) end.near = controlled(own_->input_buffer(port));
  if (end.is_circuit && end.near.lanes > 0) end.near = controlled(smaller(end.near, end.far));
  return end;
}

}  // namespace

PortEnd port_end(const BuildContext& build, PortIndex port) {
  return EndReader(build).read(port);
}

std::vector<PortEnd> port_ends(const BuildContext& build) {
  EndReader reader(build);
  std::vector<PortEnd> all;
  all.reserve(build.record.port_count);
  for (std::uint32_t i = 0; i < build.record.port_count; ++i)
    all.push_back(reader.read(static_cast<PortIndex>(i)));
  return all;
}

BitRate rate_into(const BuildContext& build, PortIndex port) {
  const LinkId out = build.model.ports[build.record.first_port + port].out;
  if (!out.is_valid()) return {};
  return build.model.link_classes[build.model.links[out.value ^ 1].link_class].rate;
}

const FlowControlKind& flow_control_behind(const BuildContext& build, PortIndex port) {
  const LinkId out = build.model.ports[build.record.first_port + port].out;
  if (!out.is_valid()) return no_flow_control();
  if (build.model.resource<WholeMessages>()) return no_flow_control();
  const LinkRecord& link = build.model.links[out.value];
  return *controlled(far_buffer(build.model, link, buffered_spec(build.model, link.to))).control;
}

}  // namespace lightrail
