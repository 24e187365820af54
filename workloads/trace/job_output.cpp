#include "workloads/trace/job_output.hpp"

#include <utility>

#include "engine/base/error.hpp"
#include "workloads/trace/trace_file.hpp"
#include "workloads/trace/trace_layout.hpp"

namespace lightrail {

void ContentHash::add(std::uint64_t value) {
  for (std::size_t i = 0; i < 2; ++i) {
    std::uint64_t x = state_[i] ^ (value + 0x9e3779b97f4a7c15ull * (i + 1));
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    state_[i] = (x ^ (x >> 31)) + (state_[i] << 5);
  }
}

void ContentHash::add(const std::string& text) {
  add(text.size());
  for (char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
}

JobOutput::JobOutput() = default;

JobOutput::JobOutput(Discard) : is_kept_(false) {}

JobOutput::JobOutput(const std::string& path, const std::string& source)
    : path_(path), source_(source), file_(std::make_unique<TraceFileWriter>(path, source)) {}

JobOutput::~JobOutput() = default;

void JobOutput::begin(std::uint32_t gpu_count) {
  LIGHTRAIL_EXPECT(!job_);
  job_.emplace(gpu_count);
}

void JobOutput::restart() {
  job_.reset();
  by_hash_.clear();
  digests_.clear();
  start_program();
  if (!file_) return;
  file_.reset();
  file_ = std::make_unique<TraceFileWriter>(path_, source_);
}

void JobOutput::start_program() {
  open_ = {};
  open_ops_ = 0;
  open_hash_ = {};
  open_digest_ = {};
}

std::uint32_t JobOutput::add(const Op& op, std::span<const std::uint32_t> after) {
  const std::uint32_t index = open_ops_++;
  if (!is_kept_) return index;
  Op counted = op;
  counted.dependency_count = static_cast<std::uint16_t>(after.size());
  for (const auto& column : op_columns()) open_hash_.add(static_cast<std::uint64_t>(column.get(counted)));
  for (std::uint32_t on : after) open_hash_.add(std::uint64_t{on});
  open_digest_.add(op);
  if (file_)
    file_->add(counted, after);
  else
    append(open_, op, after);
  return index;
}

std::uint32_t JobOutput::end(const std::string& role, const std::vector<std::string>& streams,
                             std::int64_t memory_bytes) {
  open_hash_.add(static_cast<std::uint64_t>(memory_bytes));
  for (const auto& stream : streams) open_hash_.add(stream);
  const auto next = static_cast<std::uint32_t>(digests_.size());
  auto [it, is_new] = by_hash_.try_emplace(open_hash_.value(), next);
  const std::uint32_t index = it->second;
  if (is_new && is_kept_) {
    if (file_) file_->end(role, streams, memory_bytes);
    open_.role = role;
    open_.streams = streams;
    open_.memory_bytes = memory_bytes;
    job_->program(std::move(open_));
    open_digest_.role = role;
    open_digest_.streams = streams.size();
    open_digest_.memory_bytes = memory_bytes;
    digests_.push_back(std::move(open_digest_));
  } else if (file_) {
    file_->drop();
  }
  start_program();
  return is_kept_ ? index : 0;
}

std::uint32_t JobOutput::program(const Program& program) {
  for (const Op& op : program.ops)
    add(op, {program.dependencies.data() + op.first_dependency, op.dependency_count});
  return end(program.role, program.streams, program.memory_bytes);
}

Job JobOutput::take() {
  Job job = job_->take();
  for (std::size_t p = digests_.size(); p < job.programs.programs.size(); ++p) {
    const Program& idle = job.programs.programs[p];
    digests_.push_back(digest(idle));
    if (file_) file_->end(idle.role, idle.streams, idle.memory_bytes);
  }
  if (file_) file_->finish(job);
  file_.reset();
  return job;
}

}  // namespace lightrail
