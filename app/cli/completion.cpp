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
  return fmt::format("      {}) offers=\"{}\" ;;\n", value, fmt::join(words, " "));
}

/// A kind of the catalogue, as "servers/", stands for its entries.
std::string values_case(const OptionDoc& option) {
  const std::string values = option.values;
  if (values.empty() || values.back() != '/')
    return fmt::format("      --{}) offers=\"{}\" ;;\n", option.name, values);
  return fmt::format("      --{}) offers=$(_lightrail_entries {} | sed 's,^{},,') ;;\n", option.name,
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
  // Files, or what nobody can list: nothing of ours, whatever is typed.
  return text + fmt::format("      {}) current= command= ;;\n", fmt::join(others, "|"));
}

/// The function's heart, the same in both shells: from $command, the word before the cursor, the number of
/// that at the cursor and what is typed of it to $offers; where files are to be offered, none.
std::string choice_of_offers() {
  Words commands;
  std::string options, parts;
  for (const CommandDoc& command : command_docs()) {
    commands.emplace_back(command.name);
    options += words_case(command.name, options_of(command));
    if (const Words words = parts_of(command); !words.empty())
      parts += words_case(std::string(command.name) + ":2", words);
  }
  commands.insert(commands.end(), {"--help", "--version"});
  return fmt::format(
      "  if ((place == 1)); then\n"
      "    offers=\"{}\"\n"
      "  else\n"
      "    case $previous in\n{}    esac\n"
      "    if [[ -z $offers && $current == -* ]]; then\n"
      "      case $command in\n{}      esac\n"
      "    elif [[ -z $offers ]]; then\n"
      "      case $command:$place in\n{}"
      "      catalogue:3)\n"
      "        [[ $previous == show ]] && offers=$(_lightrail_entries)\n"
      "        [[ $previous == list ]] && offers=$(_lightrail_entries | sed 's,/.*,,' | uniq) ;;\n"
      "      esac\n"
      "    fi\n"
      "  fi\n",
      fmt::join(commands, " "), value_cases(), options, parts);
}

const char* const made_by =
    "# Completes lightrail; made by lightrail completion, from its table of options.\n";

std::string entries_function(const char* program) {
  return fmt::format(
      "_lightrail_entries() {{ \"{}\" catalogue list \"$@\" 2>/dev/null | sed 's/ .*//'; }}\n\n", program);
}

std::string bash_script() {
  return fmt::format(
      "{}{}"
      "_lightrail() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local command=${{COMP_WORDS[1]}} place=$COMP_CWORD offers=\n"
      "  COMPREPLY=()\n"
      "{}"
      "  mapfile -t COMPREPLY < <(compgen -W \"$offers\" -- \"$current\")\n"
      "}}\n"
      "complete -o default -F _lightrail lightrail\n",
      made_by, entries_function("${COMP_WORDS[0]}"), choice_of_offers());
}

/// zsh counts the words of a line from 1, and does not split $offers by itself.
std::string zsh_script() {
  return fmt::format(
      "#compdef lightrail\n{}{}"
      "_lightrail() {{\n"
      "  local current=${{words[CURRENT]}} previous=${{words[CURRENT-1]}}\n"
      "  local command=${{words[2]}} place=$((CURRENT - 1)) offers=\n"
      "{}"
      "  if [[ -n $offers ]]; then\n"
      "    compadd -- ${{=offers}}\n"
      "  else\n"
      "    _files\n"
      "  fi\n"
      "}}\n"
      "compdef _lightrail lightrail\n",
      made_by, entries_function("${(Q)words[1]}"), choice_of_offers());
}

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  throw InputErrors(InputError{"", 0, "completion: " + invalid_choice(shell, {"bash", "zsh"})});
}

}  // namespace lightrail
