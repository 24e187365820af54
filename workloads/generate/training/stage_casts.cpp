#include <cstdint>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

/// Bytes that casts move. A scale of steps before: read once, written in both layouts, or written so by a
/// norm or an activation. A tensor's own: a read more for its largest value, which such a kernel finds on its
/// way. Of a row: a block holds it, so one read; of a column: read twice, and only where the gradient of
/// weights sums over rows (cast_columns); weights go back transposed, through a copy of two bytes (torchao,
/// testing/training/roofline_utils.py). Weights are cast in every pass; with delayed scales and with those of
/// blocks once a step, which is left out.
void StageWriter::cast_forward(From from, std::int64_t rows, std::int64_t n, std::int64_t k,
                               std::int64_t kernels) {
  if (!is_quantised(plan_.dtype)) return;
  const bool is_fused = from == From::kernel;
  // The other layout is for the gradient of weights, so a pass whose input is computed again leaves it out.
  const bool is_kept = keeps_all_ || (plan_.recompute == Recompute::light && from == From::other);
  const std::int64_t input = rows * k, weights = kernels * n * k, layouts = is_kept ? 2 : 1;
  if (has_block_scales(plan_.dtype)) return cast_blocks(from, input, layouts, kernels);
  auto cast = [&](std::int64_t bytes) {
    if (rows > 0) memory("cast", bytes * input, kernels);
  };
  switch (plan_.float8_recipe) {
    case Float8Recipe::delayed:
      if (!is_fused) cast(2 + layouts);
      return;
    case Float8Recipe::tensorwise:
      cast((is_fused ? 0 : 2) + (2 + layouts));
      return memory("cast weights", (2 + (2 + 1)) * weights, kernels);
    case Float8Recipe::rowwise:
      cast((is_fused ? 0 : 2) + 1);
      return memory("cast weights", (2 + 1) * weights, kernels);
  }
}

void StageWriter::cast_backward(From from, std::int64_t rows, std::int64_t n, std::int64_t k,
                                std::int64_t kernels) {
  if (!is_quantised(plan_.dtype)) return;
  if (has_block_scales(plan_.dtype)) return cast_blocks(From::other, rows * n, 2, kernels);
  const bool is_fused = from == From::kernel;
  const std::int64_t gradient = rows * n, weights = kernels * n * k;
  switch (plan_.float8_recipe) {
    case Float8Recipe::delayed:
      if (!is_fused) memory("cast", (2 + 1 + 1) * gradient, kernels);
      return;
    case Float8Recipe::tensorwise:
      memory("cast", ((is_fused ? 0 : 2) + (2 + 1 + 1)) * gradient, kernels);
      return memory("cast weights", (2 + 1) * weights, kernels);
    case Float8Recipe::rowwise:
      if (rows > 0) memory("cast", ((is_fused ? 0 : 2) + 1) * gradient, kernels);
      return memory("cast weights", (2 + 2 + (2 + 1)) * weights, 2 * kernels);
  }
}

void StageWriter::cast_blocks(From from, std::int64_t elements, std::int64_t copies, std::int64_t kernels) {
  if (elements == 0 || (from == From::kernel && plan_.fuses_casts)) return;
  const std::int64_t reads = plan_.dtype == DataType::nvfp4 ? 2 : 1;
  memory("cast", 2 * reads * elements + copies * bytes_of(plan_.dtype, elements), kernels);
}

void StageWriter::cast_gathered(std::int64_t rows, std::int64_t width) {
  if (dtype_ == DataType::fp8 && casts_gathered()) memory("cast", (2 + 1) * rows * width);
}

void StageWriter::cast_columns(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch,
                               bool gathers, bool is_input_cast) {
  weight_memory("cast columns", (2 + 2 + 1) * batch * k * ((is_input_cast ? 0 : m) + n),
                (is_input_cast ? 1 : 2) * batch, gathers ? m : 0);
}

void StageWriter::cast_again(From from, std::int64_t rows, std::int64_t columns, std::int64_t kernels) {
  if (!plan_.narrows_operands()) return;
  if (has_block_scales(plan_.dtype)) return cast_blocks(from, rows * columns, 1, kernels);
  if (plan_.float8_recipe == Float8Recipe::tensorwise || from != From::kernel)
    memory("cast", (2 + 1) * rows * columns, kernels);
}

}  // namespace lightrail
