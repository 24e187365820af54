#pragma once
#include <memory>
#include <string>
#include <vector>

#include "workloads/import/trace_format.hpp"

namespace lightrail {

/// Every format of traces but our own, in the order of the documentation.
[[nodiscard]] const std::vector<std::shared_ptr<const TraceFormat>>& trace_formats();

/// Null when unknown.
[[nodiscard]] const TraceFormat* find_trace_format(const std::string& name);
[[nodiscard]] std::vector<std::string> trace_format_names();

/// The attributes of all formats, each once, with the formats that have it in its text.
[[nodiscard]] std::vector<ParameterDoc> trace_format_parameters();

/// An attribute of `at` that belongs to other formats than `format` goes to `errors`; null: our own format.
void refuse_foreign_attributes(const Element& at, const TraceFormat* format, ErrorList& errors);

/// Reads the files into `output`; `at` has the attributes. Throws InputErrors with file and place, also for
/// no file and for several files of a format that has one for all ranks.
void import_trace(const TraceFormat& format, const TraceFormat::Files& files, const Element& at,
                  JobOutput& output);

/// The same with attributes that are read already. A refusal says first what a file is that looks like a
/// trace of another format.
void import_files(const TraceFormat& format, const TraceFormat::Import& read, const TraceFormat::Files& files,
                  JobOutput& output);

/// Our own format (workloads/trace), refused as import_files() does.
[[nodiscard]] Job read_own_trace(const std::string& path);

}  // namespace lightrail
