#pragma once
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// Puts jobs from a list in the place of each <jobs file="arrivals.csv"> of `root`: a row of the file is a
/// <workload>, made of the one of <jobs> that the column `workload` names; it has its name from the column
/// `name`, and every other column is an attribute, an empty cell none. Rows that begin with # and empty lines
/// are passed over; a cell with commas stands in quotation marks. Attributes have file and line of their row,
/// so whoever refuses one names it.
///
/// Adds what it reads to `inputs`. Mistakes, with file and line: no file, no `name` or `workload` among the
/// columns, a column twice, rows with more or fewer cells, without a name or of a workload that <jobs> does
/// not have; a <workload> of <jobs> without a name, or that no row names; a list without rows.
void expand_jobs(Element& root, std::vector<std::string>& inputs, ErrorList& errors);

}  // namespace lightrail
