#include "workloads/import/kineto/kineto_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <streambuf>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

using nlohmann::json;

constexpr std::size_t longest_capture = 1 << 22;  ///< of one argument's text [B]

/// Passes a JSON text on and looks at the length of its strings: the parser would hold all of one that does
/// not end, and with it the rest of the file.
class StringWatch final : public std::streambuf {
 public:
  StringWatch(std::streambuf& text, std::string path) : text_(text), path_(std::move(path)) {}

 protected:
  int_type underflow() override {
    const std::streamsize got = text_.sgetn(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    if (got <= 0) return traits_type::eof();
    for (std::streamsize i = 0; i < got; ++i, ++position_) look_at(buffer_[static_cast<std::size_t>(i)]);
    setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
    return traits_type::to_int_type(*gptr());
  }

 private:
  void look_at(char c) {
    if (!is_inside_) {
      if (c == '"') is_inside_ = true, begin_ = position_;
      return;
    }
    if (is_escaped_)
      is_escaped_ = false;
    else if (c == '\\')
      is_escaped_ = true;
    else if (c == '"')
      is_inside_ = false;
    if (is_inside_ && position_ - begin_ > longest_capture)
      throw InputErrors(
          InputError{path_, 0,
                     fmt::format("the string that begins at byte {} has over {} bytes (is its end missing?)",
                                 begin_, longest_capture)});
  }

  std::streambuf& text_;
  std::string path_;
  std::array<char, 1 << 16> buffer_{};
  std::size_t position_ = 0, begin_ = 0;
  bool is_inside_ = false, is_escaped_ = false;
};

/// Follows the nesting: 1 document, 2 traceEvents, 3 an event, 4 its args. Values of interest below (lists)
/// and the header's objects are collected as text.
class Handler final : public nlohmann::json_sax<json> {
 public:
  Handler(std::string path, const std::function<void(const KinetoEvent&)>& on_event)
      : path_(std::move(path)), on_event_(on_event) {}

  KinetoHeader header;

