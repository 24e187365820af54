#include "app/catalogue/catalogue_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace lightrail {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t line_width = 110;
constexpr std::size_t most_values = 3;  ///< of an entry that a search has found
constexpr std::size_t longest_text = 80;

std::string headline(const CatalogueEntry& entry) {
  const bool is_long = entry.text.size() > longest_text;
  const std::string text =
      is_long ? entry.text.substr(0, entry.text.rfind(' ', longest_text)) + " ..." : entry.text;
  return text.empty() ? fmt::format("{}\n", entry.name) : fmt::format("{:<38} {}\n", entry.name, text);
}

/// `text` in lines of line_width, all but the first behind `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string out;
  std::size_t column = indent;
  for (std::string word; words >> word; column += word.size() + 1) {
    if (column > indent && column + word.size() > line_width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += " ";
    }
    out += word;
  }
  return out + "\n";
}

/// Numbers sources in the order in which they are asked for.
class Sources {
 public:
  std::size_t number_of(const EntryValue& value) {
    const std::pair<std::string, std::string> source{value.kind, value.source};
    const auto it = std::find(all_.begin(), all_.end(), source);
    if (it != all_.end()) return static_cast<std::size_t>(it - all_.begin()) + 1;
    all_.push_back(source);
    return all_.size();
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < all_.size(); ++i)
      out += fmt::format("  {:>4} {:<10} ", fmt::format("[{}]", i + 1), all_[i].first) +
             wrapped(all_[i].second, 18);
    return out.empty() ? "" : "\n" + out;
  }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

Json value_json(const EntryValue& value) {
  Json json{{"part", value.part}, {"name", value.name}, {"value", value.value}};
  json["kind"] = value.kind.empty() ? Json() : Json(value.kind);
  json["source"] = value.source.empty() ? Json() : Json(value.source);
  return json;
}

Json head_json(const CatalogueEntry& entry) {
  return {{"entry", entry.name}, {"element", entry.element}, {"text", entry.text}, {"file", entry.file}};
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string list_text(const std::vector<CatalogueEntry>& entries) {
  std::string text;
  for (const CatalogueEntry& entry : entries) text += headline(entry);
  return text;
}

std::string list_json(const std::vector<CatalogueEntry>& entries) {
  Json all = Json::array();
  for (const CatalogueEntry& entry : entries) all.push_back(head_json(entry));
  return dumped(all);
}

std::string entry_text(const CatalogueEntry& entry) {
  std::string text = fmt::format("{}  <{}>\n", entry.name, entry.element);
  if (!entry.text.empty()) text += "  " + wrapped(entry.text, 2);
  text += fmt::format("  file {}\n", entry.file);
  if (!entry.base.empty()) text += fmt::format("  what is not given here is that of {}\n", entry.base);
  text += "\n";
  Sources sources;
  std::string part;
  for (const EntryValue& value : entry.values) {
    if (value.part != part) text += fmt::format("  {}\n", part = value.part);
    const std::string indent = part.empty() ? "  " : "    ";
    const std::string origin = value.kind.empty()
                                   ? "no source given"
                                   : fmt::format("{:<10} [{}]", value.kind, sources.number_of(value));
    text += fmt::format("{}{:<{}} {:<18} {}\n", indent, value.name, 34 - indent.size(), value.value, origin);
  }
  for (const EntryPart& p : entry.parts) text += fmt::format("  {:<32} {}\n", p.part, p.entry);
  return text + sources.text();
}

std::string entry_json(const CatalogueEntry& entry) {
  Json json = head_json(entry);
  json["base"] = entry.base.empty() ? Json() : Json(entry.base);
  json["values"] = Json::array(), json["parts"] = Json::array();
  for (const EntryValue& value : entry.values) json["values"].push_back(value_json(value));
  for (const EntryPart& p : entry.parts) json["parts"].push_back({{"part", p.part}, {"entry", p.entry}});
  return dumped(json);
}

std::string search_text(const std::vector<FoundEntry>& found) {
  std::string text;
  for (const FoundEntry& one : found) {
    text += headline(one.entry);
    for (std::size_t i = 0; i < std::min(one.values.size(), most_values); ++i) {
      const EntryValue& value = one.values[i];
      text += "    " + wrapped(fmt::format("{}{}{} {}: {}", value.part, value.part.empty() ? "" : " ",
                                           value.name + " = " + value.value,
                                           value.kind.empty() ? "(no source given)" : "(" + value.kind + ")",
                                           value.source),
                               6);
    }
    if (one.values.size() > most_values)
      text += fmt::format("    ... and {} more figures (--json has all)\n", one.values.size() - most_values);
  }
  return text;
}

std::string search_json(const std::vector<FoundEntry>& found) {
  Json all = Json::array();
  for (const FoundEntry& one : found) {
    Json json = head_json(one.entry);
    json["values"] = Json::array();
    for (const EntryValue& value : one.values) json["values"].push_back(value_json(value));
    all.push_back(std::move(json));
  }
  return dumped(all);
}

}  // namespace lightrail
