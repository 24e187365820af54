#include "fabrics/import/yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

constexpr std::size_t deepest = 64, most_values = 4'000'000;

class Parser {
 public:
  explicit Parser(const std::string& path)
      : path_(path), file_(std::fopen(path.c_str(), "rb"), &std::fclose) {
    if (!file_)
      throw InputErrors(InputError{path, 0, fmt::format("cannot be read ({})", std::strerror(errno))});
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_file(&parser_, file_.get());
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() { yaml_parser_delete(&parser_); }

  YamlValue read() {
    for (;;) {
      const Event event = next();
      if (event.type == YAML_STREAM_END_EVENT) fail(event.line, "nothing is in it");
      if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT)
        return value(event, 1);
    }
  }

 private:
  struct Event {
    yaml_event_type_t type = YAML_NO_EVENT;
    int line = 0;
    std::string text;
  };

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw InputErrors(InputError{path_, line, what});
  }

  Event next() {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser_, &event))
      fail(static_cast<int>(parser_.problem_mark.line) + 1,
           fmt::format("neither YAML nor JSON ({})", parser_.problem ? parser_.problem : "damaged"));
    Event out{event.type, static_cast<int>(event.start_mark.line) + 1, ""};
    if (event.type == YAML_SCALAR_EVENT)
      out.text.assign(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length);
    yaml_event_delete(&event);
    return out;
  }

  YamlValue value(const Event& event, std::size_t level) {
    if (level > deepest) fail(event.line, fmt::format("nested more than {} levels deep", deepest));
    if (++count_ > most_values) fail(event.line, fmt::format("more than {} values", most_values));
    YamlValue out;
    out.line = event.line;
    if (event.type == YAML_SCALAR_EVENT) {
      out.text = event.text;
    } else if (event.type == YAML_SEQUENCE_START_EVENT) {
      out.kind = YamlValue::Kind::list;
      for (Event item = next(); item.type != YAML_SEQUENCE_END_EVENT; item = next())
        out.items.push_back(value(item, level + 1));
    } else if (event.type == YAML_MAPPING_START_EVENT) {
      out.kind = YamlValue::Kind::map;
      for (Event key = next(); key.type != YAML_MAPPING_END_EVENT; key = next()) {
        if (key.type != YAML_SCALAR_EVENT) fail(key.line, "a key that is no text");
        if (out.find(key.text)) fail(key.line, fmt::format("'{}' is given twice", key.text));
        out.items.push_back(value(next(), level + 1));
        out.names.push_back(std::move(key.text));
      }
    } else {
      fail(event.line, event.type == YAML_ALIAS_EVENT ? "an alias (*name), which is not read" : "no value");
    }
    return out;
  }

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  yaml_parser_t parser_{};
  std::size_t count_ = 0;
};

}  // namespace

const YamlValue* YamlValue::find(const std::string& name) const {
  if (kind != Kind::map) return nullptr;
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? nullptr : &items[static_cast<std::size_t>(it - names.begin())];
}

YamlValue read_yaml(const std::string& path) {
  return Parser(path).read();
}

}  // namespace lightrail
