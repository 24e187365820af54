#include "engine/record/write_model.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/model/kind.hpp"
#include "engine/model/model_notes.hpp"

namespace lightrail {

namespace {

void write_components(ResultFile& file, const Model& model) {
  const auto& all = model.components;
  const std::size_t rows = all.size();
  file.create_group("/model/components");
  file.set_attribute("/model/components", "doc",
                     "row i is component i; spec: which rows of /model/params/<kind>");
  file.write_texts("/model/components/kind", rows, [&](auto i) { return model.kinds[all[i].kind]->name; });
  file.write_texts("/model/components/name", rows,
                   [&](auto i) { return model.component_name(ComponentId{static_cast<std::uint32_t>(i)}); });
  file.write_numbers("/model/components/id", "1", rows, [](auto i) { return static_cast<std::int64_t>(i); });
  file.write_numbers("/model/components/atom", "1", rows, [&](auto i) { return all[i].atom.value; });
  file.write_numbers("/model/components/spec", "1", rows, [&](auto i) { return all[i].spec; });
  file.write_numbers("/model/components/number", "1", rows, [&](auto i) { return all[i].number; });
}

void write_links(ResultFile& file, const Model& model) {
  const auto& all = model.links;
  const std::size_t rows = all.size();
  file.create_group("/model/links");
  file.set_attribute("/model/links", "doc", "row i is directed link i; 2k and 2k + 1 are one cable");
  file.write_numbers("/model/links/from", "1", rows, [&](auto i) { return all[i].from.value; });
  file.write_numbers("/model/links/to", "1", rows, [&](auto i) { return all[i].to.value; });
  file.write_numbers("/model/links/from_port", "1", rows, [&](auto i) { return all[i].from_port; });
  file.write_numbers("/model/links/to_port", "1", rows, [&](auto i) { return all[i].to_port; });
  file.write_numbers("/model/links/link_class", "1", rows, [&](auto i) { return all[i].link_class; });
  file.write_numbers("/model/links/latency_ps", "ps", rows,
                     [&](auto i) { return model.link_classes[all[i].link_class].latency.count(); });
  file.write_numbers("/model/links/rate_bit_per_s", "bit/s", rows,
                     [&](auto i) { return model.link_classes[all[i].link_class].rate.value; });
}

void write_link_classes(ResultFile& file, const Model& model) {
  const auto& all = model.link_classes;
  const std::size_t rows = all.size();
  file.create_group("/model/link_classes");
  file.write_texts("/model/link_classes/name", rows, [&](auto i) { return all[i].name; });
  file.write_texts("/model/link_classes/medium", rows, [&](auto i) { return all[i].medium; });
  file.write_numbers("/model/link_classes/latency_ps", "ps", rows,
                     [&](auto i) { return all[i].latency.count(); });
  file.write_numbers("/model/link_classes/rate_bit_per_s", "bit/s", rows,
                     [&](auto i) { return all[i].rate.value; });
  file.write_numbers("/model/link_classes/mtu_bytes", "B", rows, [&](auto i) { return all[i].mtu_bytes; });
  file.write_numbers("/model/link_classes/grain", "1", rows, [&](auto i) { return all[i].grain; });
  file.write_reals("/model/link_classes/energy_pj_per_bit", "pJ/bit", rows,
                   [&](auto i) { return all[i].energy_pj_per_bit; });
}

struct Parameter {
  std::int64_t spec = 0;
  ParameterValue value;
};

void write_parameter_rows(ResultFile& file, const std::string& path, const char* index,
                          const std::vector<Parameter>& all) {
  const std::size_t rows = all.size();
  file.create_group(path);
  file.write_numbers(path + "/" + index, "1", rows, [&](auto i) { return all[i].spec; });
  file.write_texts(path + "/name", rows, [&](auto i) { return all[i].value.name; });
  file.write_texts(path + "/value", rows, [&](auto i) { return all[i].value.value; });
  file.write_texts(path + "/unit", rows, [&](auto i) { return all[i].value.unit; });
  file.write_texts(path + "/source", rows, [&](auto i) { return all[i].value.source; });
}

/// Every effective value of what is no component: links by link class, fabrics.
void write_declared_parameters(ResultFile& file, const Model& model) {
  std::map<std::string, std::vector<Parameter>> by_element;
  for (const DeclaredParameter& row : model.parameters)
    by_element[row.element].push_back({row.index, row.value});
  for (const auto& [element, all] : by_element)
    write_parameter_rows(file, "/model/params/" + element, element == "link" ? "link_class" : "index", all);
}

/// Every effective value of the specs that components of this kind use.
void write_parameters(ResultFile& file, const Model& model, std::size_t kind) {
  std::set<std::uint32_t> specs;
  for (const auto& component : model.components)
    if (component.kind == kind) specs.insert(component.spec);
  std::vector<Parameter> all;
  const ComponentKind& described = *model.kinds[kind];
  for (std::uint32_t spec : specs)
    if (described.values)
      for (auto& value : described.values(*model.specs.at(spec))) all.push_back({spec, std::move(value)});
  write_parameter_rows(file, "/model/params/" + described.name, "spec", all);
}

/// What the stages have to say beside the tables.
void write_notes(ResultFile& file, const ModelNotes& notes) {
  for (const ModelNotes::Folder& folder : notes.folders) {
    const std::string path = "/model/" + folder.path;
    file.create_group(path);
    if (!folder.doc.empty()) file.set_attribute(path, "doc", folder.doc);
    for (const ModelNotes::Column& column : folder.columns) {
      const std::string at = path + "/" + column.name;
      if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&column.values))
        file.write_numbers(at, "1", numbers->size(), [&](auto i) { return (*numbers)[i]; });
      else if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values))
        file.write_texts(at, texts->size(), [&](auto i) { return (*texts)[i]; });
      else if (const auto* later = std::get_if<ModelNotes::Numbers>(&column.values))
        file.write_numbers(at, "1", later->rows, later->at);
    }
  }
}

}  // namespace

void write_model(ResultFile& file, const Model& model) {
  file.create_group("/model");
  file.set_attribute("/model", "seed", static_cast<std::int64_t>(model.seed));
  write_components(file, model);
  write_links(file, model);
  write_link_classes(file, model);
  file.create_group("/model/params");
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) write_parameters(file, model, kind);
  write_declared_parameters(file, model);
  if (const auto* notes = model.resource<ModelNotes>()) write_notes(file, *notes);
  file.write_texts("/names", model.names.size(), [&](auto i) { return model.names[i]; });
  file.write_texts("/dimensions", model.dimensions.size(), [&](auto i) { return model.dimensions[i]; });
}

}  // namespace lightrail
