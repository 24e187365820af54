#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// A resource of the model: NICs tell GPUs of the first train of a batch and of the rest with its last
/// (`<network arrivals="batches">`, CountedTrain), where may_count_trains(). Only of a model without optical
/// switches, whose senders need to know how often a train was sent again.
struct ToldByBatches {};

/// Whether NICs may count the trains that they send: it is asked for, and nothing on their way needs what
/// Train says of packets and retries, takes a train back, or throws one away. So not where links or jobs
/// fail, or marks slow flows down.
[[nodiscard]] bool may_count_trains(const Model& model);

}  // namespace lightrail
