#pragma once
#include <cstdint>

#include "engine/model/model.hpp"

namespace lightrail {

/// What NICs tell GPUs of the trains that come in for them (`<network arrivals>`): the first of a batch and
/// the rest with its last (CountedTrain), or each.
enum class ArrivalReports : std::uint8_t { batches, trains };

/// A resource of the model where batches are asked for.
struct ToldByBatches {};

/// Whether NICs may count the trains that they send: it is asked for, and nothing on their way needs what
/// Train says of packets and retries, takes a train back, or throws one away. So not where light is switched,
/// links or jobs fail, or marks slow flows down.
[[nodiscard]] bool may_count_trains(const Model& model);

}  // namespace lightrail
