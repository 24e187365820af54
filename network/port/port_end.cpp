#include "network/port/port_end.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "network/port/none/no_flow_control.hpp"
#include "network/port/send_ahead.hpp"
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

/// At the far end of a link to a device with or without buffers.
InputBuffer far_buffer(const Model& model, const LinkRecord& out) {
  const BufferedSpec* far = buffered_spec(model, out.to);
  if (!far || model.resource<WholeMessages>()) return {};
  return far->is_transparent() ? buffer_around(model, out.to) : far->input_buffer(out.to_port);
}

}  // namespace

PortEnd port_end(const BuildContext& build, PortIndex port) {
  const Model& model = build.model;
  PortEnd end;
  end.far = end.near = controlled({});
  end.out = model.ports[build.record.first_port + port].out;
  end.is_connected = end.out.is_valid();
  if (!end.is_connected) return end;
  const LinkRecord& out = model.links[end.out.value];
  const LinkRecord& in = model.links[end.out.value ^ 1];
  const LinkClass& link_class = model.link_classes[out.link_class];
  end.out_rate = link_class.rate;
  const LinkClass& in_class = model.link_classes[in.link_class];
  end.in_rate = in_class.rate;
  end.round_trip = link_class.latency + in_class.latency;
  end.mtu_bytes = link_class.mtu_bytes;
  end.grain = link_class.grain;
  if (const auto* ahead = model.resource<SendAhead>()) end.send_ahead = ahead->time;
  end.energy_pj_per_bit = link_class.energy_pj_per_bit;
  end.light = &link_class.light;

  const auto* own = dynamic_cast<const BufferedSpec*>(&build.spec);
  const BufferedSpec* far = buffered_spec(model, out.to);
  end.is_circuit = far && far->is_transparent();
  end.far = controlled(far_buffer(model, out));
  if (own && !model.resource<WholeMessages>()) end.near = controlled(own->input_buffer(port));
  if (end.is_circuit && end.near.lanes > 0) end.near = controlled(smaller(end.near, end.far));
  return end;
}

std::vector<PortEnd> port_ends(const BuildContext& build) {
  std::vector<PortEnd> all;
  for (std::uint32_t i = 0; i < build.record.port_count; ++i)
    all.push_back(port_end(build, static_cast<PortIndex>(i)));
  return all;
}

const FlowControlKind& flow_control_behind(const BuildContext& build, PortIndex port) {
  const LinkId out = build.model.ports[build.record.first_port + port].out;
  if (!out.is_valid()) return no_flow_control();
  return *controlled(far_buffer(build.model, build.model.links[out.value])).control;
}

}  // namespace lightrail
