#include "app/cli/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/options.hpp"
#include "engine/base/error.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

using Words = std::vector<std::string>;

/// What stands behind the commands that have parts: "list|search|show ...".
Words parts_of(const CommandDoc& command) {
  std::istringstream in(command.arguments);
  std::string first;
  in >> first;
  if (first.empty() || first[0] < 'a' || first[0] > 'z') return {};
  std::replace(first.begin(), first.end(), '|', ' ');
  std::istringstream parts(first);
  return {std::istream_iterator<std::string>(parts), {}};
}

Words options_of(const CommandDoc& command) {
  Words words;
  for (const OptionDoc& option : option_docs())
    if (option.applies_to(command.command)) words.push_back(std::string("--") + option.name);
  words.emplace_back("--help");
  return words;
}

/// `value)` of a case that gives these words.
std::string words_case(const std::string& value, const Words& words) {
  return fmt::format("      {}) words=\"{}\" ;;\n", value, fmt::join(words, " "));
}

/// A kind of the catalogue, as "servers/", stands for its entries.
std::string values_case(const OptionDoc& option) {
  const std::string values = option.values;
  if (values.empty() || values.back() != '/')
    return fmt::format("      --{}) words=\"{}\" ;;\n", option.name, values);
  return fmt::format("      --{}) words=$(_lightrail_entries {} | sed 's,^{},,') ;;\n", option.name,
                     values.substr(0, values.size() - 1), values);
}

std::string value_cases() {
  std::string text;
  Words others;
  for (const OptionDoc& option : option_docs())
    if (*option.values)
      text += values_case(option);
    else if (*option.argument)
      others.push_back(std::string("--") + option.name);
  // Files, or what nobody can list: the shell's own.
  return text + fmt::format("      {}) return ;;\n", fmt::join(others, "|"));
}

std::string bash_script() {
  Words commands;
  std::string options, parts;
  for (const CommandDoc& command : command_docs()) {
    commands.emplace_back(command.name);
    options += words_case(command.name, options_of(command));
    if (const Words words = parts_of(command); !words.empty())
      parts += words_case(std::string(command.name) + ":2", words);
  }
  Words first = commands;
  first.insert(first.end(), {"--help", "--version"});
  return fmt::format(
      "# Completes lightrail; made by lightrail completion, from its table of options.\n"
      "_lightrail_entries() {{ \"${{COMP_WORDS[0]}}\" catalogue list \"$@\" 2>/dev/null | sed 's/ .*//'; "
      "}}\n\n"
      "_lightrail() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} words=\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    words=\"{}\"\n"
      "  else\n"
      "    case ${{COMP_WORDS[COMP_CWORD-1]}} in\n{}    esac\n"
      "    if [[ -z $words && $current == -* ]]; then\n"
      "      case $command in\n{}      esac\n"
      "    elif [[ -z $words ]]; then\n"
      "      case $command:$COMP_CWORD in\n{}"
      "      catalogue:3)\n"
      "        [[ ${{COMP_WORDS[2]}} == show ]] && words=$(_lightrail_entries)\n"
      "        [[ ${{COMP_WORDS[2]}} == list ]] && words=$(_lightrail_entries | sed 's,/.*,,' | uniq) ;;\n"
      "      esac\n"
      "    fi\n"
      "  fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "}}\n"
      "complete -o default -F _lightrail lightrail\n",
      fmt::join(first, " "), value_cases(), options, parts);
}

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_script();
  // zsh runs bash's function; files are completed by it where that has no words.
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script();
  throw InputErrors(InputError{"", 0, "completion: " + invalid_choice(shell, {"bash", "zsh"})});
}

}  // namespace lightrail
