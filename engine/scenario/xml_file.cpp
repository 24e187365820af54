#include "engine/scenario/xml_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>
#include <utility>
#include <vector>

namespace lightrail {

namespace {

constexpr std::size_t max_bytes = 64 << 20;
constexpr int deepest_level = 64;

/// The text of one file and where its lines begin.
class SourceText {
 public:
  explicit SourceText(std::string text) : text_(std::move(text)) {
    for (std::size_t i = 0; i < text_.size(); ++i)
      if (text_[i] == '\n') ends_.push_back(i);
  }
  [[nodiscard]] int line_at(std::ptrdiff_t offset) const {
    const auto it = std::lower_bound(ends_.begin(), ends_.end(),
                                     static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, offset)));
    return static_cast<int>(it - ends_.begin()) + 1;
  }
  std::string& text() { return text_; }

 private:
  std::string text_;
  std::vector<std::size_t> ends_;
};

/// What stands at `path` if it is no file, "" otherwise. To open a named pipe is to wait for whoever writes
/// it.
std::string kind_of_no_file(const std::string& path) {
  using std::filesystem::file_type;
  std::error_code code;
  switch (std::filesystem::status(path, code).type()) {
    case file_type::directory:
      return "it is a directory";
    case file_type::fifo:
      return "it is a named pipe, not a file";
    case file_type::socket:
      return "it is a socket, not a file";
    case file_type::block:
    case file_type::character:
      return "it is a device, not a file";
    case file_type::none:
    case file_type::not_found:
    case file_type::regular:
    case file_type::symlink:
    case file_type::unknown:
      return "";
  }
  return "";
}

/// "" or why the file cannot be read.
std::string read_text(const std::string& path, std::string& text) {
  if (std::string kind = kind_of_no_file(path); !kind.empty()) return kind;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::strerror(errno);
  std::ostringstream all;
  char buffer[65536];
  std::size_t size = 0;
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
    all.write(buffer, file.gcount());
    if ((size += static_cast<std::size_t>(file.gcount())) > max_bytes) return "it is larger than 64 MiB";
  }
  if (file.bad()) return std::strerror(errno);
  text = all.str();
  return "";
}

class Converter {
 public:
  Converter(const std::string& path, const SourceText& source, const char* buffer, ErrorList& errors)
      : path_(path), source_(source), buffer_(buffer), errors_(errors) {}

  void convert(const pugi::xml_node& node, int level, Element& out) {
    out.name = node.name();
    out.file = path_;
    out.line = line_of(node.name());
    for (const pugi::xml_attribute& a : node.attributes()) {
      const bool is_repeated = std::any_of(out.attributes.begin(), out.attributes.end(),
                                           [&](const Attribute& other) { return other.name == a.name(); });
      if (is_repeated)
        errors_.add(
            {path_, line_of(a.name()), fmt::format("<{}> has attribute '{}' twice", out.name, a.name())});
      else
        out.attributes.push_back({a.name(), a.value(), path_, line_of(a.name())});
    }
    if (level > deepest_level) {
      errors_.add(out.error(fmt::format("<{}> is nested more than {} levels deep", out.name, deepest_level)));
      return;
    }
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element && std::strcmp(child.name(), "doc") != 0)
        convert(child, level + 1, out.children.emplace_back());
      else if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata)
        check_text(child, out);
    }
  }

 private:
  [[nodiscard]] int line_of(const char* in_buffer) const { return source_.line_at(in_buffer - buffer_); }
  void check_text(const pugi::xml_node& text, const Element& parent) {
    if (parent.name == "source") return;
    std::string word = text.value();
    word.erase(0, std::min(word.find_first_not_of(" \t\r\n"), word.size()));
    word = word.substr(0, std::min<std::size_t>(word.find_first_of(" \t\r\n"), 20));
    if (word.empty()) return;
    errors_.add({path_, source_.line_at(text.offset_debug()),
                 fmt::format("unexpected text '{}' in <{}> (values are attributes; prose belongs in <doc>)",
                             word, parent.name)});
  }

  const std::string& path_;
  const SourceText& source_;
  const char* buffer_;
  ErrorList& errors_;
};

}  // namespace

bool read_xml_file(const std::string& path, const InputError& referrer, Element& root, ErrorList& errors) {
  std::string text;
  if (const std::string problem = read_text(path, text); !problem.empty()) {
    errors.add(
        {referrer.file, referrer.line, fmt::format("{}cannot read '{}' ({})", referrer.what, path, problem)});
    return false;
  }
  auto fail = [&](int line, const std::string& what) {
    errors.add({path, line, what});
    return false;
  };
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return fail(1, "the file is empty");
  if (text.find('\0') != std::string::npos)
    return fail(1, "not an XML text (it holds zero bytes; expected UTF-8)");

  SourceText source(text);
  pugi::xml_document document;
  const auto result =
      document.load_buffer_inplace(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    std::string why = result.description();
    if (!why.empty()) why[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(why[0])));
    return fail(source.line_at(result.offset), "not well-formed XML: " + why);
  }
  pugi::xml_node first = document.document_element();
  for (pugi::xml_node other = first.next_sibling(); other; other = other.next_sibling())
    if (other.type() == pugi::node_element)
      return fail(source.line_at(other.name() - text.data()),
                  fmt::format("a second root element <{}> after <{}>", other.name(), first.name()));
  Converter(path, source, text.data(), errors).convert(first, 1, root);
  return true;
}

}  // namespace lightrail
