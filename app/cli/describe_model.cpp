#include "app/cli/describe_model.hpp"

#include "app/cli/build_model.hpp"
#include "engine/scenario/catalogue.hpp"
#include "engine/scenario/xml_file.hpp"
#include "workloads/generate/training/model_figures.hpp"

namespace lightrail {

std::string described_model(const CommandLine& line) {
  if (!line.settings.empty())
    throw InputErrors(InputError{"", 0, "option --set has no effect on 'lightrail describe model'"});
  const std::string& given = line.positional[1];
  const std::string name = given.find('/') == std::string::npos ? "models/" + given : given;
  ErrorList errors;
  Element element;
  Transformer model;
  const InputError place{"", 0, "describe model: "};
  const std::string path = catalogue_of(line).file_of(name, place, errors);
  if (!path.empty() && read_xml_file(path, place, element, errors)) {
    if (element.name == "model")
      read_transformer(element, model, errors);
    else
      errors.add(element.error("catalogue entry '" + name + "' is a <" + element.name + ">, no <model>"));
  }
  errors.throw_if_any();
  return model_text(name, model);
}

}  // namespace lightrail
