#pragma once
#include "engine/model/model.hpp"
#include "engine/record/result_file.hpp"

namespace lightrail {

/// /model (components, links, link classes, every effective parameter, group kinds), /names and /dimensions.
/// Collective over the file's writers.
void write_model(ResultFile& file, const Model& model);

}  // namespace lightrail
