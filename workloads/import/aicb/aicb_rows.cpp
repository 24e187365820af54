#include "workloads/import/aicb/aicb_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <sstream>
#include <string_view>

#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "workloads/import/text_lines.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

namespace {

constexpr std::int64_t longest_ns = std::int64_t{1} << 50;  // 13 days
constexpr std::size_t columns = 12;

const std::array<std::pair<std::string_view, CollectiveType>, 5> collectives{
    {{"ALLREDUCE", CollectiveType::all_reduce},
     {"ALLTOALL", CollectiveType::all_to_all},
     {"ALLGATHER", CollectiveType::all_gather},
     {"REDUCESCATTER", CollectiveType::reduce_scatter},
     {"BROADCAST", CollectiveType::broadcast}}};

class Reader {
 public:
  Reader(const std::string& path, std::uint32_t gpus) : lines_(path) { workload_.gpus = gpus; }

  AicbWorkload run() {
    header();
    std::string line;
    if (!lines_.next(line)) lines_.fail("the number of layers lacks (line 2)");
    const std::int64_t count = number(line, "number of layers", std::int64_t{1} << 32);
    for (std::int64_t i = 0; i < count; ++i) {
      do {
        if (!lines_.next(line)) lines_.fail(fmt::format("the file ends after {} of {} layers", i, count));
      } while (line.find_first_not_of(" \t") == std::string::npos);
      row(line);
    }
    while (lines_.next(line))
      if (line.find_first_not_of(" \t") != std::string::npos)
        lines_.fail(fmt::format("more than the {} layers that line 2 announces", count));
    return std::move(workload_);
  }

 private:
  [[nodiscard]] std::int64_t number(std::string_view text, const std::string& what, std::int64_t most) const {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    std::int64_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    // Some writers give sizes as real numbers.
    if (code == std::errc{} && end != text.data() + text.size() && *end == '.')
      end =
          text.data() +
          std::min(text.find_first_not_of('0', static_cast<std::size_t>(end - text.data()) + 1), text.size());
    if (text.empty() || code == std::errc::invalid_argument || end != text.data() + text.size())
      lines_.fail(fmt::format("invalid {} '{}' (expected a whole number)", what, text));
    if (code != std::errc{} || value < 0 || value > most)
      lines_.fail(fmt::format("{} {} is out of range (0 ... {})", what, text, most));
    return value;
  }

  void header() {
    std::string line, policy, word, value;
    if (!lines_.next(line)) lines_.fail("the file is empty (expected a SimAI workload)");
    std::istringstream words(line);
    words >> policy;
    const std::vector<std::string> policies{"HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER", "DATA",
                                            "MODEL"};
    if (std::find(policies.begin(), policies.end(), policy) == policies.end())
      lines_.fail("unknown policy: " + invalid_choice(policy, policies));
    is_data_ = policy == "DATA", is_model_ = policy == "MODEL";
    std::map<std::string, std::int64_t> values;
    while (words >> word) {
      if (word.back() == ':') word.pop_back();
      if (!(words >> value)) lines_.fail(fmt::format("'{}' has no value", word));
      values[word] = number(value, "value of '" + word + "'", largest_operation_bytes);
      if ((word == "checkpoints" || word == "checkpoint_initiates") && values[word] != 0)
        lines_.fail(fmt::format("'{}' is {}: recomputed layers are not replayed", word, values[word]));
    }
    auto take = [&](const char* name, auto& target, std::int64_t most) {
      auto it = values.find(name);
      if (it == values.end()) return;
      if (it->second < 1 || it->second > most)
        lines_.fail(fmt::format("'{}' {} is out of range (1 ... {})", name, it->second, most));
      target = static_cast<std::remove_reference_t<decltype(target)>>(it->second);
      values.erase(it);
    };
    take("model_parallel_NPU_group", workload_.tp, 1 << 20);
    take("ep", workload_.ep, 1 << 20);
    take("pp", workload_.pp, 1 << 20);
    take("vpp", workload_.chunks, 1 << 16);
    take("ga", workload_.micro_batches, 1 << 20);
    std::uint32_t all = 0;
    take("all_gpus", all, 1 << 20);
    if (workload_.gpus == 0) workload_.gpus = all;
    if (auto it = values.find("pp_comm"); it != values.end())
      workload_.stage_bytes = it->second, values.erase(it);
    for (const char* name : {"checkpoints", "checkpoint_initiates"}) values.erase(name);
    if (!values.empty()) lines_.fail(fmt::format("unknown key '{}'", values.begin()->first));
    if (workload_.gpus == 0) lines_.fail("the number of GPUs lacks: no 'all_gpus' here and no 'ranks' given");
    const std::int64_t share = std::int64_t{workload_.tp} * workload_.pp;
    if (workload_.gpus % share != 0 || workload_.gpus / share % workload_.ep != 0)
      lines_.fail(
          fmt::format("{} GPUs do not split into tensor parallel {} x pipeline {} x a multiple of ep {}",
                      workload_.gpus, workload_.tp, workload_.pp, workload_.ep));
  }

