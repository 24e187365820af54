#pragma once
#include <string>

namespace lightrail {

/// What a file contains; "" where it cannot be read.
[[nodiscard]] std::string read_whole(const std::string& path);

/// Makes or replaces a file: whoever reads it, and whenever a process is killed, it is the old one or all of
/// the new one. Writes `path`.part first. Throws IoError where it cannot be written.
void write_whole(const std::string& path, const std::string& text);

}  // namespace lightrail
