#include <cstdio>
#include <string>

#include "app/cli/commands.hpp"
#include "app/explain/difference.hpp"
#include "app/explain/explanation.hpp"

namespace lightrail {

ExitCode explain(const CommandLine& line, const MpiSession& mpi) {
  // One process reads; the others would only read the same.
  const std::string text = on_every_rank(mpi, [&]() -> std::string {
    if (mpi.rank() != 0) return "";
    if (line.positional.size() == 1) {
      const Explanation one = read_explanation(line.positional[0]);
      return line.json ? to_json(one) : to_text(one);
    }
    const Difference two = read_difference(line.positional[0], line.positional[1]);
    return line.json ? to_json(two) : to_text(two);
  });
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
