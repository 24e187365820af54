#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "workloads/trace/trace_columns.hpp"
#include "workloads/trace/trace_file.hpp"
#include "workloads/trace/trace_layout.hpp"

namespace lightrail {

namespace {

using Numbers = std::vector<std::int64_t>;

void write_groups(const Job& job, TraceWriter& out) {
  std::vector<std::string> names;
  Numbers digit_counts, digits, list_counts, list_sizes, members;
  for (const auto& kind : job.groups) {
    names.push_back(kind.name);
    digit_counts.push_back(static_cast<std::int64_t>(kind.digits.size()));
    for (const auto& d : kind.digits) digits.push_back(d.count), digits.push_back(d.stride);
    list_counts.push_back(static_cast<std::int64_t>(kind.listed.size()));
    for (const auto& list : kind.listed) {
      list_sizes.push_back(static_cast<std::int64_t>(list.size()));
      for (EndpointId gpu : list) members.push_back(gpu.value);
    }
  }
  out.group("/groups");
  out.texts("/groups/name", names);
  out.numbers("/groups/digit_count", digit_counts);
  out.numbers("/groups/digits", digits);
  out.numbers("/groups/list_count", list_counts);
  out.numbers("/groups/list_size", list_sizes);
  out.numbers("/groups/members", members);
}

void write_shapes(const Job& job, TraceWriter& out) {
  Numbers shapes;
  for (const auto& s : job.programs.shapes)
    for (std::int64_t value : fields_of(s)) shapes.push_back(value);
  out.numbers("/shapes", shapes);
  Numbers sizes, is_bytes, bytes;
  std::vector<double> shares;
  for (std::size_t i = 1; i < job.programs.splits.size(); ++i) {
    sizes.push_back(job.programs.splits[i].size);
    const SplitMatrix& split = job.programs.splits[i];
    shares.insert(shares.end(), split.share.begin(), split.share.end());
    bytes.insert(bytes.end(), split.bytes.begin(), split.bytes.end());
    is_bytes.push_back(split.bytes.empty() ? 0 : 1);
  }
  out.group("/splits");
  out.numbers("/splits/size", sizes);
  out.reals("/splits/share", shares);
  if (bytes.empty()) return;
  out.numbers("/splits/is_bytes", is_bytes);
  out.numbers("/splits/bytes", bytes, "B");
}

void write_capture(const Capture& capture, TraceWriter& out) {
  Numbers ranks;
  for (const auto& r : capture.ranks)
    ranks.insert(ranks.end(), {r.span_ps, r.other_kernels_ps, r.collectives_ps});
  out.group("/capture");
  out.numbers("/capture/ranks_ps", ranks, "ps");
  Numbers exposed, kinds;
  for (const auto& r : capture.ranks) exposed.push_back(r.exposed_ps);
  for (const auto& k : capture.kinds)
    kinds.insert(kinds.end(), {static_cast<std::int64_t>(k.type), k.bytes, k.count, k.fastest_sum_ps});
  if (!exposed.empty()) out.numbers("/capture/exposed_ps", exposed, "ps");
  if (!kinds.empty()) out.numbers("/capture/kinds", kinds);
  if (!capture.gpus.empty()) out.attribute("capture_gpus", capture.gpus);
  out.attribute("capture_step_ps", capture.step_ps);
  out.attribute("capture_collectives", capture.collectives);
  out.attribute("capture_fastest_median_ps", capture.fastest_median_ps);
  out.attribute("capture_fastest_sum_ps", capture.fastest_sum_ps);
}

}  // namespace

TraceFileWriter::TraceFileWriter(const std::string& path, const std::string& source)
    : path_(path), out_(std::make_unique<TraceWriter>(path)) {
  out_->attribute("schema", std::string(trace_schema));
  out_->attribute("source", source);
  out_->group("/ops");
  for (const auto& column : op_columns())
    columns_.push_back(out_->column(std::string("/ops/") + column.name, column.unit));
  dependencies_ = out_->column("/dependencies", "1");
}

TraceFileWriter::~TraceFileWriter() {
  if (!out_) return;
  out_.reset();
  std::remove(path_.c_str());
}

void TraceFileWriter::add(const Op& op, std::span<const std::uint32_t> after) {
  const std::vector<OpColumn>& columns = op_columns();
  for (std::size_t c = 0; c < columns_.size(); ++c) out_->append(columns_[c], columns[c].get(op));
  for (std::uint32_t on : after) out_->append(dependencies_, on);
  ++open_ops_;
  open_dependencies_ += static_cast<std::int64_t>(after.size());
}

void TraceFileWriter::end(const std::string& role, const std::vector<std::string>& streams,
                          std::int64_t memory_bytes) {
  roles_.push_back(role);
  memory_.push_back(memory_bytes);
  stream_counts_.push_back(static_cast<std::int64_t>(streams.size()));
  streams_.insert(streams_.end(), streams.begin(), streams.end());
  op_counts_.push_back(open_ops_);
  open_ops_ = open_dependencies_ = 0;
}

void TraceFileWriter::drop() {
  for (std::size_t column : columns_) out_->drop_last(column, static_cast<std::size_t>(open_ops_));
  out_->drop_last(dependencies_, static_cast<std::size_t>(open_dependencies_));
  open_ops_ = open_dependencies_ = 0;
}

void TraceFileWriter::finish(const Job& job) {
  TraceWriter& out = *out_;
  Numbers next;
  bool goes_on = false;
  for (const Program& program : job.programs.programs) {
    next.push_back(program.next == itself ? -1 : std::int64_t{program.next});
    goes_on = goes_on || program.next != itself;
  }
  out.attribute("schema_version", goes_on ? trace_schema_version_of_next : trace_schema_version);
  out.attribute("gpus", std::int64_t{job.gpu_count});
  out.attribute("iterations", std::int64_t{job.programs.iterations});
  out.texts("/names", job.names);
  out.texts("/dimensions", job.dimensions);
  write_groups(job, out);
  out.group("/programs");
  out.texts("/programs/role", roles_);
  out.numbers("/programs/memory_bytes", memory_, "B");
  out.numbers("/programs/streams", stream_counts_);
  out.numbers("/programs/ops", op_counts_);
  if (goes_on) out.numbers("/programs/next", next);
  out.texts("/streams", streams_);
  out.numbers("/program_of_gpu",
              Numbers(job.programs.program_of_gpu.begin(), job.programs.program_of_gpu.end()));
  write_shapes(job, out);
  write_capture(job.capture, out);
  if (!job.notes.empty()) out.texts("/notes", job.notes);
  out.close();
  out_.reset();
}

void write_trace(const Job& job, const std::string& path, const std::string& source) {
  TraceFileWriter writer(path, source);
  for (const Program& program : job.programs.programs) {
    for (const Op& op : program.ops)
      writer.add(op, {program.dependencies.data() + op.first_dependency, op.dependency_count});
    writer.end(program.role, program.streams, program.memory_bytes);
  }
  writer.finish(job);
}

}  // namespace lightrail
