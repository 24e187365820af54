#include "app/create/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "app/create/decide_scenario.hpp"
#include "engine/base/error.hpp"
#include "engine/scenario/scenario.hpp"
#include "engine/scenario/units.hpp"
#include "workloads/program/collective_names.hpp"

namespace lightrail {
namespace {

using Names = std::vector<std::string>;

class Questions {
 public:
  Questions(std::istream& in, std::ostream& out) : in_(in), out_(out) {}

  std::string choice(const std::string& question, const Names& choices, const std::string& usual) {
    out_ << fmt::format("{}: {}\n", question, fmt::join(choices, ", "));
    while (true) {
      std::string answer = line(usual);
      if (std::find(choices.begin(), choices.end(), answer) != choices.end()) return answer;
      const std::string guess = did_you_mean(answer, choices);
      out_ << fmt::format("  '{}' is none of these{}\n", answer,
                          guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess));
    }
  }

  std::uint32_t number(const std::string& question, std::uint32_t usual) {
    out_ << question << "\n";
    while (true) {
      std::uint32_t value = 0;
      const std::string answer = line(std::to_string(usual));
      if (parse_value(answer, value).empty() && value > 0) return value;
      out_ << fmt::format("  '{}' is no number of servers\n", answer);
    }
  }

  std::string text(const std::string& question) {
    out_ << question << "\n";
    while (true)
      if (std::string answer = line(""); !answer.empty()) return answer;
  }

 private:
  std::string line(const std::string& usual) {
    out_ << (usual.empty() ? "> " : fmt::format("[{}] > ", usual)) << std::flush;
    std::string answer;
    if (!std::getline(in_, answer))
      throw InputErrors(InputError{"", 0, "new: the answers ended before the last question"});
    const std::size_t first = answer.find_first_not_of(" \t\r");
    if (first == std::string::npos) return usual;
    return answer.substr(first, answer.find_last_not_of(" \t\r") - first + 1);
  }

  std::istream& in_;
  std::ostream& out_;
};

}  // namespace

NewOptions ask_for_options(std::istream& in, std::ostream& out, const Catalogue& catalogue,
                           const ChildIdentities& identities) {
  Questions ask(in, out);
  NewOptions options;
  options.workload = ask.choice("What do the GPUs do?", new_workloads(), new_workloads().front());
  if (options.workload == "collective") {
    Names names;
    for (const auto& [name, type] : collective_names()) names.push_back(name);
    options.collective = ask.choice("Which collective?", names, "all-reduce");
  } else if (options.workload == "trace") {
    options.trace = ask.text("Which trace? (a file that lightrail trace import has written)");
  } else {
    options.model = ask.choice("Which model?", names_of_kind(catalogue, "models"), "llama3_8b");
  }
  options.server = ask.choice("Which server?", new_servers(catalogue, identities), "dgx_h100");
  options.fabric = ask.choice("Which network?", new_fabrics(), new_fabrics().front());
  // Of a trace its ranks say how many, and without a network there is one.
  if (options.workload != "trace" && options.fabric != "none")
    options.servers = ask.number("How many servers?", 4);
  return options;
}

}  // namespace lightrail
