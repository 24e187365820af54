#include "engine/scenario/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/scenario/merge_entry.hpp"
#include "engine/scenario/units.hpp"
#include "engine/scenario/xml_file.hpp"

namespace lightrail {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_elements = 1'000'000, max_inclusions = 10'000;
constexpr int deepest_level = 100;

}  // namespace

Resolver::Resolver(const ScenarioOptions& options, ErrorList& errors)
    : catalogue_(options.catalogue),
      identities_(options.identities),
      errors_(errors),
      variables_(options.settings, errors) {}

bool Resolver::resolve_file(const std::string& path, Element& root) {
  const Element* raw = read(path, {});
  if (!raw) return false;
  if (raw->name != "scenario") {
    errors_.add(raw->error(fmt::format("the root element is <{}> (expected <scenario>)", raw->name)));
    return false;
  }
  open_.push_back(path);
  root.name = raw->name, root.file = raw->file, root.line = raw->line;
  // The root's attributes may use variables that its children define.
  resolve_children(*raw, 1, true, root);
  for (const Attribute& a : raw->attributes) {
    root.attributes.push_back(a);
    root.attributes.back().value = variables_.substitute(
        a.value, {a.file, a.line, fmt::format("<scenario> attribute '{}': ", a.name)}, errors_);
  }
  open_.pop_back();
  if (!lacks_catalogue_) report_unused_none(root, errors_);
  return true;
}

const Element* Resolver::read(const std::string& path, const InputError& referrer) {
  if (const auto it = cache_.find(path); it != cache_.end()) return &it->second;
  if (unusable_.count(path)) return nullptr;
  Element raw;
  if (!read_xml_file(path, referrer, raw, errors_)) {
    unusable_.insert(path);
    return nullptr;
  }
  files_.push_back(path);
  return &cache_.emplace(path, std::move(raw)).first->second;
}

bool Resolver::enter(const std::string& path, const InputError& place, const std::string& what) {
  const auto first = std::find(open_.begin(), open_.end(), path);
  if (first != open_.end()) {
    std::string chain;
    for (auto it = first; it != open_.end(); ++it) chain += *it + " -> ";
    errors_.add({place.file, place.line, fmt::format("{} includes itself ({}{})", what, chain, path)});
    return false;
  }
  if (++inclusion_count_ > max_inclusions) {
    if (inclusion_count_ == max_inclusions + 1)
      errors_.add({place.file, place.line,
                   fmt::format("more than {} includes and catalogue references", max_inclusions)});
    return false;
  }
  open_.push_back(path);
  return true;
}

void Resolver::resolve_element(const Element& raw, int depth, Element& out) {
  out.name = raw.name, out.file = raw.file, out.line = raw.line;
  if (++element_count_ > max_elements || depth > deepest_level) {
    if (element_count_ == max_elements + 1 || depth == deepest_level + 1)
      errors_.add(raw.error(
          fmt::format("the scenario grows beyond {} elements or {} levels", max_elements, deepest_level)));
    return;
  }
  const Attribute* reference = nullptr;
  for (const Attribute& a : raw.attributes) {
    Attribute resolved = a;
    resolved.value = variables_.substitute(
        a.value, {a.file, a.line, fmt::format("<{}> attribute '{}': ", raw.name, a.name)}, errors_);
    out.attributes.push_back(std::move(resolved));
  }
  for (const Attribute& a : out.attributes)
    if (a.name == "catalogue" && a.value != no_entry) reference = &a;
  resolve_children(raw, depth, false, out);
  if (!reference) return;
  const Attribute copy = *reference;
  out.attributes.erase(out.attributes.begin() + (reference - out.attributes.data()));
  apply_catalogue(copy, depth, out);
}

void Resolver::resolve_children(const Element& raw, int depth, bool is_root, Element& out) {
  for (const Element& child : raw.children) {
    if (child.name == "include")
      include(child, depth, out);
    else if (child.name == "source")
      check_source(child);
    else if (child.name == "variable" && is_root)
      variables_.define(child, errors_);
    else
      resolve_element(child, depth + 1, out.children.emplace_back());
  }
}

void Resolver::include(const Element& raw, int depth, Element& out) {
  const std::size_t before_all = errors_.size();
  include_file(raw, depth, out);
  if (errors_.size() != before_all) is_whole_ = false;
}

void Resolver::include_file(const Element& raw, int depth, Element& out) {
  const Attribute* file = raw.find("file");
  if (!file) return errors_.add(raw.error("<include> lacks the required attribute 'file'"));
  for (const Attribute& a : raw.attributes)
    if (!a.is_read) errors_.add({a.file, a.line, fmt::format("<include> has no attribute '{}'", a.name)});
  for (const Element& child : raw.children)
    errors_.add(child.error(fmt::format("<include> has no element <{}>", child.name)));
  const InputError place{file->file, file->line, "<include> attribute 'file': "};
  const std::size_t before = errors_.size();
  const fs::path name = variables_.substitute(file->value, place, errors_);
  if (errors_.size() != before) return;
  const std::string path = (name.is_absolute() ? name : fs::path(raw.file).parent_path() / name)
                               .lexically_normal()
                               .generic_string();
  if (!enter(path, place, fmt::format("<include> of '{}'", file->value))) return;
  if (const Element* root = read(path, place)) {
    for (const Attribute& a : root->attributes)
      if (a.name != "name")
        errors_.add(
            {a.file, a.line,
             fmt::format("<{}> attribute '{}' has no effect in an included file", root->name, a.name)});
    // Variables of a file included by the root are the root's own.
    resolve_children(*root, depth, depth == 1, out);
  }
  open_.pop_back();
}

void Resolver::apply_catalogue(const Attribute& reference, int depth, Element& out) {
  if (lacks_catalogue_) return;  // was said
  const InputError place{reference.file, reference.line,
                         fmt::format("<{}> attribute 'catalogue': ", out.name)};
  const std::string path = catalogue_.file_of(reference.value, place, errors_);
  lacks_catalogue_ = path.empty() && !catalogue_.problem().empty();
  if (path.empty() || !enter(path, place, fmt::format("catalogue entry '{}'", reference.value))) return;
  out.catalogue = reference.value;
  if (const Element* raw = read(path, place)) {
    if (raw->name != out.name) {
      errors_.add({reference.file, reference.line,
                   fmt::format("<{}> refers to catalogue entry '{}', which is a <{}>", out.name,
                               reference.value, raw->name)});
    } else {
      Element entry;
      resolve_element(*raw, depth, entry);
      merge_entry(std::move(entry), reference.value, identities_, out, errors_);
    }
  }
  open_.pop_back();
}

void Resolver::check_source(const Element& raw) {
  static const std::vector<std::string> kinds{"datasheet", "measured", "estimate", "published"};
  for (const char* name : {"parameter", "value", "text", "url"}) raw.find(name);
  if (const Attribute* kind = raw.find("kind"); !kind)
    errors_.add(raw.error("<source> lacks the required attribute 'kind'"));
  else if (std::find(kinds.begin(), kinds.end(), kind->value) == kinds.end())
    errors_.add({kind->file, kind->line, "<source> attribute 'kind': " + invalid_choice(kind->value, kinds)});
  for (const Attribute& a : raw.attributes)
    if (!a.is_read)
      errors_.add(
          {a.file, a.line,
           fmt::format("<source> has no attribute '{}' (known here: kind, parameter, value, text, url)",
                       a.name)});
}

}  // namespace lightrail
