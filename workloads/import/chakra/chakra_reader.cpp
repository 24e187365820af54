#include "workloads/import/chakra/chakra_reader.hpp"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <limits>

#include "engine/base/error.hpp"
#include "workloads/import/chakra/chakra.pb.h"
#include "workloads/import/chakra/chakra_json.hpp"
#include "workloads/import/gzip_file.hpp"

namespace lightrail {

namespace {

constexpr std::uint32_t longest_message = 1 << 28;

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(path) {}

  /// The next message's bytes; false at the end.
  bool next() {
    ++index_;
    int c = file_.sbumpc();
    if (c == EOF) return false;
    std::uint32_t length = 0;
    for (int shift = 0;; shift += 7) {
      if (c == EOF) fail("its length ends early (truncated file)");
      if (shift > 28) fail("a length of more than 32 bits (is this a Chakra trace?)");
      length |= static_cast<std::uint32_t>(c & 0x7f) << shift;
      if (!(c & 0x80)) break;
      c = file_.sbumpc();
    }
    if (length > longest_message)
      fail(fmt::format("a message of {} bytes (is this a Chakra trace?)", length));
    // A damaged length must not become memory: what is not there is not asked for.
    bytes_.clear();
    while (bytes_.size() < length) {
      const std::size_t part = std::min<std::size_t>(length - bytes_.size(), 1 << 16), at = bytes_.size();
      bytes_.resize(at + part);
      if (file_.sgetn(bytes_.data() + at, static_cast<std::streamsize>(part)) !=
          static_cast<std::streamsize>(part))
        fail(fmt::format("{} bytes are announced, but the file ends (truncated)", length));
    }
    return true;
  }
  template <class Message>
  void parse(Message& message) const {
    google::protobuf::LogSilencer silent;  // the library would print what it thinks of damaged text
    if (!message.ParseFromString(bytes_)) fail("damaged: not a message of a Chakra trace");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputErrors(InputError{path_, 0, fmt::format("message {}: {}", index_, what)});
  }

 private:
  std::string path_;
  GzipFile file_;
  std::string bytes_;
  std::int64_t index_ = -1;
};

std::int64_t clipped(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
}

/// Writers differ in the kind of integer.
std::optional<std::int64_t> integer_of(const chakra::Attribute& a) {
  using A = chakra::Attribute;
  switch (a.value_case()) {
    case A::kInt32Value:
      return a.int32_value();
    case A::kInt64Value:
      return a.int64_value();
    case A::kUint32Value:
      return a.uint32_value();
    case A::kUint64Value:
      return clipped(a.uint64_value());
    case A::kSint32Value:
      return a.sint32_value();
    case A::kSint64Value:
      return a.sint64_value();
    case A::kFixed32Value:
      return a.fixed32_value();
    case A::kFixed64Value:
      return clipped(a.fixed64_value());
    case A::kSfixed32Value:
      return a.sfixed32_value();
    case A::kSfixed64Value:
      return a.sfixed64_value();
    case A::kBoolValue:
      return a.bool_value();
    default:
      return std::nullopt;
  }
}

std::optional<std::string> text_of(const chakra::Attribute& a) {
  if (a.value_case() == chakra::Attribute::kStringValue) return a.string_value();
  if (auto number = integer_of(a)) return std::to_string(*number);
  return std::nullopt;
}

constexpr std::uint64_t latest_start_us = std::uint64_t{1} << 62;  // since the epoch, and far beyond

/// "[1024, 512]" -> its numbers.
std::vector<std::int64_t> integers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = text.find_first_of("0123456789"); at != std::string::npos;) {
    const std::size_t end = text.find_first_not_of("0123456789", at);
    const std::string digits = text.substr(at, end == std::string::npos ? end : end - at);
    numbers.push_back(digits.size() > 15 ? -1 : std::stoll(digits));
    at = end == std::string::npos ? end : text.find_first_of("0123456789", end);
  }
  return numbers;
}

void take(const chakra::Attribute& a, ChakraNode& node) {
  const std::string& name = a.name();
  if (name == "is_cpu_op") node.is_cpu = integer_of(a).value_or(0) != 0;
  if (name == "num_ops") node.operations = integer_of(a);
  if (name == "tensor_size") node.tensor_bytes = integer_of(a);
  if (name == "comm_type") node.collective = integer_of(a);
  if (name == "comm_size") node.bytes = integer_of(a);
  if (name == "comm_src") node.from = integer_of(a);
  if (name == "comm_dst") node.to = integer_of(a);
  if (name == "comm_tag") node.tag = integer_of(a);
  if (name == "root" || name == "comm_root") node.root = integer_of(a);
  if (name == "pg_name") node.group = text_of(a);
  if (name == "stream" || (name == "tid" && !node.stream)) node.stream = text_of(a);
  if (name == "in_split_size") {
    const auto take_list = [&](bool is_there, const chakra::IntegerList& list) {
      if (is_there) node.parts.assign(list.values().begin(), list.values().end());
    };
    take_list(a.has_int32_list(), a.int32_list());
    take_list(a.has_int64_list(), a.int64_list());
    take_list(a.has_uint32_list(), a.uint32_list());
    take_list(a.has_uint64_list(), a.uint64_list());
    if (a.value_case() == chakra::Attribute::kStringValue) node.parts = integers_in(a.string_value());
  }
  if (name == "involved_dim" && a.has_bool_list())
    for (bool takes_part : a.bool_list().values()) node.leaves_dimensions_out |= !takes_part;
}

}  // namespace

void read_chakra(const std::string& path, const std::function<void(const ChakraHeader&)>& on_header,
                 const std::function<void(ChakraNode&)>& on_node) {
  if (is_chakra_json(path)) {
    on_header({});
    return read_chakra_json(path, on_node);
  }
  Reader reader(path);
  if (!reader.next())
    throw InputErrors(InputError{path, 0, "the file is empty (expected a Chakra execution trace)"});
  chakra::TraceHeader first;
  reader.parse(first);
  ChakraHeader header;
  header.version = first.version();
  for (const auto& attribute : first.attr()) header.is_from_pytorch |= attribute.name() == "schema";
  on_header(header);
  chakra::Node message;
  while (reader.next()) {
    reader.parse(message);
    ChakraNode node;
    node.id = message.id();
    node.name = message.name();
    node.type = static_cast<int>(message.type());
    node.data_dependencies.assign(message.data_deps().begin(), message.data_deps().end());
    node.control_dependencies.assign(message.ctrl_deps().begin(), message.ctrl_deps().end());
    node.duration_us = message.duration_micros();
    if (const std::uint64_t start = message.start_time_micros(); start > 0 && start < latest_start_us)
      node.start_us = start;
    if (node.type == chakra::METADATA_NODE) node.input_values = message.inputs().values();
    for (const auto& attribute : message.attr()) take(attribute, node);
    on_node(node);
  }
}

}  // namespace lightrail
