#pragma once
#include <string>

namespace lightrail {

/// What a result rests on and its tables do not show: what was simplified, guessed, left out or changed in a
/// plan. Stages say it (ModelPart::remarks); summary, `validate` and the result file show it.
struct Remark {
  std::string about;  ///< "grain", "collectives", "fabric", "plan", "trace": one word
  std::string text;   ///< a sentence without its full stop
};

}  // namespace lightrail
