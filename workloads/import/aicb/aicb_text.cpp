#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/import/aicb/aicb.hpp"
#include "workloads/import/aicb/aicb_writer.hpp"
#include "workloads/job/pipeline_schedule.hpp"

namespace lightrail {

namespace {

/// Consecutive rows.
struct Span {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// Where the micro-batches are among the rows: `ga` times the same rows, each an embedding, layers, and what
/// follows them.
struct Sections {
  Span head, body, tail;
  std::vector<Span> layers;  ///< of the first micro-batch, by chunk
  Span embedding, last;      ///< of the first micro-batch: what only the first and the last stage execute
  std::size_t period = 0;    ///< rows of a micro-batch
};

class Importer {
 public:
  Importer(const AicbOptions& options, JobOutput& output)
      : options_(options),
        workload_(read_aicb_workload(options.file, options.gpus)),
        output_(begin(output)),
        groups_(workload_, output.job()) {
    for (const AicbRow& row : workload_.kinds) names_.push_back(output.job().name(row.name));
  }

  void run() {
    if (options_.pipeline == AicbPipeline::rows) {
      assign(0, workload_.gpus, every_row());
      return;
    }
    const Sections sections = find_sections();
    const std::uint32_t stage_gpus = workload_.gpus / workload_.pp;
    for (std::uint32_t stage = 0; stage < workload_.pp; ++stage)
      assign(stage * stage_gpus, stage_gpus, one_stage(stage, sections));
  }

 private:
  JobOutput& begin(JobOutput& output) const {
    output.begin(workload_.gpus);
    return output;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputErrors(InputError{options_.file, 0, what});
  }
  void assign(std::uint32_t first, std::uint32_t count, std::uint32_t program) {
    for (std::uint32_t g = 0; g < count; ++g) output_.job().assign(first + g, program);
  }

  void forward(AicbWriter& out, std::size_t row, std::uint16_t split) {
    const AicbRow& r = workload_.row(row);
    out.compute(r.forward.compute_ns, names_[workload_.rows[row]]);
    out.collective(r.forward, names_[workload_.rows[row]], split, true);
  }
  void backward(AicbWriter& out, std::size_t row, std::uint16_t split) {
    const AicbRow& r = workload_.row(row);
    const std::uint32_t name = names_[workload_.rows[row]];
    out.compute(r.input_gradient.compute_ns, name);
    out.collective(r.input_gradient, name, split, true);
    out.compute(r.weight_gradient.compute_ns, name);
    out.collective(r.weight_gradient, name, split, false);
    if (r.weight_gradient.collective != CollectiveType::none) out.update(r.update_ns, name);
  }
  void forward(AicbWriter& out, Span rows, std::uint16_t split) {
    for (std::size_t i = rows.begin; i < rows.end; ++i) forward(out, i, split);
  }
  void backward(AicbWriter& out, Span rows, std::uint16_t split) {
    for (std::size_t i = rows.end; i-- > rows.begin;) backward(out, i, split);
  }

  std::uint32_t every_row() {
    const std::uint16_t split =
        add_expert_split(options_.experts, groups_[AicbGroup::ep].size, 0, output_.job());
    AicbWriter out(groups_, output_);
    const Span all{0, workload_.rows.size()};
    forward(out, all, split);
    backward(out, all, split);
    return out.end("every rank");
  }

