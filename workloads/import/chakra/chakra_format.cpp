#include "workloads/import/chakra/chakra.hpp"

#include <memory>
#include <string>

#include "workloads/import/chakra/chakra_json.hpp"

namespace lightrail {

namespace {

Describe<ChakraOptions> table() {
  Describe<ChakraOptions> table;
  table.field("groups-file", &ChakraOptions::groups_file, "process groups as JSON, relative to the scenario")
      .field(
          "ranks", &ChakraOptions::ranks,
          "GPUs, instead of what the files say (chakra: all execute the one file; kineto: with others=same)",
          0u, 1u << 20);
  return table;
}

TraceFormat::Import prepare(const Element& at, ErrorList& errors) {
  ChakraOptions options;
  table().parse(at, options, errors);
  if (!options.groups_file.empty()) options.groups_file = path_beside(at, "groups-file", options.groups_file);
  return [options](const TraceFormat::Files& files, JobOutput& output) {
    ChakraOptions all = options;
    for (const std::string& file : files)
      (file.ends_with(".json") && all.groups_file.empty() && !is_chakra_json(file)
           ? all.groups_file
           : all.files.emplace_back()) = file;
    import_chakra(all, output);
  };
}

}  // namespace

std::shared_ptr<const TraceFormat> chakra_format() {
  auto format = std::make_shared<TraceFormat>();
  format->name = "chakra";
  format->doc = "one .et file a rank of MLCommons Chakra, or its JSON; groups.json names the groups";
  format->parameters = table().documentation();
  format->prepare = prepare;
  return format;
}

}  // namespace lightrail
