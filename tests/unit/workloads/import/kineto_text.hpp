#pragma once
#include <string>
#include <vector>

namespace lightrail {

/// Builds the text of a small Kineto trace, one event a call. Times in [us].
class KinetoText {
 public:
  explicit KinetoText(int rank = 0, int world = 1) : rank_(rank), world_(world) {}
  KinetoText& event(const std::string& category, const std::string& name, const std::string& ts,
                    const std::string& dur, const std::string& args, const std::string& tid = "1");
  KinetoText& call(const std::string& name, int ts, int dur, int correlation, const std::string& tid = "1");
  KinetoText& kernel(const std::string& name, int ts, int dur, int correlation, int stream = 7,
                     const std::string& more = "");
  /// A launch of 5 us and its kernel.
  KinetoText& launch(const std::string& name, int call_ts, int ts, int dur, int correlation, int stream = 7,
                     const std::string& more = "");
  std::string text() const;
  std::string events;

 private:
  int rank_, world_;
};

/// Writes the texts as files of a fresh folder and removes them in the end.
class TraceFolder {
 public:
  TraceFolder();
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;
  std::string plain(const std::string& name, const std::string& text);
  std::string gzip(const std::string& name, const std::string& text);
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

/// The text of the first mistake, without the folder of the file; "" when there is none.
std::string refusal(const std::vector<std::string>& files);

}  // namespace lightrail
