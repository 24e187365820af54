#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;

namespace {

using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

std::string list(const std::vector<int>& numbers) {
  std::string text = "[";
  for (int n : numbers) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

std::string group(const std::string& name, const std::vector<int>& members) {
  return R"("Group size": )" + std::to_string(members.size()) + R"(, "Process Group Name": ")" + name +
         R"(", "Process Group Description": ")" + name.substr(0, 2) + R"(", "Process Group Ranks": ")" +
         list(members) + R"(", "dtype": "BFloat16")";
}

std::string elements(const std::string& collective, int in, int out) {
  return R"(, "Collective name": ")" + collective + R"(", "In msg nelems": )" + std::to_string(in) +
         R"(, "Out msg nelems": )" + std::to_string(out);
}

std::vector<std::uint32_t> members_of(const Job& job, const Op& op, std::uint32_t rank) {
  for (const auto& listed : job.groups[op.group.value].listed) {
    std::vector<std::uint32_t> members;
    bool is_in = false;
    for (EndpointId gpu : listed) members.push_back(gpu.value), is_in = is_in || gpu.value == rank;
    if (is_in) return members;
  }
  return {};
}

/// What every rank sends every other by messages, and takes by them; both must be the same.
Pairs messages(const Job& job, OpKind kind) {
  Pairs pairs;
  for (std::uint32_t r = 0; r < job.gpu_count; ++r)
    for (const Op& op : program_of(job, r).ops)
      if (op.kind == kind) {
        const std::uint32_t other = members_of(job, op, r).at(static_cast<std::size_t>(op.peer));
        pairs[kind == OpKind::send ? std::pair{r, other} : std::pair{other, r}] += op.bytes;
      }
  return pairs;
}

/// What every pair exchanges by all-to-alls.
Pairs exchanges(const Job& job) {
  Pairs pairs;
  for (std::uint32_t r = 0; r < job.gpu_count; ++r)
    for (const Op& op : program_of(job, r).ops) {
      if (op.collective != CollectiveType::all_to_all) continue;
      const auto members = members_of(job, op, r);
      const SplitMatrix& matrix = job.programs.splits[op.split];
      for (std::size_t f = 0; f < members.size(); ++f)
        if (members[f] == r)
          for (std::size_t t = 0; t < members.size(); ++t)
            pairs[{r, members[t]}] += matrix.bytes[f * members.size() + t];
    }
  std::erase_if(pairs, [](const auto& pair) { return pair.second == 0; });
  return pairs;
}

}  // namespace

TEST_CASE("Megatron's TP 2, PP 2, EP 2 with coalesced sends moves what each rank says, pair by pair") {
  // Rank = tp + 2 ep + 4 stage. Stage 0 sends 2,048 elements on and takes 1,024 gradients in one batch. Of
  // experts rank r gives its partner 3 + r rows of 16 and keeps one.
  TraceFolder folder;
  ImportOptions options{"kineto", {}};
  Pairs sent, exchanged;
  for (int r = 0; r < 8; ++r) {
    const int tp = r ^ 1, ep = r ^ 2, pp = r ^ 4;
    const auto pair = [&](int other) { return std::vector<int>{std::min(r, other), std::max(r, other)}; };
    const int given = 3 + r, taken = 3 + ep;
    const int out = r < 4 ? 2048 : 1024, in = r < 4 ? 1024 : 2048;
    const bool is_first = r < ep;
    const std::string stage = group("pp" + std::to_string(r % 4), pair(pp));
    KinetoText text(r, 8);
    text.launch("gemm", 100, 110, 20, 1)
        .launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 120, 140, 10, 2, 20,
                group("tp" + std::to_string(r / 2), pair(tp)) + elements("allreduce", 512, 512))
        .launch("ncclDevKernel_SendRecv", 150, 160, 10, 3, 20,
                group("ep" + std::to_string(r % 2 + r / 4 * 2), pair(ep)) +
                    elements("all_to_allv", 16 * (given + 1), 16 * (taken + 1)) + R"(, "In split size": ")" +
                    list(is_first ? std::vector{1, given} : std::vector{given, 1}) +
                    R"(", "Out split size": ")" +
                    list(is_first ? std::vector{1, taken} : std::vector{taken, 1}) + "\"")
        .event("cpu_op", "record_param_comms", "180", "2",
               stage + elements("send", out, out) + R"(, "Dst Rank": )" + std::to_string(pp))
        .event("cpu_op", "record_param_comms", "184", "2",
               stage + elements("recv", in, in) + R"(, "Src Rank": )" + std::to_string(pp))
        .launch("ncclDevKernel_SendRecv", 190, 200, 30, 4, 24, stage + R"(, "Collective name": "coalesced")");
    options.files.push_back(folder.plain("rank" + std::to_string(r) + ".json", text.text()));
    const auto rank = static_cast<std::uint32_t>(r);
    sent[{rank, static_cast<std::uint32_t>(pp)}] = 2 * out;
    exchanged[{rank, static_cast<std::uint32_t>(ep)}] = 2 * 16 * given;
    exchanged[{rank, rank}] = 2 * 16;
  }
  const Job job = imported(options);
  CHECK(messages(job, OpKind::send) == sent);
  CHECK(messages(job, OpKind::recv) == sent);
  CHECK(exchanges(job) == exchanged);
  CHECK(job.groups.size() == 3);  // tp, ep and pp, each of four groups of two
  CHECK(job.notes.empty());
}

TEST_CASE("a recommendation model of 64 ranks exchanges its tables' rows exactly, and gradients back") {
  // Rank f gives rank t (7 f + 3 t) mod 11 rows of 32 elements, rank 63 neither gives nor takes.
  constexpr int ranks = 64, row = 32;
  const auto rows = [](int f, int t) { return f == 63 || t == 63 ? 0 : (7 * f + 3 * t) % 11; };
  TraceFolder folder;
  ImportOptions options{"kineto", {}};
  Pairs wanted;
  std::vector<int> everybody;
  for (int r = 0; r < ranks; ++r) everybody.push_back(r);
  for (int r = 0; r < ranks; ++r) {
    std::vector<int> give, take;
    int given = 0, taken = 0;
    for (int t = 0; t < ranks; ++t) {
      give.push_back(rows(r, t)), take.push_back(rows(t, r));
      given += give.back(), taken += take.back();
      const std::int64_t bytes = 2 * row * (rows(r, t) + rows(t, r));
      if (bytes > 0) wanted[{static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(t)}] = bytes;
    }
    KinetoText text(r, ranks);
    text.launch("embedding", 100, 110, 20, 1);
    const auto exchange = [&](int at, int correlation, int in, int out, const std::vector<int>& in_rows,
                              const std::vector<int>& out_rows) {
      const std::string args = group("0", everybody) + elements("all_to_allv", row * in, row * out) +
                               R"(, "In split size": ")" + list(in_rows) + R"(", "Out split size": ")" +
                               list(out_rows) + "\"";
      text.event("cpu_op", "record_param_comms", std::to_string(at - 1), "8", args);
      if (in + out > 0) text.launch("ncclDevKernel_SendRecv", at, at + 20, 10, correlation, 20, args);
    };
    exchange(150, 2, given, taken, give, take);
    exchange(250, 3, taken, given, take, give);
    // Every rank has some communication, or nothing says on which stream it takes part.
    text.launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 300, 320, 10, 4, 20,
                group("0", everybody) + elements("allreduce", 512, 512));
    options.files.push_back(folder.plain("rank" + std::to_string(r) + ".json", text.text()));
  }
  CHECK(exchanges(imported(options)) == wanted);
}
