#include "workloads/import/chakra/chakra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/import/ahead.hpp"
#include "workloads/import/chakra/chakra_program.hpp"

namespace lightrail {

namespace {

/// The rank in "<prefix>.<rank>.et" or "...et.gz"; throws when there is none.
std::uint32_t rank_of(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view ending : {".gz", ".et", ".json"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.erase(name.size() - ending.size());
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

/// Nodes as they follow one another in a file.
struct Batch {
  bool follows_control = true;
  std::vector<ChakraNode> nodes;
};

/// Gives a file's nodes, also those before a mistake in it.
void read_batches(const std::string& path, const std::function<void(Batch)>& give) {
  constexpr std::size_t nodes_at_once = 256;
  Batch batch;
  try {
    read_chakra(
        path, [&](const ChakraHeader& header) { batch.follows_control = !header.is_from_pytorch; },
        [&](ChakraNode& node) {
          batch.nodes.push_back(std::move(node));
          if (batch.nodes.size() == nodes_at_once)
            give(std::exchange(batch, Batch{batch.follows_control, {}}));
        });
  } catch (...) {
    give(std::move(batch));
    throw;
  }
  give(std::move(batch));
}

class Reading {
 public:
  Reading(const ChakraOptions& options, std::vector<std::string> files)
      : options_(options),
        files_(std::move(files)),
        ranks_(options.ranks > 0 ? options.ranks : static_cast<std::uint32_t>(files_.size())) {
    if (!options.groups_file.empty()) groups_ = read_chakra_groups(options.groups_file, ranks_);
  }

  /// A single file is often one rank's of a larger job, and nothing in it says so.
  void note_lonely_collectives(JobOutput& output) const {
    const auto collects = [](const ProgramDigest& program) { return !program.collectives.empty(); };
    if (ranks_ == 1 && std::any_of(output.digests().begin(), output.digests().end(), collects))
      output.job().note(fmt::format(
          "{}: one rank, whose collectives have no partner and take no time (ranks=8: 8 ranks execute it)",
          files_[0]));
  }

  [[nodiscard]] const std::string& file_of(std::uint32_t rank) const {
    return files_[options_.ranks > 0 ? 0 : rank];
  }

  void begin(JobOutput& output) const { output.begin(ranks_); }

  /// Where ranks give different sizes to an all-to-all, a second reading is told what pairs exchange.
  void read(JobOutput& output, MessageLedger& ledger) {
    MessageLedger first;
    read(output, first, true);
    const Capture capture = capture_.finish();
    output.job().job().capture = capture;
    if (!exchanges_.is_uneven()) return void(ledger = std::move(first));
    output.restart();
    begin(output);
    exchanges_.finish(output.job());
    output.job().job().capture = capture;
    read(output, ledger, false);
  }

  void read(JobOutput& output, MessageLedger& ledger, bool collects) {
    GroupFamilies families(output.job(), ranks_);
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      ChakraProgram program(file_of(r), {r, ranks_}, groups_,
                            {families, output, ledger, exchanges_, capture_, collects});
      consume_behind<Batch>([&](const auto& give) { read_batches(file_of(r), give); },
                            [&](Batch batch) {
                              for (ChakraNode& node : batch.nodes) program.add(node, batch.follows_control);
                            });
      output.job().assign(r, program.end(fmt::format("rank {}", r)));
    }
  }

 private:
  const ChakraOptions& options_;
  std::vector<std::string> files_;
  std::uint32_t ranks_ = 0;
  ChakraGroups groups_;
  ChakraExchanges exchanges_;
  ChakraCapture capture_;
};

}  // namespace

void import_chakra(const ChakraOptions& options, JobOutput& output) {
  if (options.files.empty()) throw InputErrors(InputError{"", 0, "no trace file given"});
  Reading reading(options, by_rank(options));
  reading.begin(output);
  MessageLedger ledger;
  reading.read(output, ledger);
  if (ledger.is_balanced()) return reading.note_lonely_collectives(output);
  ledger.focus();
  JobOutput nowhere(JobOutput::discard);
  reading.begin(nowhere);
  reading.read(nowhere, ledger, false);
  const auto problem = ledger.problem();
  throw InputErrors(
      InputError{reading.file_of(problem.rank), 0, fmt::format("node {}: {}", problem.place, problem.what)});
}

}  // namespace lightrail
