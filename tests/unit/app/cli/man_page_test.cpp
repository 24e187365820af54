#include "app/cli/man_page.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "app/cli/options.hpp"

namespace lightrail {

using Catch::Matchers::Contains;

TEST_CASE("the page has every command, and each option where it applies") {
  const std::string page = man_page();
  CHECK(page.rfind(".TH LIGHTRAIL 1 ", 0) == 0);
  for (const CommandDoc& command : command_docs())
    CHECK_THAT(page, Contains(std::string(".SS lightrail ") + command.name));
  std::size_t found = 0, wanted = 0;
  for (std::size_t at = page.find(".TP\n\\fB"); at != std::string::npos; at = page.find(".TP\n\\fB", at + 1))
    ++found;
  for (const CommandDoc& command : command_docs())
    for (const OptionDoc& option : option_docs()) wanted += option.applies_to(command.command);
  CHECK(found == wanted);
  CHECK_THAT(page, Contains("\\fB\\-\\-set\\fR \\fINAME=VALUE\\fR\n") && Contains("75 stopped early") &&
                       Contains("trace import [FORMAT]") && Contains("LIGHTRAIL_CATALOGUE"));
}

TEST_CASE("no line of text is taken for a request") {
  const std::string page = man_page();
  for (std::size_t at = page.find("\n'"); at != std::string::npos; at = page.find("\n'", at + 1)) FAIL(at);
  CHECK(page.find(" --") == std::string::npos);
}

}  // namespace lightrail
