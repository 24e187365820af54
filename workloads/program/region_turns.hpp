#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "network/circuits/regions.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {

/// A controller makes circuits for the exchanges of its whole region in turn, the k-th of every GPU together.
/// "" or why the GPUs of some region would wait for each other for ever, though their groups would not:
/// programs with different numbers of exchanges, or whose exchanges come one after the other, as those of
/// pipeline stages do, also by way of other regions. One iteration is gone through without times; what need
/// not be waited for is taken as there, so that what is found is certain. `dimension`: index of
/// Regions::dimension in Model::dimensions. Cost: O(operations x GPUs) where any region has several programs.
[[nodiscard]] std::string waits_of_regions(const ProgramSet& programs, const ProgramIndexes& indexes,
                                           const GroupTable& groups, const Regions& regions,
                                           const AddressBook& book, std::uint16_t dimension,
                                           const std::vector<std::string>& names);

}  // namespace lightrail
