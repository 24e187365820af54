#pragma once
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"

namespace lightrail {

/// What makes the HTML page of the line's results: Python with the package lightrail_post, as
/// `python3 -m lightrail_post report RESULT... --html PAGE`. The page is --out, else it is called as the
/// first result.
[[nodiscard]] std::vector<std::string> report_words(const CommandLine& line);

/// Becomes that program, which finds the package where this one lies. Comes back only by InputErrors: where a
/// result does not exist or Python cannot be started.
void become_report(const CommandLine& line);

}  // namespace lightrail
