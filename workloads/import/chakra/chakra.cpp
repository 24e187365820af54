#include "workloads/import/chakra/chakra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/import/chakra/chakra_program.hpp"

namespace lightrail {

namespace {

/// The rank in "<prefix>.<rank>.et" or "...et.gz"; throws when there is none.
std::uint32_t rank_of(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const char* ending : {".gz", ".et"})
    if (name.size() > 3 && name.compare(name.size() - 3, 3, ending) == 0) name.resize(name.size() - 3);
  const std::size_t dot = name.rfind('.');
  std::uint32_t rank = 0;
  const char* begin = name.data() + (dot == std::string::npos ? name.size() : dot + 1);
  const char* end = name.data() + name.size();
  auto [stop, code] = std::from_chars(begin, end, rank);
  if (code != std::errc{} || stop != end || rank >= (1 << 20))
    throw InputErrors(InputError{path, 0, "its name does not say its rank (expected <prefix>.<rank>.et)"});
  return rank;
}

/// The files by rank: every rank once.
std::vector<std::string> by_rank(const ChakraOptions& options) {
  if (options.ranks > 0) {
    if (options.files.size() > 1)
      throw InputErrors(InputError{options.files[1], 0, "a second file, where one stands for all ranks"});
    return options.files;
  }
  std::vector<std::pair<std::uint32_t, std::string>> found;
  for (const auto& file : options.files) found.emplace_back(rank_of(file), file);
  std::sort(found.begin(), found.end());
  std::vector<std::string> files;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i].first == found[i - 1].first)
      throw InputErrors(InputError{
          found[i].second, 0, fmt::format("rank {} is also in {}", found[i].first, found[i - 1].second)});
    if (found[i].first != i)
      throw InputErrors(InputError{found[i].second, 0,
                                   fmt::format("no file for rank {} ({} files given)", i, found.size())});
    files.push_back(found[i].second);
  }
  return files;
}

void read(const ChakraOptions& options, const std::vector<std::string>& files, JobOutput& output,
          MessageLedger& ledger) {
  const auto ranks = options.ranks > 0 ? options.ranks : static_cast<std::uint32_t>(files.size());
  output.begin(ranks);
  GroupFamilies families(output.job(), ranks);
  ChakraGroups groups;
  if (!options.groups_file.empty()) groups = read_chakra_groups(options.groups_file, ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const std::string& path = files[options.ranks > 0 ? 0 : r];
    ChakraProgram program(path, {r, ranks}, groups, families, output, ledger);
    bool follows_control = true;
    read_chakra(
        path, [&](const ChakraHeader& header) { follows_control = !header.is_from_pytorch; },
        [&](ChakraNode& node) { program.add(node, follows_control); });
    output.job().assign(r, program.end(fmt::format("rank {}", r)));
  }
}

}  // namespace

void import_chakra(const ChakraOptions& options, JobOutput& output) {
  if (options.files.empty()) throw InputErrors(InputError{"", 0, "no trace file given"});
  const auto files = by_rank(options);
  MessageLedger ledger;
  read(options, files, output, ledger);
  if (ledger.is_balanced()) return;
  ledger.focus();
  JobOutput nowhere(JobOutput::discard);
  read(options, files, nowhere, ledger);
  const auto problem = ledger.problem();
  throw InputErrors(InputError{files[options.ranks > 0 ? 0 : problem.rank], 0,
                               fmt::format("node {}: {}", problem.place, problem.what)});
}

}  // namespace lightrail
