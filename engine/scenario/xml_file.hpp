#pragma once
#include <string>

#include "engine/scenario/element.hpp"

namespace lightrail {

/// Reads one XML file as it stands: nothing included, nothing substituted, every element and attribute with
/// its line. <doc> is dropped; text is allowed in <doc> and <source> only. False: nothing usable, `errors`
/// says why. `referrer`: where the file was asked for, for a file that cannot be read.
[[nodiscard]] bool read_xml_file(const std::string& path, const InputError& referrer, Element& root,
                                 ErrorList& errors);

}  // namespace lightrail
