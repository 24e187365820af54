#include "tests/unit/workloads/import/kineto_text.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "engine/base/error.hpp"
#include "workloads/import/kineto/kineto.hpp"

namespace lightrail {

KinetoText& KinetoText::event(const std::string& category, const std::string& name, const std::string& ts,
                              const std::string& dur, const std::string& args, const std::string& tid) {
  if (!events.empty()) events += ",\n";
  events += fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
      category, name, tid, ts, dur, args);
  return *this;
}

KinetoText& KinetoText::call(const std::string& name, int ts, int dur, int correlation,
                             const std::string& tid) {
  return event("cuda_runtime", name, std::to_string(ts), std::to_string(dur),
               fmt::format("\"correlation\": {}", correlation), tid);
}

KinetoText& KinetoText::kernel(const std::string& name, int ts, int dur, int correlation, int stream,
                               const std::string& more) {
  bool is_copy = name.rfind("Memcpy", 0) == 0;
  return event(is_copy ? "gpu_memcpy" : "kernel", name, std::to_string(ts), std::to_string(dur),
               fmt::format("\"stream\": {}, \"correlation\": {}{}", stream, correlation,
                           more.empty() ? "" : ", " + more));
}

KinetoText& KinetoText::launch(const std::string& name, int call_ts, int ts, int dur, int correlation,
                               int stream, const std::string& more) {
  call(name.rfind("Memcpy", 0) == 0 ? "cudaMemcpyAsync" : "cudaLaunchKernel", call_ts, 5, correlation);
  return kernel(name, ts, dur, correlation, stream, more);
}

std::string KinetoText::text() const {
  return fmt::format(
      R"({{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": {}}}, "traceEvents": [{}], "traceName": "x"}})",
      rank_, world_, events);
}

TraceFolder::TraceFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "lightrail_trace_XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
}

TraceFolder::~TraceFolder() {
  std::filesystem::remove_all(folder_);
}

std::string TraceFolder::plain(const std::string& name, const std::string& text) {
  std::ofstream(path(name)) << text;
  return path(name);
}

std::string TraceFolder::gzip(const std::string& name, const std::string& text) {
  gzFile file = gzopen(path(name).c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path(name);
}

std::string refusal(const std::vector<std::string>& files) {
  try {
    KinetoOptions options;
    options.files = files;
    (void)import_kineto(options);
    return "";
  } catch (const InputErrors& problem) {
    std::string text = to_string(problem.errors()[0]);
    std::string folder = std::filesystem::path(files[0]).parent_path().string() + "/";
    for (std::size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
    return text;
  }
}

}  // namespace lightrail
