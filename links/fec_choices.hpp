#pragma once
#include <string>
#include <utility>
#include <vector>

#include "links/fec.hpp"

namespace lightrail {

/// The names of the codes in a scenario.
[[nodiscard]] inline std::vector<std::pair<std::string, Fec>> fec_choices() {
  return {{"none", Fec::none},
          {"rs-528-514", Fec::rs_528_514},
          {"rs-544-514", Fec::rs_544_514},
          {"rs-272-257", Fec::rs_272_257}};
}

}  // namespace lightrail
