#include "workloads/generate/training/stage_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/generate/training/stage_writer.hpp"
#include "workloads/generate/training/training_memory.hpp"

namespace lightrail {

namespace {

/// Where the parameters of a pass are gathered from, and how its gradients are reduced.
class StageParameterFlow {
 public:
  StageParameterFlow(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage,
                     StageWriter& writer)
      : model_(model),
        plan_(plan),
        stage_(stage),
        writer_(writer),
        parameters_(trained_parameters(model, plan, stage)) {}

  /// Before a pass.
  void begin(const ChunkPass& pass) {
    first_forward_ = !evaluates_ && plan_.overlap_parameters && pass.is_forward() && pass.micro_batch == 0;
    if (first_forward_ && !has_gathered_) {
      // All of the stage one after the other, from the start of the step on.
      has_gathered_ = true;
      gather_all(pass.chunk);
      writer_.wait_for_parameters();
    }
    if (!gathers(pass)) return;
    writer_.gather_parameters(edges(pass), 0);
    if (layers(pass) > 0) gather_layer(pass, pass.is_forward() ? 0 : layers(pass) - 1);
    writer_.wait_for_parameters();
  }
  /// `layer` counts those of the pass's chunk.
  void before_layer(const ChunkPass& pass, std::int64_t layer) {
    const std::int64_t next = layer + (pass.is_forward() ? 1 : -1);
    if (gathers(pass) && next >= 0 && next < layers(pass)) gather_layer(pass, next);
    if (gathers(pass) || first_forward_) writer_.wait_for_parameters();
  }
  /// After a layer of a pass that ends with the gradients of weights.
  void after_layer(const ChunkPass& pass, std::int64_t layer) {
    const LayerParameters of_layer = trained_layer_parameters(model_, plan_, layer);
    const bool is_last = pass.micro_batch == plan_.chunk_micro_batches() - 1;
    if (plan_.shards_parameters) {
      if (is_last || !plan_.keeps_gathered()) writer_.scatter_gradients(of_layer.dense, of_layer.expert);
      return;
    }
    if (is_last && plan_.overlap_gradients) reduce(of_layer);
  }
  void end(const ChunkPass& pass) {
    if (!plan_.shards_parameters || pass.is_forward() || pass.kind == PassKind::input_gradient) return;
    if (plan_.keeps_gathered() && pass.micro_batch != plan_.chunk_micro_batches() - 1) return;
    if (edges(pass) > 0) writer_.scatter_gradients(edges(pass), 0);
  }
  /// Passes that follow evaluate, with the parameters as they are after the update: what the next step would
  /// gather beside its first passes has to be here (and is gathered there once more).
  void evaluate() {
    evaluates_ = true;
    if (!plan_.overlap_parameters) return;
    gather_all(0);
    for (std::size_t i = 0; i <= parameters_.layers.size(); ++i) writer_.wait_for_parameters();
  }
  void end_first_batch() { has_evaluated_ = true; }
  void finish() {
    if (plan_.shards_parameters) return;
    if (plan_.overlap_gradients) {
      reduce({parameters_.embedding, 0});
      writer_.reduce_gradients(std::exchange(waiting_.dense, 0), std::exchange(waiting_.expert, 0), true);
    } else {
      writer_.reduce_gradients(parameters_.dense(), parameters_.expert(), false);
    }
  }

 private:
  /// FSDP: the pass needs parameters that are not here. Stages of a pipeline keep what the first forward pass
  /// of a chunk has gathered.
  [[nodiscard]] bool gathers(const ChunkPass& pass) const {
    if (!plan_.shards_parameters || (evaluates_ && has_evaluated_ && plan_.keeps_gathered())) return false;
    return !plan_.keeps_gathered() || (pass.is_forward() && pass.micro_batch == 0);
  }
  [[nodiscard]] std::int64_t layers(const ChunkPass& pass) const {
    return plan_.layers_of_chunk(model_, stage_, pass.chunk);
  }
  /// Of embedding and output layer, where the pass's chunk has them.
  [[nodiscard]] std::int64_t edges(const ChunkPass& pass) const {
    const bool has_them = plan_.model_stage(stage_, pass.chunk) == 0 || plan_.ends_model(stage_, pass.chunk);
    return has_them ? parameters_.embedding : 0;
  }
  void gather_all(std::uint32_t first_chunk) {
    writer_.gather_parameters(parameters_.embedding, 0);
    for (const LayerParameters& layer : of_first_passes(first_chunk))
      writer_.gather_parameters(layer.dense, layer.expert);
  }
  void gather_layer(const ChunkPass& pass, std::int64_t layer) {
    for (std::uint32_t chunk = 0; chunk < pass.chunk; ++chunk)
      layer += plan_.layers_of_chunk(model_, stage_, chunk);
    const LayerParameters& p = parameters_.layers[static_cast<std::size_t>(layer)];
    writer_.gather_parameters(p.dense, p.expert);
  }
  /// Starts reducing what has become ready: at once, or as soon as a bucket is full.
  void reduce(const LayerParameters& ready) {
    const std::int64_t bucket = plan_.bucket_size;
    if (bucket == 0) return writer_.reduce_gradients(ready.dense, ready.expert, true);
    waiting_.dense += ready.dense, waiting_.expert += ready.expert;
    for (; waiting_.dense >= bucket; waiting_.dense -= bucket) writer_.reduce_gradients(bucket, 0, true);
    for (; waiting_.expert >= bucket; waiting_.expert -= bucket) writer_.reduce_gradients(0, bucket, true);
  }
  /// The layers in the order in which first forward passes come to them: from the chunk that begins on.
  [[nodiscard]] std::vector<LayerParameters> of_first_passes(std::uint32_t first_chunk) const {
    std::vector<LayerParameters> all = parameters_.layers;
    if (plan_.is_bidirectional() && first_chunk == 1)
      std::rotate(all.begin(), all.begin() + plan_.layers_of_chunk(model_, stage_, 0), all.end());
    return all;
  }

