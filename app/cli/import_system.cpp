#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "app/cli/check_outputs.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/named_attribute.hpp"
#include "fabrics/import/system_format.hpp"

namespace lightrail {

namespace {

std::string import_to(const CommandLine& line) {
  if (line.positional.front() != "import")
    throw InputErrors(InputError{"", 0, "system: " + invalid_choice(line.positional.front(), {"import"})});
  std::vector<std::string> files, notes;
  std::vector<Attribute> attributes;
  for (std::size_t i = 2; i < line.positional.size(); ++i) {
    if (auto attribute = named_attribute(line.positional[i]))
      attributes.push_back(*attribute);
    else
      files.push_back(line.positional[i]);
  }
  std::string text = import_system(line.positional[1], files, attributes, line.typed, notes);
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  if (line.out.empty()) return text;
  for (const Attribute& attribute : attributes)
    if (attribute.name == "routes") files.push_back(attribute.value);
  refuse_to_overwrite("--out", line.out, files);
  std::ofstream out(line.out, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw IoError(line.out + ": cannot be written");
  return "written to " + line.out + "\n";
}

}  // namespace

ExitCode import_system_command(const CommandLine& line, const MpiSession& mpi) {
  auto text = on_every_rank(mpi, [&]() -> std::string { return mpi.rank() == 0 ? import_to(line) : ""; });
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
