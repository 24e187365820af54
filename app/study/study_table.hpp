#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/study/study_folder.hpp"
#include "app/study/study_point.hpp"

namespace lightrail {

/// The tables of a study as CSV (RFC 4180), by the end of their name. "": a row a point with `point`, its
/// settings, `status` (complete, not run, exit code N), `error`, every value of the summary, values inside
/// others as serving_ttft_p50_ps, and `result`, the result file relative to the folder, where there is one.
/// "_collectives", "_exposed", "_iterations" ...: what the summary has a list of, a row an entry with the
/// point's number and settings. A value of the summary that is called as a setting is summary_NAME.
/// `records`: one for each point.
[[nodiscard]] std::map<std::string, std::string> study_tables(const std::vector<StudyPoint>& points,
                                                              const std::vector<PointRecord>& records,
                                                              const StudyFolder& folder);

}  // namespace lightrail