  const Transformer& model_;
  const TrainingPlan& plan_;
  std::uint32_t stage_;
  StageWriter& writer_;
  StageParameters parameters_;
  LayerParameters waiting_;  ///< in buckets that are not full
  bool first_forward_ = false, has_gathered_ = false;
  bool evaluates_ = false, has_evaluated_ = false;  ///< has: a batch
};

const char* name_of(PassKind kind) {
  switch (kind) {
    case PassKind::forward:
      return "forward";
    case PassKind::backward:
      return "backward";
    case PassKind::input_gradient:
      return "input gradient";
    case PassKind::weight_gradient:
      return "weight gradient";
  }
  return "";
}

/// Writes one pass after the other.
class PassWriter {
 public:
  PassWriter(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage, StageWriter& writer)
      : model_(model),
        plan_(plan),
        stage_(stage),
        writer_(writer),
        parameters_(model, plan, stage, writer),
        steps_(stepped_pipeline(plan)) {
    stepped_over_.measured = steps_.periods(steps_.end - steps_.begin);
    stepped_over_.skipped = steps_.periods(steps_.skipped);
  }

  void write(const ChunkPass& pass) {
    enter(pass);
    compute(pass);
    leave(pass);
  }

  /// A pass forward and one back that run together: both begin when both have their inputs, and what they
  /// send leaves when both have ended, as in DualPipe's own code. The way back has the first turn: the
  /// dispatch of the way forward then lies beside the experts on the way back, and so on (arXiv 2412.19437,
  /// figure 4; Megatron Core's combined 1F1B does the same).
  void write_together(const ChunkPass& forth, const ChunkPass& back) {
    writer_.begin_together();
    enter(forth);
    writer_.next_input();
    enter(back);
    writer_.run_together();
    compute(back);
    writer_.next_together();
    compute(forth);
    writer_.end_together();
    leave(forth);
    leave(back);
  }

  /// The way forward of so many batches more, in the order of `passes`, and the mean of their loss.
  void evaluate(const std::vector<ChunkPass>& passes) {
    evaluates_ = true;
    writer_.begin_evaluation();
    parameters_.evaluate();
    bool has_loss = false;
    for (std::uint32_t batch = 0; batch < plan_.eval_iters; ++batch) {
      for (const ChunkPass& pass : passes)
        if (pass.is_forward()) write(pass), has_loss |= ends(pass);
      parameters_.end_first_batch();
    }
    writer_.end_evaluation(has_loss);
  }

  StageParameterFlow& parameters() { return parameters_; }
  [[nodiscard]] const SteppedOver& stepped_over() const { return stepped_over_; }

 private:
  [[nodiscard]] bool begins(const ChunkPass& pass) const {
    return plan_.model_stage(stage_, pass.chunk) == 0;
  }
  [[nodiscard]] bool ends(const ChunkPass& pass) const { return plan_.ends_model(stage_, pass.chunk); }
  [[nodiscard]] std::int64_t layers(const ChunkPass& pass) const {
    return plan_.layers_of_chunk(model_, stage_, pass.chunk);
  }
  /// The neighbour that a chunk's activations go to, or come from.
  [[nodiscard]] std::uint32_t neighbour(const ChunkPass& pass, bool is_next) const {
    const bool is_up = is_next != (plan_.is_bidirectional() && pass.chunk == 1);
    return (stage_ + (is_up ? 1 : plan_.pp - 1)) % plan_.pp;
  }

  /// A forward pass begins, of those that take turns in all stages.
  void mark(std::int64_t micro_batch, std::uint32_t marker) {
    if (micro_batch == steps_.begin) stepped_over_.begin = marker;
    if (micro_batch == steps_.middle) stepped_over_.middle = marker;
    if (micro_batch == steps_.end + steps_.skipped) stepped_over_.end = marker;
  }

