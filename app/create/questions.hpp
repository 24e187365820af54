#pragma once
#include <iosfwd>

#include "app/create/new_scenario.hpp"
#include "engine/scenario/catalogue.hpp"
#include "engine/scenario/merge_entry.hpp"

namespace lightrail {

/// Asks on `out` what a scenario needs, each with its usual answer, which an empty line takes; an answer that
/// is none of the choices is asked again. Throws InputErrors where `in` ends before the last answer.
[[nodiscard]] NewOptions ask_for_options(std::istream& in, std::ostream& out, const Catalogue& catalogue,
                                         const ChildIdentities& identities);

}  // namespace lightrail
