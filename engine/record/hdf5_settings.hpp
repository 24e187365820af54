#pragma once
#include <hdf5.h>

#include <cstdint>

#include "engine/model/table_schema.hpp"
#include "engine/record/hdf5_handle.hpp"

namespace lightrail {

/// Rows of a chunk, of every column of the output but those of a table that is written once and has fewer: a
/// column is a chunk at least, which is filtered whole. With 65,536 rows that took a quarter of a second of
/// every short run, with so many two thirds of its instructions.
inline constexpr std::int64_t chunk_rows = 16'384;
/// So many rows of a table on one rank are written without waiting for the clock.
inline constexpr std::int64_t many_rows = 65'536;

/// Silences HDF5's own printing and keeps it from closing files by itself when the process ends. Call it
/// before MPI_Init: a library that starts later closes them inside MPI_Finalize, and HDF5 1.10.8 crashes
/// there when a file cannot be written (disk full).
void prepare_hdf5();

/// Lets nothing but a flush write metadata, so that a process that is killed leaves the file as the last
/// flush left it.
void forbid_eviction(hid_t file);

/// The HDF5 type of a column's values in memory.
[[nodiscard]] hid_t memory_type(ColumnType type);

/// A one-dimensional space of `rows`.
[[nodiscard]] Hdf5Handle make_space(std::int64_t rows);

/// In memory and in the file, rows [first, first + count) of `space`; none for count 0.
[[nodiscard]] Hdf5Handle select_rows(hid_t space, std::int64_t first, std::int64_t count);

}  // namespace lightrail