  void enter(const ChunkPass& pass) {
    std::string name = fmt::format("{} {}", evaluates_ ? "evaluate" : name_of(pass.kind), pass.micro_batch);
    if (plan_.stage_chunks() > 1) name += fmt::format(" chunk {}", pass.chunk);
    const std::uint32_t marker = writer_.marker(name);
    if (steps_.skipped > 0 && pass.is_forward() && pass.chunk == steady_chunk(plan_, stage_))
      mark(pass.micro_batch, marker);
    if (pass.kind == PassKind::weight_gradient) return;
    parameters_.begin(pass);
    if (pass.is_forward() ? !begins(pass) : !ends(pass))
      writer_.receive(neighbour(pass, !pass.is_forward()), pass.is_forward(), pass.chunk);
  }
  void compute(const ChunkPass& pass) {
    switch (pass.kind) {
      case PassKind::forward:
        forward(pass);
        break;
      case PassKind::backward:
      case PassKind::input_gradient:
        backward(pass);
        break;
      case PassKind::weight_gradient:
        weights(pass);
        break;
    }
    parameters_.end(pass);
  }
  void leave(const ChunkPass& pass) {
    if (pass.kind == PassKind::weight_gradient) return;
    if (pass.is_forward() ? !ends(pass) : !begins(pass))
      writer_.send(neighbour(pass, pass.is_forward()), pass.is_forward(), pass.chunk);
  }

  void forward(const ChunkPass& pass) {
    if (begins(pass)) writer_.load_batch(ends(pass) ? 2 : 1), writer_.embed();
    const std::int64_t first = plan_.first_layer(model_, stage_, pass.chunk), count = layers(pass);
    for (std::int64_t l = 0; l < count; ++l) {
      parameters_.before_layer(pass, l);
      if (model_.is_mtp_layer(first + l)) {
        writer_.head();
        writer_.project();
      }
      writer_.forward_layer(first + l, plan_.micro_batch_of(pass));
      if (is_offloaded(l)) writer_.offload_layer(kept_activation_bytes(model_, plan_, first + l));
    }
    if (ends(pass) && !begins(pass)) writer_.load_batch(1);
    if (ends(pass)) writer_.head();
  }

  void backward(const ChunkPass& pass) {
    const bool is_split = pass.kind == PassKind::input_gradient;
    if (ends(pass)) writer_.head_backward(is_split);
    const std::int64_t first = plan_.first_layer(model_, stage_, pass.chunk), count = layers(pass);
    for (std::int64_t l = count - 1; l >= 0; --l) {
      parameters_.before_layer(pass, l);
      // One layer ahead.
      if (l == count - 1 && is_offloaded(l)) reload(first + l);
      if (is_offloaded(l - 1)) reload(first + l - 1);
      if (is_offloaded(l)) writer_.wait_for_layer();
      writer_.backward_layer(first + l, plan_.micro_batch_of(pass), is_split);
      if (model_.is_mtp_layer(first + l)) {
        writer_.project_backward(is_split);
        writer_.head_backward(is_split);
      }
      if (!is_split) parameters_.after_layer(pass, first + l);
    }
    if (begins(pass)) writer_.embed_backward();
  }

  /// `layer` counts those of a chunk.
  [[nodiscard]] bool is_offloaded(std::int64_t layer) const {
    return !evaluates_ && layer >= 0 && layer < plan_.offload_layers;
  }
  void reload(std::int64_t layer) { writer_.reload_layer(kept_activation_bytes(model_, plan_, layer)); }

  void weights(const ChunkPass& pass) {
    if (ends(pass)) writer_.weight_gradients();
    const std::int64_t first = plan_.first_layer(model_, stage_, pass.chunk);
    for (std::int64_t l = layers(pass) - 1; l >= 0; --l) {
      writer_.weight_gradients();
      // Its projection, and the output layer before it.
      for (int i = 0; i < 2 && model_.is_mtp_layer(first + l); ++i) writer_.weight_gradients();
      parameters_.after_layer(pass, first + l);
    }
  }

  const Transformer& model_;
  const TrainingPlan& plan_;
  std::uint32_t stage_;
  StageWriter& writer_;
  StageParameterFlow parameters_;
  SteppedPipeline steps_;
  SteppedOver stepped_over_;
  bool evaluates_ = false;
};

}  // namespace

Program write_stage(const Transformer& model, const TrainingPlan& plan, const TrainingGroups& groups,
                    std::uint32_t stage, JobBuilder& job, GateHistory& history) {
  StageWriter writer(model, plan, groups, stage, job, history);
  PassWriter passes(model, plan, stage, writer);
  const std::vector<ChunkPass> order = plan.passes(stage);
  writer.restore_checkpoint();
  writer.save_to_peers();
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i].overlaps_next)
      passes.write_together(order[i], order[i + 1]), ++i;
    else
      passes.write(order[i]);
  writer.end_passes();
  writer.reload_optimizer();
  writer.marker("gradients");
  passes.parameters().finish();
  writer.sum_partial_gradients();
  if (stage == 0 || stage + 1 == plan.pp) writer.reduce_shared_embedding();
  writer.optimizer_step();
  if (plan.eval_interval > 0) passes.evaluate(order);
  writer.save_checkpoint();
  history.end_step(plan.micro_batches());
  Program program = writer.take();
  program.stepped_over = passes.stepped_over();
  return program;
}

}  // namespace lightrail
