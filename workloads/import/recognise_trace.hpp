#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

/// What a file is, by how it begins.
struct RecognisedTrace {
  std::string format;  ///< name of a TraceFormat, "lightrail": our own, "": none
  std::string what;    ///< "a JSON trace of PyTorch's profiler"
  std::string advice;  ///< what to do with a file that cannot be imported as it is, else ""
};

/// Nothing for a file that looks like none of them. Throws as GzipFile does.
[[nodiscard]] std::optional<RecognisedTrace> recognise_trace(const std::string& path);

/// The same of the text with which a file begins.
[[nodiscard]] std::optional<RecognisedTrace> recognise_beginning(const std::string& text);

/// The format of these files, by the first one that is recognised. Throws InputErrors when none is, when two
/// are of different formats, and for one that cannot be imported as it is.
[[nodiscard]] RecognisedTrace recognise_traces(const std::vector<std::string>& files);

/// "this is a JSON trace of PyTorch's profiler (format kineto)", or what to do with it.
[[nodiscard]] std::string sentence_of(const RecognisedTrace& trace);

/// A refusal of `file` that says first what it is.
[[nodiscard]] InputErrors refused_as(const std::string& file, std::string what, const InputErrors& problem);

}  // namespace lightrail
