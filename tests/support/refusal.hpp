#pragma once
#include <string>

#include "engine/base/error.hpp"

namespace lightrail::test {

/// What the first InputError of `call` says, without file and line; "" where it is not refused.
template <class Call>
[[nodiscard]] std::string refusal(Call&& call) {
  try {
    call();
    return "";
  } catch (const InputErrors& problem) {
    return problem.errors().at(0).what;
  }
}

}  // namespace lightrail::test
