#include "network/port/build_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/scenario/scenario.hpp"
#include "engine/scenario/units.hpp"
#include "network/port/port_end.hpp"

namespace lightrail {
namespace {

[[noreturn]] void refuse(const BuildContext& build, const std::string& what) {
  throw InputErrors(InputError{"", 0, build.model.component_name(build.id) + ": " + what});
}

void check_source(const Element& source, const std::vector<std::string>& parameters, ErrorList& errors) {
  const Attribute* parameter = source.find("parameter");
  if (!parameter) {
    errors.add(source.error("<source> lacks the required attribute 'parameter'"));
  } else if (std::find(parameters.begin(), parameters.end(), parameter->value) == parameters.end()) {
    errors.add({parameter->file, parameter->line,
                "<source> attribute 'parameter': " + invalid_choice(parameter->value, parameters)});
  }
  const std::vector<std::string> kinds = {"datasheet", "measured", "published", "estimate"};
  const Attribute* kind = source.find("kind");
  if (!kind || std::find(kinds.begin(), kinds.end(), kind->value) == kinds.end())
    errors.add(source.error("<source> attribute 'kind': " + invalid_choice(kind ? kind->value : "", kinds)));
  const Attribute* text = source.find("text");
  if (!text || text->value.empty())
    errors.add(source.error("<source> lacks a text that says where the figure is from"));
}

}  // namespace

void check_port_count(const BuildContext& build, std::uint32_t limit) {
  if (build.record.port_count > limit)
    refuse(build, fmt::format("{} ports are connected, the device has {}", build.record.port_count, limit));
}

void check_port_rate(const BuildContext& build, PortIndex port, BitRate limit) {
  PortEnd end = port_end(build, port);
  if (!end.is_connected) return;
  BitRate fastest = std::max(end.out_rate, end.in_rate);
  if (fastest > limit)
    refuse(build, fmt::format("the link at port {} runs at {}, the port at {} at most", port,
                              format_value(fastest), format_value(limit)));
}

void check_reserve(const Element& element, Bytes buffer, Bytes reserve, ErrorList& errors) {
  const Attribute* at = element.find("lane-reserve");
  if (at && reserve > buffer)
    errors.add({at->file, at->line,
                fmt::format("<{}> attribute 'lane-reserve': {} is more than the buffer of {}", element.name,
                            format_value(reserve), format_value(buffer))});
}

void check_sources(const Element& element, const std::vector<ParameterDoc>& parameters, ErrorList& errors) {
  std::vector<std::string> names;
  for (const ParameterDoc& doc : parameters) names.push_back(doc.name);
  for (const Element* source : element.children_named("source")) check_source(*source, names, errors);
}

void accept_sources(ComponentKind& kind) {
  kind.make_spec = [make = kind.make_spec, parameters = kind.parameters](const Element& element,
                                                                         ErrorList& errors) {
    check_sources(element, parameters, errors);
    return make(element, errors);
  };
}

}  // namespace lightrail
