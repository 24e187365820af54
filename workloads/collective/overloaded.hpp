#pragma once

namespace lightrail {

/// One function object of several lambdas, for std::visit: a variant's alternative that none takes does not
/// compile.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace lightrail
