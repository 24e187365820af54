#include "workloads/trace/job_output.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/trace/trace_file.hpp"

namespace lightrail {

namespace {

/// All that an operation says, in few words: of two bytes and more each its own bits.
std::array<std::uint64_t, 8> words_of(const Op& op) {
  static_assert(sizeof(Op) == 64, "a new member belongs into the words");
  const auto bits = [](auto value, int shift) { return static_cast<std::uint64_t>(value) << shift; };
  return {bits(op.kind, 0) | bits(op.collective, 8) | bits(op.algorithm, 16) | bits(op.protocol, 24) |
              bits(op.peer_mode, 32) | bits(op.stream, 40) | bits(op.io, 56),
          bits(op.dimension, 0) | bits(op.host_work, 16) | bits(op.dependency_count, 32) | bits(op.split, 48),
          bits(op.name, 0) | bits(op.group.value, 32),
          bits(op.bytes, 0),
          bits(op.duration.count(), 0),
          bits(op.shape, 0) | bits(static_cast<std::uint32_t>(op.peer), 32),
          bits(op.element_bytes, 0) | bits(op.root, 32),
          bits(op.every, 0) | bits(op.turn, 16) | bits(op.is_once, 32)};
}

}  // namespace

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
  for (std::uint64_t word : words_of(counted)) open_hash_.add(word);
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
