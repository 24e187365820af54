#pragma once
#include <string>

namespace lightrail {

/// A script of `shell`, "bash" or "zsh", that completes commands, options, their values and entries of the
/// catalogue, all from command_docs() and option_docs(). Throws InputErrors for another shell.
[[nodiscard]] std::string completion_script(const std::string& shell);

}  // namespace lightrail
