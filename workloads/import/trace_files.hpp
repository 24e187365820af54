#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lightrail {

/// The files that a pattern with * and ? in its last part names, sorted. Throws InputErrors when none match.
[[nodiscard]] std::vector<std::string> files_matching(const std::string& pattern);

/// The rank in a file's name: the number after the word "rank", else the last one before the first dot
/// ("trace_rank_0_step_10.json" -> 0, "megatron_kineto_3.json.gz" -> 3).
[[nodiscard]] std::optional<std::uint32_t> rank_by_name(const std::string& path);

/// The number at # of a pattern of the whole file name with * and ?: "trace_step_*_gpu_#.json".
[[nodiscard]] std::optional<std::uint32_t> rank_by_pattern(const std::string& path,
                                                           const std::string& pattern);

}  // namespace lightrail
