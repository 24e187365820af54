#pragma once
#include "engine/model/output_selection.hpp"
#include "engine/model/table_registry.hpp"
#include "engine/scenario/element.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// <output file="" interval="100 ms"> with <table name="ops" gpus="0-7,16"/> or record="off", or the defaults
/// where `output` is null: ops, messages, collectives and traffic_matrix of the first 8 GPUs, traffic and
/// steps of all, and every table of switches, links and storage (TableScope). A host is recorded with any GPU
/// of its server, storage servers only with gpus="all".
[[nodiscard]] OutputSelection parse_output(const Element* output, const AddressBook& book,
                                           const TableRegistry& tables, ErrorList& errors);

}  // namespace lightrail