  void row(const std::string& line) {
    std::array<std::string_view, columns> at;
    std::size_t found = 0;
    std::string_view rest = line;
    for (;;) {
      const std::size_t begin = rest.find_first_not_of(" \t");
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      if (found < columns) at[found] = rest.substr(0, end);
      ++found;
      rest.remove_prefix(end);
    }
    if (found != columns)
      lines_.fail(
          fmt::format("{} columns (expected 12: name depen and time, collective, bytes of forward, "
                      "input gradient, weight gradient, update time)",
                      found));
    AicbRow row;
    row.name = at[0];
    row.forward = part(at[2], at[3], at[4], is_data_ ? AicbGroup::dp : AicbGroup::tp);
    row.input_gradient = part(at[5], at[6], at[7], is_data_ ? AicbGroup::dp : AicbGroup::tp);
    row.weight_gradient = part(at[8], at[9], at[10], is_model_ ? AicbGroup::tp : AicbGroup::dp);
    row.update_ns = number(at[11], "update time", longest_ns);
    auto key = fmt::format("{}", fmt::join(at, "\t"));
    auto [it, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(workload_.kinds.size()));
    if (is_new) workload_.kinds.push_back(std::move(row));
    workload_.rows.push_back(it->second);
  }

  [[nodiscard]] AicbPart part(std::string_view time, std::string_view name, std::string_view bytes,
                              AicbGroup group) const {
    AicbPart part;
    part.compute_ns = number(time, "time", longest_ns);
    part.bytes = number(bytes, fmt::format("size of {}", name), largest_operation_bytes);
    part.group = group;
    if (name == "NONE") return part;
    std::string_view plain = name;
    auto ends = [&](std::string_view suffix) {
      return plain.size() > suffix.size() && plain.ends_with(suffix);
    };
    if (ends("_DP_EP"))
      part.group = AicbGroup::dp_ep, plain.remove_suffix(6);
    else if (ends("_EP"))
      part.group = AicbGroup::ep, plain.remove_suffix(3);
    for (const auto& [word, type] : collectives)
      if (plain == word) part.collective = type;
    if (part.collective == CollectiveType::none)
      lines_.fail(
          fmt::format("unknown collective '{}' (NONE, ALLREDUCE, ALLTOALL, ALLGATHER, REDUCESCATTER, "
                      "BROADCAST, each also with _EP or _DP_EP)",
                      name));
    return part;
  }

  TextLines lines_;
  AicbWorkload workload_;
  bool is_data_ = false, is_model_ = false;
  std::map<std::string, std::uint32_t> known_;
};

}  // namespace

AicbWorkload read_aicb_workload(const std::string& path, std::uint32_t gpus) {
  return Reader(path, gpus).run();
}

}  // namespace lightrail