  /// The rows repeat `ga` times, and a micro-batch is an embedding, a multiple of `vpp` equal layers, and the
  /// rest; else the workload cannot be cut into stages.
  [[nodiscard]] Sections find_sections() const {
    const auto& rows = workload_.rows;
    Sections s;
    auto is = [&](std::size_t i, const char* name) { return workload_.row(i).name == name; };
    std::size_t first = 0;
    while (first < rows.size() && !is(first, "embedding_layer")) ++first;
    std::size_t second = first + 1;
    while (second < rows.size() && !is(second, "embedding_layer")) ++second;
    const auto count = static_cast<std::size_t>(workload_.micro_batches);
    if (first == rows.size()) fail("no row 'embedding_layer': the micro-batches cannot be told apart");
    if (second == rows.size() && count > 1)
      fail(fmt::format("one row 'embedding_layer' for {} micro-batches", count));
    s.period = second - first;
    if (count == 1) {
      // Then nothing repeats: what comes after the last layer's rows is the tail.
      s.period = rows.size() - first;
      while (s.period > 0 && !is(first + s.period - 1, "final_column") &&
             workload_.row(first + s.period - 1).name.rfind("mlp", 0) != 0)
        --s.period;
    }
    s.head = {0, first};
    s.body = {first, first + s.period * count};
    if (s.body.end > rows.size())
      fail(fmt::format("{} rows a micro-batch, {} micro-batches, but only {} rows", s.period, count,
                       rows.size()));
    for (std::size_t i = s.body.begin; i < s.body.end; ++i)
      if (workload_.row(i).name != workload_.row(first + (i - first) % s.period).name)
        fail(fmt::format("row {} '{}' is not what the first micro-batch has there", i + 1,
                         workload_.row(i).name));
    s.tail = {s.body.end, rows.size()};
    s.embedding = {first, first + 1};
    const std::size_t end = first + s.period;
    s.last = {is(end - 1, "final_column") ? end - 1 : end, end};
    const std::size_t layer_rows = s.last.begin - s.embedding.end;
    if (layer_rows == 0 || layer_rows % workload_.chunks != 0)
      fail(fmt::format("{} rows of layers do not split into vpp {} chunks", layer_rows, workload_.chunks));
    if (workload_.chunks > 1 && count % workload_.pp != 0)
      fail(fmt::format("{} micro-batches do not go through {} stages in whole rounds", count, workload_.pp));
    if (workload_.pp > 1 && workload_.stage_bytes == 0)
      fail("no 'pp_comm': what one stage sends to the next is not known");
    for (std::size_t c = 0; c < workload_.chunks; ++c) {
      const std::size_t size = layer_rows / workload_.chunks, at = s.embedding.end + c * size;
      s.layers.push_back({at, at + size});
    }
    return s;
  }

  std::uint32_t one_stage(std::uint32_t stage, const Sections& s) {
    const std::uint32_t chunks = workload_.chunks, stages = workload_.pp;
    std::vector<std::uint16_t> splits;
    for (std::uint32_t c = 0; c < chunks; ++c)
      splits.push_back(
          add_expert_split(options_.experts, groups_[AicbGroup::ep].size, stage + c * stages, output_.job()));
    AicbWriter out(groups_, output_);
    auto of = [&](Span rows, std::int64_t micro_batch) {
      const std::size_t shift = static_cast<std::size_t>(micro_batch) * s.period;
      return Span{rows.begin + shift, rows.end + shift};
    };
    for (const ChunkPass& pass : interleaved_schedule(stage, stages, chunks, workload_.micro_batches)) {
      const bool is_first = stage == 0 && pass.chunk == 0;
      const bool is_last = stage + 1 == stages && pass.chunk + 1 == chunks;
      if (pass.is_forward()) {
        if (is_first)
          forward(out, of(s.embedding, pass.micro_batch), 0);
        else
          out.receive(-1, workload_.stage_bytes, true);
        forward(out, of(s.layers[pass.chunk], pass.micro_batch), splits[pass.chunk]);
        if (is_last)
          forward(out, of(s.last, pass.micro_batch), 0);
        else
          out.send(1, workload_.stage_bytes, true);
      } else {
        if (is_last)
          backward(out, of(s.last, pass.micro_batch), 0);
        else
          out.receive(1, workload_.stage_bytes, false);
        backward(out, of(s.layers[pass.chunk], pass.micro_batch), splits[pass.chunk]);
        if (is_first)
          backward(out, of(s.embedding, pass.micro_batch), 0);
        else
          out.send(-1, workload_.stage_bytes, false);
      }
    }
    forward(out, s.head, 0);
    forward(out, s.tail, 0);
    backward(out, s.tail, 0);
    backward(out, s.head, 0);
    return out.end(fmt::format("stage {}", stage));
  }

  const AicbOptions& options_;
  AicbWorkload workload_;
  JobOutput& output_;
  AicbGroups groups_;
  std::vector<std::uint32_t> names_;
};

}  // namespace

void import_aicb_text(const AicbOptions& options, JobOutput& output) {
  Importer(options, output).run();
}

}  // namespace lightrail
