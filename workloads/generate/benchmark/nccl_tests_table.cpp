#include "workloads/generate/benchmark/nccl_tests_table.hpp"

#include <fmt/format.h>

#include "workloads/job/operation_names.hpp"

namespace lightrail {

namespace {

std::string type_name(std::uint32_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return "int8";
    case 2:
      return "half";
    case 4:
      return "float";
    case 8:
      return "double";
    default:
      return fmt::format("{}-byte", element_bytes);
  }
}

/// Elements in nccl-tests' sense: of the whole buffer, of one part for all-gather, reduce-scatter and
/// all-to-all.
std::int64_t count_of(const CollectiveRow& row) {
  std::int64_t elements = row.size_bytes / row.element_bytes;
  switch (row.collective) {
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
    case CollectiveType::all_to_all:
      return elements / row.group_size;
    case CollectiveType::all_reduce:
    case CollectiveType::broadcast:
    case CollectiveType::barrier:
    case CollectiveType::none:
      return elements;
  }
  return elements;
}

std::string time_text(double us) {
  return us < 100   ? fmt::format("{:.2f}", us)
         : us < 1e5 ? fmt::format("{:.1f}", us)
                    : fmt::format("{:.0f}", us);
}

}  // namespace

double bus_factor(CollectiveType collective, std::uint32_t group_size) {
  double n = group_size;
  switch (collective) {
    case CollectiveType::all_reduce:
      return 2 * (n - 1) / n;
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
    case CollectiveType::all_to_all:
      return (n - 1) / n;
    case CollectiveType::broadcast:
    case CollectiveType::barrier:
    case CollectiveType::none:
      return 1;
  }
  return 1;
}

std::string nccl_tests_table(std::span<const CollectiveRow> rows) {
  std::string text;
  CollectiveType current = CollectiveType::none;
  for (const auto& row : rows) {
    if (row.collective != current) {
      current = row.collective;
      text += fmt::format(
          "# {} over {} GPUs\n#{:>13} {:>13} {:>8} {:>7} {:>6} {:>10} {:>8} {:>8}\n#{:>13} {:>13} {:>8} "
          "{:>7} {:>6} {:>10} {:>8} {:>8}\n",
          nccl_tests_name(current), row.group_size, "size", "count", "type", "redop", "root", "time", "algbw",
          "busbw", "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)");
    }
    bool is_reduction = current == CollectiveType::all_reduce || current == CollectiveType::reduce_scatter;
    std::string root = current == CollectiveType::broadcast ? std::to_string(row.root) : "-1";
    double us = static_cast<double>(row.time_ps) / 1e6;
    double algbw = row.time_ps > 0 ? static_cast<double>(row.size_bytes) / (us * 1e3) : 0;
    text += fmt::format(" {:>13} {:>13} {:>8} {:>7} {:>6} {:>10} {:>8.2f} {:>8.2f}\n", row.size_bytes,
                        count_of(row), type_name(row.element_bytes), is_reduction ? "sum" : "none", root,
                        time_text(us), algbw, algbw * bus_factor(current, row.group_size));
  }
  return text;
}

}  // namespace lightrail