  bool null() override { return scalar("null", nullptr); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false", nullptr); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value), value); }
  bool number_unsigned(number_unsigned_t value) override {
    return number(std::to_string(value), static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (!(std::abs(value) < 9e18)) return number(text, 0);
    return number(text, static_cast<std::int64_t>(value));
  }
  bool string(string_t& value) override {
    if (capture_) return put(json(value).dump());
    if (is_event_field()) {
      if (key_ == "ph") event_.phase = value;
      if (key_ == "cat") event_.category = value;
      if (key_ == "name") event_.name = value;
      if (key_ == "tid") event_.thread = value;
      if (key_ == "pid") event_.process = value;
    } else if (is_argument()) {
      text_argument(value);
    }
    return true;
  }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    if (!capture_ && depth_ == 1 && key_ == "distributedInfo") begin_capture(header.distributed_info);
    if (capture_) open('{');
    ++depth_;
    if (!capture_ && depth_ == 3 && in_events_) {
      std::int64_t index = event_index_++;
      event_.clear();
      event_.index = index;
      in_arguments_ = false;
    }
    if (!capture_ && depth_ == 4 && in_events_) in_arguments_ = key_ == "args";
    return true;
  }
  bool key(string_t& value) override {
    if (capture_) return put_key(json(value).dump());
    key_ = value;
    return true;
  }
  bool end_object() override {
    --depth_;
    if (capture_) return close('}');
    if (depth_ == 3) in_arguments_ = false;
    if (depth_ == 2 && in_events_) on_event_(event_);
    return true;
  }
  bool start_array(std::size_t) override {
    if (!capture_ && depth_ == 1 && key_ == "traceEvents") {
      in_events_ = true;
      header.has_events = true;
    } else if (!capture_ && depth_ == 1 && key_ == "deviceProperties") {
      begin_capture(header.device_properties);
    } else if (!capture_ && is_argument()) {
      if (std::string* field = list_field()) begin_capture(*field);
    }
    if (capture_) open('[');
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    if (capture_) return close(']');
    if (depth_ == 1) in_events_ = false;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw InputErrors(InputError{
        path_, 0,
        fmt::format("broken JSON after event {}, at byte {} ({})", event_index_, position, error.what())});
  }

 private:
  [[nodiscard]] bool is_event_field() const { return in_events_ && depth_ == 3; }
  [[nodiscard]] bool is_argument() const { return in_events_ && depth_ == 4 && in_arguments_; }

  bool scalar(const std::string& text, const void*) { return capture_ ? put(text) : true; }

  bool number(const std::string& text, std::int64_t value) {
    if (capture_) return put(text);
    if (is_event_field()) {
      if (key_ == "ts") event_.start_ns = time_of(text);
      if (key_ == "dur") event_.duration_ns = time_of(text);
      if (key_ == "tid") event_.thread = text;
      if (key_ == "pid") event_.process = text;
    } else if (is_argument()) {
      number_argument(value);
    }
    return true;
  }
  [[nodiscard]] std::int64_t time_of(const std::string& text) const {
    if (auto ns = nanoseconds_of_microseconds(text)) return *ns;
    throw InputErrors(InputError{path_, 0,
                                 fmt::format("event {} '{}': {} {} us is out of range", event_.index,
                                             event_.name, key_ == "ts" ? "time" : "duration", text)});
  }
  void number_argument(std::int64_t value) {
    if (key_ == "correlation")
      event_.correlation = value;
    else if (key_ == "stream")
      event_.stream = value;
    else if (key_ == "device")
      event_.device = value;
    else if (key_ == "Record function id")
      event_.record_function = value;
    else if (key_ == "External id")
      event_.external_id = value;
    else if (key_ == "Rank")
      event_.rank = value;
    else if (key_ == "Global rank start")
      event_.first_rank = value;
    else if (key_ == "Global rank stride")
      event_.rank_stride = value;
    else if (key_ == "bytes")
      event_.bytes = value;
    else if (key_ == "wait_on_stream")
      event_.wait_on_stream = value;
    else if (key_ == "wait_on_cuda_event_record_corr_id")
      event_.record_correlation = value;
    else if (key_ == "In msg nelems")
      event_.in_elements = value;
    else if (key_ == "Out msg nelems")
      event_.out_elements = value;
    else if (key_ == "Group size")
      event_.group_size = value;
    else if (key_ == "Src Rank")
      event_.source_rank = value;
    else if (key_ == "Dst Rank")
      event_.target_rank = value;
    else if (key_ == "Process Group Name")
      event_.group_name = std::to_string(value);
  }
  void text_argument(const std::string& value) {
    if (key_ == "Collective name")
      event_.collective = value;
    else if (key_ == "dtype")
      event_.dtype = value;
    else if (key_ == "Process Group Name")
      event_.group_name = value;
    else if (key_ == "Process Group Description")
      event_.group_description = value;
    else if (std::string* field = list_field())
      *field = value;
  }
  std::string* list_field() {
    if (key_ == "Process Group Ranks") return &event_.group_ranks;
    if (key_ == "In split size") return &event_.in_split.emplace();
    if (key_ == "Out split size") return &event_.out_split.emplace();
    if (key_ == "Input Dims") return &event_.input_dims;
    if (key_ == "Input type") return &event_.input_types;
    if (key_ == "Concrete Inputs") return &event_.concrete_inputs;
    return nullptr;
  }

  void begin_capture(std::string& target) {
    capture_ = &target;
    capture_depth_ = depth_;
    target.clear();
  }
  bool put(const std::string& text) {
    if (!capture_->empty() && capture_->back() != '[' && capture_->back() != ':' && capture_->back() != '{')
      *capture_ += ',';
    *capture_ += text;
    if (capture_->size() > longest_capture)
      throw InputErrors(InputError{path_, 0,
                                   fmt::format("event {} '{}': argument of over {} bytes", event_.index,
                                               event_.name, longest_capture)});
    return true;
  }
  bool put_key(const std::string& text) {
    put(text);
    *capture_ += ':';
    return true;
  }
  void open(char bracket) { put(std::string(1, bracket)); }
  bool close(char bracket) {
    *capture_ += bracket;
    if (depth_ == capture_depth_) capture_ = nullptr;
    return true;
  }

  std::string path_;
  const std::function<void(const KinetoEvent&)>& on_event_;
  KinetoEvent event_;
  std::int64_t event_index_ = 0;
  int depth_ = 0;
  bool in_events_ = false, in_arguments_ = false;
  std::string key_;
  std::string* capture_ = nullptr;
  int capture_depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> nanoseconds_of_microseconds(const std::string& text) {
  if (text.find_first_of("eE") != std::string::npos) {
    double us = std::strtod(text.c_str(), nullptr);
    if (!(std::abs(us) < 9e15)) return std::nullopt;
    return std::llround(us * 1e3);
  }
  std::size_t dot = text.find('.');
  bool is_negative = !text.empty() && text[0] == '-';
  std::string whole =
      text.substr(is_negative ? 1 : 0, dot == std::string::npos ? dot : dot - (is_negative ? 1 : 0));
  if (whole.empty() || whole.size() > 16 || whole > std::string(16, '9')) return std::nullopt;
  std::string fraction = dot == std::string::npos ? "" : text.substr(dot + 1);
  fraction.resize(3, '0');
  std::int64_t us = std::strtoll(whole.c_str(), nullptr, 10);
  if (us > 9'000'000'000'000'000) return std::nullopt;
  std::int64_t ns = us * 1000 + std::strtoll(fraction.c_str(), nullptr, 10);
  return is_negative ? -ns : ns;
}

KinetoHeader read_kineto(std::streambuf& text, const std::string& path,
                         const std::function<void(const KinetoEvent&)>& on_event) {
  Handler handler(path, on_event);
  StringWatch watch(text, path);
  std::istream stream(&watch);
  json::sax_parse(stream, &handler);
  if (!handler.header.has_events)
    throw InputErrors(InputError{path, 0, "no 'traceEvents' (expected a Kineto trace in Chrome JSON)"});
  return handler.header;
}

}  // namespace lightrail
