#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "engine/record/column_writer.hpp"
#include "engine/record/row_buffer.hpp"

namespace lightrail {

/// The rows that this rank writes: rows [slab.begin, slab.end) of the file, in order.
struct RowSlab {
  std::int64_t total = 0;  ///< rows of the file after this write
  Slab slab;
  std::vector<std::int64_t> values;  ///< row-major
};

/// Sends every rank's sorted rows to the writer whose slab of the global order (interval, component, ...)
/// they fall in. Ranks 0 ... writers - 1 write; `written` rows are in the file already. A component's rows of
/// one interval live on one rank, so the runs alone fix the order. Collective over `comm`.
[[nodiscard]] RowSlab redistribute(MPI_Comm comm, int writers, std::int64_t written, std::size_t width,
                                   const std::vector<RowRun>& runs, const std::vector<std::int64_t>& rows);

}  // namespace lightrail
