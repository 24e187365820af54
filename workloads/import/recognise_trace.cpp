#include "workloads/import/recognise_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "workloads/import/gzip_file.hpp"
#include "workloads/import/trace_formats.hpp"

namespace lightrail {

namespace {

constexpr std::size_t beginning_bytes = 1 << 16;
constexpr const char* pickle_advice =
    "give it as JSON (json.dump(pickle.load(open(FILE, 'rb')), open(FILE + '.json', 'w')))";

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

template <std::size_t n>
bool has_one(std::string_view text, const std::array<const char*, n>& words) {
  for (const char* word : words)
    if (has(text, word)) return true;
  return false;
}

std::optional<RecognisedTrace> recognise_json(std::string_view text) {
  if (has(text, "\"workload_graph\"")) return {{"chakra", "a Chakra trace as JSON", ""}};
  const std::array<const char*, 4> kineto{"\"traceEvents\"", "\"schemaVersion\"", "\"deviceProperties\"",
                                          "\"distributedInfo\""};
  if (has_one(text, kineto) || (has(text, "\"ph\"") && has(text, "\"ts\"")))
    return {{"kineto", "a JSON trace of PyTorch's profiler", ""}};
  if (has(text, "\"schema\"") && has(text, "\"nodes\"")) {
    // chakra_trace_link has put in times; without them the trace only says what was called.
    if (has(text, "\"inclusive_dur\"")) return {{"kineto", "an ET+ of chakra_trace_link", ""}};
    return {{"kineto", "an execution trace of PyTorch, which has no times",
             "give the profiler's traces, and these with execution-traces=\"et_*.json\""}};
  }
  if (has(text, "\"entries\"") && has(text, "\"pg_config\""))
    return {{"kineto", "a dump of PyTorch's NCCL flight recorder", ""}};
  return std::nullopt;
}

std::optional<RecognisedTrace> recognise_xml(std::string_view text) {
  if (has(text, "<algo"))
    return {{"", "an algorithm of MSCCL, no trace", "a scenario takes it as <nccl algorithm=\"file:...\"/>"}};
  if (has(text, "<system") && has(text, "<cpu"))
    return {{"", "NCCL's topology of a server, no trace", "lightrail system import nccl-topo reads it"}};
  if (has(text, "<scenario")) return {{"", "a scenario, no trace", "lightrail run executes it"}};
  return std::nullopt;
}

/// Messages with their length before them: a GlobalMetadata (fields 1 and 2) and then a Node, which has its
/// number or its name first.
bool is_chakra(std::string_view text) {
  std::size_t at = 0;
  const auto length = [&]() -> std::optional<std::size_t> {
    std::size_t value = 0;
    for (int shift = 0; at < text.size() && shift <= 28; shift += 7) {
      const auto byte = static_cast<unsigned char>(text[at++]);
      value |= static_cast<std::size_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
    return std::nullopt;
  };
  const auto first = length();
  if (!first || *first > text.size() - at) return false;
  if (*first > 0 && text[at] != '\x0a' && text[at] != '\x12') return false;
  at += *first;
  if (at == text.size()) return *first > 1;
  const auto second = length();
  return second && *second > 1 && at < text.size() && (text[at] == '\x08' || text[at] == '\x12');
}

std::string_view first_word(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return text.substr(0, text.find_first_of(" \t\r\n:"));
}

bool is_number(std::string_view word) {
  for (char c : word)
    if (!std::isdigit(static_cast<unsigned char>(c))) return false;
  return !word.empty();
}

/// A policy, and the number of rows alone on the second line.
bool is_aicb(std::string_view text) {
  const std::array<std::string_view, 4> policies{"HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER",
                                                 "DATA", "MODEL"};
  const std::string_view policy = first_word(text);
  for (std::string_view known : policies) {
    if (policy != known) continue;
    const std::size_t end = text.find('\n');
    return end != std::string_view::npos && is_number(first_word(text.substr(end)));
  }
  return false;
}

/// A line that begins with the number of ranks; comments may stand before it.
bool is_goal(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (first_word(line) == "num_ranks") return true;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

}  // namespace

std::optional<RecognisedTrace> recognise_beginning(const std::string& text) {
  if (text.starts_with("SQLite format 3")) return {{"nsight", "an SQLite export of Nsight Systems", ""}};
  if (text.starts_with("\x89HDF\r\n"))
    return {{"lightrail", "an HDF5 file, as lightrail writes them",
             "lightrail trace show prints a trace, a scenario takes it as <workload kind=\"trace\" "
             "file=\"...\"/>"}};
  if (is_chakra(text)) return {{"chakra", "a Chakra execution trace", ""}};
  if (text.size() > 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5)
    return {{"kineto", "a pickle, as PyTorch's flight recorder writes it", pickle_advice}};
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return std::nullopt;
  if (text[begin] == '{' || (text[begin] == '[' && has(text, "\"ph\""))) return recognise_json(text);
  if (text[begin] == '<') return recognise_xml(text);
  if (is_goal(text)) return {{"goal", "a GOAL schedule", ""}};
  if (is_aicb(text)) return {{"aicb", "a workload of AICB or SimAI", ""}};
  if (has(text, "comm_type") && has(text, "comm_group"))
    return {{"aicb-csv", "the CSV of a run of AICB", ""}};
  return std::nullopt;
}

std::optional<RecognisedTrace> recognise_trace(const std::string& path) {
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep"))
    return {{"nsight", "a report of Nsight Systems",
             "export it first (nsys export --type sqlite --include-blobs true FILE)"}};
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) return std::nullopt;
  return recognise_beginning(beginning_of(path, beginning_bytes));
}

RecognisedTrace recognise_traces(const std::vector<std::string>& files) {
  std::optional<RecognisedTrace> all;
  std::string first;
  for (const std::string& file : files) {
    std::error_code code;
    if (std::filesystem::is_directory(file, code))
      throw InputErrors(InputError{file, 0, fmt::format("a folder: name its files ('{}/*')", file)});
    const auto one = recognise_trace(file);
    if (!one) continue;
    if (!one->advice.empty()) throw InputErrors(InputError{file, 0, sentence_of(*one)});
    if (all && one->format != all->format)
      throw InputErrors(InputError{
          file, 0,
          fmt::format("this is {}, but {} is {}: an import takes one format", one->what, first, all->what)});
    if (!all) all = one, first = file;
  }
  if (!all)
    throw InputErrors(InputError{
        files.front(), 0,
        fmt::format("looks like no trace that is known (of {}): name the format before the files if it is",
                    fmt::join(trace_format_names(), ", "))});
  return *all;
}

std::string sentence_of(const RecognisedTrace& trace) {
  return trace.advice.empty() ? fmt::format("this is {} (format {})", trace.what, trace.format)
                              : fmt::format("this is {}: {}", trace.what, trace.advice);
}

InputErrors refused_as(const std::string& file, std::string what, const InputErrors& problem) {
  std::vector<InputError> all{{file, 0, std::move(what)}};
  all.insert(all.end(), problem.errors().begin(), problem.errors().end());
  return InputErrors(std::move(all));
}

}  // namespace lightrail
