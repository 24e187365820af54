#include "app/cli/man_page.hpp"

#include <fmt/format.h>

#include <string>

#include "app/cli/options.hpp"
#include "engine/record/provenance.hpp"

namespace lightrail {
namespace {

/// Text that roff prints as it is: no hyphens from minus signs, no requests from a line's first character.
std::string plain(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\e";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string option_text(const OptionDoc& option) {
  const std::string argument = *option.argument ? fmt::format(" \\fI{}\\fR", plain(option.argument)) : "";
  return fmt::format(".TP\n\\fB\\-\\-{}\\fR{}\n{}{}\n", plain(option.name), argument, plain(option.doc),
                     option.is_repeatable ? " (may be given several times)" : "");
}

std::string command_text(const CommandDoc& command) {
  std::string text =
      fmt::format(".SS lightrail {} {}\n{}.\n", command.name, plain(command.arguments), plain(command.doc));
  if (const std::string details = command_details(command.command); !details.empty())
    text += fmt::format(".PP\n.nf\n{}.fi\n", plain(details));
  for (const OptionDoc& option : option_docs())
    if (option.applies_to(command.command)) text += option_text(option);
  return text;
}

}  // namespace

std::string man_page() {
  std::string text = fmt::format(
      ".TH LIGHTRAIL 1 \"\" \"lightrail {}\" \"User Commands\"\n"
      ".SH NAME\nlightrail \\- simulate GPU clusters and their networks\n"
      ".SH SYNOPSIS\n\\fBlightrail\\fR \\fICOMMAND\\fR ... [options]\n.br\n"
      "\\fBmpiexec \\-n\\fR \\fIN\\fR \\fBlightrail\\fR ...\n"
      ".SH DESCRIPTION\n"
      "Lightrail replays a captured training step, or runs a generated workload, on a cluster that an XML\n"
      "scenario describes, and writes one HDF5 file. Any number of MPI ranks gives the same answer. Numbers "
      "on\n"
      "the command line carry units as in scenarios: 10 us, 4 MiB.\n"
      ".SH COMMANDS\n",
      plain(software_version()));
  for (const CommandDoc& command : command_docs()) text += command_text(command);
  return text +
         fmt::format(
             ".SH EXIT STATUS\n{}.SH ENVIRONMENT\n"
             ".TP\nLIGHTRAIL_CATALOGUE\nfolder of the catalogue, where \\-\\-catalogue does not name one\n"
             ".TP\nGLIBC_TUNABLES\nset: lightrail does not ask for huge pages of memory\n"
             ".SH SEE ALSO\n.BR mpiexec (1)\n",
             plain(exit_codes_text()));
}

}  // namespace lightrail
