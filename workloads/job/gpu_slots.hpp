#pragma once
#include "engine/model/model.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/job/place_gpus.hpp"

namespace lightrail {

/// The GPUs of the system, nobody's yet. The leaf of a GPU is the switch at its first NIC's cable; of one
/// without such a cable, none (GpuSlots::nobody).
[[nodiscard]] GpuSlots gpu_slots(const Model& model, const AddressBook& book);

}  // namespace lightrail
