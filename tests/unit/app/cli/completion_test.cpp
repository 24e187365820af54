#include "app/cli/completion.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/create/decide_scenario.hpp"
#include "engine/base/error.hpp"
#include "workloads/program/collective_names.hpp"

namespace lightrail {

using Catch::Matchers::Contains;

TEST_CASE("the script has every command with every option of it") {
  const std::string script = completion_script("bash");
  for (const CommandDoc& command : command_docs()) {
    CAPTURE(command.name);
    CHECK_THAT(script, Contains(std::string("      ") + command.name + ") offers=\"--"));
    for (const OptionDoc& option : option_docs())
      CHECK_THAT(script, Contains(std::string("--") + option.name));
  }
  CHECK_THAT(script, Contains("catalogue:2) offers=\"list search show\"") &&
                         Contains("trace:2) offers=\"import generate show\"") &&
                         Contains("completion:2) offers=\"bash zsh\"") && !Contains("run:2)"));
  CHECK_THAT(completion_script("zsh"), Contains("completion:2) offers=\"bash zsh\"") && Contains("compadd"));
  CHECK_THROWS_WITH(completion_script("fish"),
                    "completion: invalid choice 'fish' (one of bash, zsh; did you mean 'bash'?)");
}

TEST_CASE("values that shells offer are those that the command line takes") {
  for (const OptionDoc& option : option_docs()) {
    const std::string values = option.values;
    if (values.empty() || values.back() == '/') continue;
    std::istringstream in(values);
    for (const std::string& value : std::vector<std::string>{std::istream_iterator<std::string>(in), {}}) {
      CAPTURE(option.name, value);
      std::string command;
      for (const CommandDoc& c : command_docs())
        if (command.empty() && option.applies_to(c.command)) command = c.name;
      const std::string name = std::string("--") + option.name;
      const std::vector<const char*> words{"lightrail", command.c_str(), "x.xml", name.c_str(),
                                           value.c_str()};
      CHECK_NOTHROW(parse_command_line(static_cast<int>(words.size()), words.data()));
    }
  }
}

TEST_CASE("what lightrail new offers is what it writes") {
  const auto offered = [](const std::string& option) {
    for (const OptionDoc& o : option_docs())
      if (o.name == option) return std::string(o.values);
    return std::string();
  };
  std::vector<std::string> collectives;
  for (const auto& [name, type] : collective_names()) collectives.push_back(name);
  CHECK(offered("fabric") == fmt::format("{}", fmt::join(new_fabrics(), " ")));
  CHECK(offered("workload") == fmt::format("{}", fmt::join(new_workloads(), " ")));
  CHECK(offered("collective") == fmt::format("{}", fmt::join(collectives, " ")));
}

}  // namespace lightrail
