#include <fmt/format.h>

#include <string>

#include "engine/scenario/resolve.hpp"
#include "engine/scenario/scenario.hpp"
#include "engine/scenario/write_xml.hpp"

namespace lightrail {

namespace {

/// The points of a sweep are read by `lightrail sweep`; every command checks that they name variables.
void check_sweep(const Element& root, const Variables& variables, ErrorList& errors) {
  for (const Element* sweep : root.children_named("sweep"))
    for (const Element* vary : sweep->children_named("vary")) {
      const Attribute* name = vary->find("name");
      const Attribute* values = vary->find("values");
      if (!name) errors.add(vary->error("<vary> lacks the required attribute 'name'"));
      if (!values) errors.add(vary->error("<vary> lacks the required attribute 'values'"));
      if (name && !variables.is_defined(name->value))
        errors.add({name->file, name->line, "<vary> attribute 'name': " + variables.unknown(name->value)});
      if (values && values->value.find_first_not_of(" \t\r\n,") == std::string::npos)
        errors.add({values->file, values->line, "<vary> attribute 'values': no values given"});
    }
}

}  // namespace

Scenario load_scenario(const std::string& path, const ScenarioOptions& options) {
  ErrorList errors;
  Scenario scenario;
  scenario.path = path;
  Resolver resolver(options, errors);
  if (resolver.resolve_file(path, scenario.root)) {
    check_sweep(scenario.root, resolver.variables(), errors);
    resolver.variables().report_unknown_settings(errors);
    // A mistake elsewhere may be why a variable looks unused.
    if (errors.is_empty()) resolver.variables().report_unused(errors);
  }
  errors.throw_if_any();
  scenario.root.is_read = true;
  scenario.root.find("name");
  scenario.variables = resolver.variables().texts();
  scenario.inputs = resolver.files();
  scenario.resolved_xml = write_xml(scenario.root);
  return scenario;
}

}  // namespace lightrail
