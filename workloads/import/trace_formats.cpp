#include "workloads/import/trace_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "workloads/import/aicb/aicb.hpp"
#include "workloads/import/chakra/chakra.hpp"
#include "workloads/import/goal/goal.hpp"
#include "workloads/import/kineto/kineto.hpp"
#include "workloads/import/recognise_trace.hpp"
#include "workloads/trace/trace_file.hpp"

namespace lightrail {

const std::vector<std::shared_ptr<const TraceFormat>>& trace_formats() {
  static const std::vector<std::shared_ptr<const TraceFormat>> all{
      kineto_format(), nsight_format(), chakra_format(), goal_format(), aicb_format(), aicb_csv_format(),
  };
  return all;
}

const TraceFormat* find_trace_format(const std::string& name) {
  const auto& all = trace_formats();
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& f) { return f->name == name; });
  return it == all.end() ? nullptr : it->get();
}

std::vector<std::string> trace_format_names() {
  std::vector<std::string> names;
  for (const auto& format : trace_formats()) names.push_back(format->name);
  return names;
}

namespace {

bool has(const TraceFormat& format, const std::string& attribute) {
  return std::any_of(format.parameters.begin(), format.parameters.end(),
                     [&](const ParameterDoc& doc) { return doc.name == attribute; });
}

std::vector<std::string> owners_of(const std::string& attribute) {
  std::vector<std::string> names;
  for (const auto& format : trace_formats())
    if (has(*format, attribute)) names.push_back(format->name);
  return names;
}

}  // namespace

std::vector<ParameterDoc> trace_format_parameters() {
  std::vector<ParameterDoc> all;
  for (const auto& format : trace_formats())
    for (ParameterDoc doc : format->parameters) {
      const auto is_known = [&](const ParameterDoc& other) { return other.name == doc.name; };
      if (std::any_of(all.begin(), all.end(), is_known)) continue;
      doc.doc = fmt::format("{}: {}", fmt::join(owners_of(doc.name), ", "), doc.doc);
      doc.is_required = false;
      all.push_back(std::move(doc));
    }
  return all;
}

void refuse_foreign_attributes(const Element& at, const TraceFormat* format, ErrorList& errors) {
  for (const Attribute& attribute : at.attributes) {
    const auto owners = owners_of(attribute.name);
    if (owners.empty() || (format && has(*format, attribute.name))) continue;
    (void)at.find(attribute.name);
    errors.add({attribute.file, attribute.line,
                fmt::format("<{}> attribute '{}': belongs to format '{}'", at.name, attribute.name,
                            fmt::join(owners, "', '"))});
  }
}

void import_trace(const TraceFormat& format, const TraceFormat::Files& files, const Element& at,
                  JobOutput& output) {
  ErrorList errors;
  const auto read = format.prepare(at, errors);
  errors.throw_if_any();
  if (files.empty()) throw InputErrors(InputError{"", 0, "no trace file given"});
  if (format.is_one_file && files.size() > 1)
    throw InputErrors(InputError{
        files[1], 0,
        fmt::format("a second file (the first is {}): this format has one for all ranks", files[0])});
  import_files(format, read, files, output);
}

void import_files(const TraceFormat& format, const TraceFormat::Import& read, const TraceFormat::Files& files,
                  JobOutput& output) {
  try {
    read(files, output);
  } catch (const InputErrors& problem) {
    for (const std::string& file : files)
      if (const auto is = recognise_trace(file)) {
        // The reader of Kineto's traces takes those of Nsight Systems and the other way round.
        const bool is_meant = is->format == format.name ||
                              (is->format == "nsight" && format.name == "kineto") ||
                              (is->format == "kineto" && format.name == "nsight");
        if (!is_meant) throw refused_as(file, sentence_of(*is), problem);
        break;
      }
    throw;
  }
}

Job read_own_trace(const std::string& path) {
  try {
    return read_trace(path);
  } catch (const InputErrors& problem) {
    const auto is = recognise_trace(path);
    if (is && is->format != "lightrail") throw refused_as(path, sentence_of(*is), problem);
    throw;
  }
}

std::string path_beside(const Element& at, const char* attribute, const std::string& path) {
  const Attribute* found = at.find(attribute);
  return (std::filesystem::path(found ? found->file : at.file).parent_path() / path)
      .lexically_normal()
      .string();
}

}  // namespace lightrail
