#pragma once
#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>

#include "workloads/import/kineto/kineto_event.hpp"

namespace lightrail {

/// What a trace says about itself outside its events.
struct KinetoHeader {
  std::string distributed_info;   ///< JSON text of "distributedInfo", or ""
  std::string device_properties;  ///< JSON text of "deviceProperties", or ""
  bool has_events = false;
};

/// Reads one Kineto trace as a stream: `on_event` sees every element of traceEvents once, in file order, and
/// must copy what it keeps; memory does not grow with the file. `path` is for messages. Throws InputErrors
/// for broken JSON, for a document that is no trace, and what on_event throws.
[[nodiscard]] KinetoHeader read_kineto(std::streambuf& text, const std::string& path,
                                       const std::function<void(const KinetoEvent&)>& on_event);

/// Microseconds as written ("1706850122846038.123") -> [ns], exact; nothing when out of range.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of_microseconds(const std::string& text);

}  // namespace lightrail
