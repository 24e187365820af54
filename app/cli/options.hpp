#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lightrail {

enum class Command : std::uint8_t {
  help,
  version,
  run,
  validate,
  describe,
  sweep,
  trace,
  system,
  collective,
  explain,
  report,
  goodput,
  ladder,
  plan,
  catalogue,
  create,
  completion,
  man
};

struct CommandDoc {
  Command command;
  const char* name;
  const char* arguments;
  const char* doc;
  std::size_t min_arguments, max_arguments;  ///< positional ones
};

/// An option, and the commands it has an effect on. Given to another command it is an error, never ignored.
struct OptionDoc {
  const char* name;
  const char* argument;  ///< "": a switch
  std::vector<Command> commands;
  const char* doc;
  bool is_repeatable = false;
  const char* values =
      "";  ///< what shells complete: "auto bar", or a kind of the catalogue's entries, "servers/"

  [[nodiscard]] bool applies_to(Command command) const;
};

[[nodiscard]] const std::vector<CommandDoc>& command_docs();
[[nodiscard]] const std::vector<OptionDoc>& option_docs();

/// What a command's parts are, a line each; "" for one that has none.
[[nodiscard]] std::string command_details(Command command);

/// "0 done, 1 our bug, ...".
[[nodiscard]] const char* exit_codes_text();

/// What `lightrail --help` prints; with a command what `lightrail COMMAND --help` prints.
[[nodiscard]] std::string usage_text();
[[nodiscard]] std::string usage_text(const CommandDoc& command);

}  // namespace lightrail
