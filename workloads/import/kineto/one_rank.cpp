#include "workloads/import/kineto/one_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/import/fastest_members.hpp"
#include "workloads/import/kineto/kineto_program.hpp"

namespace lightrail {

namespace {

/// A process group of the rank, continued over all ranks.
struct Place {
  GroupKindId kind{};
  std::uint16_t dimension = no_dimension;
  std::uint32_t size = 1, index = 0;  ///< the rank's own place
  std::vector<std::uint32_t> members;
};

class Importer {
 public:
  Importer(const RankTrace& trace, std::uint32_t ranks, JobOutput& output)
      : trace_(trace), ranks_(ranks), output_(output) {}

  void run() {
    output_.begin(ranks_);
    JobBuilder& job = output_.job();
    for (const std::string& note : trace_.notes) job.note(note);
    if (ranks_ > 1)
      job.note(fmt::format("{}: the other {} taken to do what rank {} did", trace_.path,
                           ranks_ == 2 ? "rank is" : fmt::format("{} ranks are", ranks_ - 1), trace_.rank));
    for (const ProcessGroup& group : trace_.groups) places_.push_back(place_of(group));
    check_messages();
    job.job().capture = capture();
    ReplayOptions replay;
    replay.epoch_ns = std::min(trace_.first_call_ns, trace_.figures.first_start_ns);
    replay.bind_communication = [&](std::size_t index, Op& op) { bind(trace_.communications[index], op); };
    const std::uint32_t program = output_.program(make_replay_program(trace_, replay, job));
    for (std::uint32_t r = 0; r < ranks_; ++r) job.assign(r, program);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputErrors(InputError{trace_.path, 0, what});
  }

  Place place_of(const ProcessGroup& group) {
    Place place;
    place.members = group.ranks;
    const bool is_everybody = place.members.empty() && group.size == ranks_;
    const std::string name = group.description.empty() ? group.name : group.description;
    if (place.members.empty() && !is_everybody)
      fail(fmt::format("process group '{}' of {} does not list its ranks: nothing says who the others' are",
                       name, group.size));
    if (is_everybody)
      for (std::uint32_t r = 0; r < ranks_; ++r) place.members.push_back(r);
    const auto& members = place.members;
    const auto count = static_cast<std::uint32_t>(members.size());
    const std::uint32_t stride = count > 1 && members[1] > members[0] ? members[1] - members[0] : 1;
    const std::uint32_t index = trace_.rank / stride % count;
    bool is_regular = ranks_ % (std::uint64_t{count} * stride) == 0;
    for (std::uint32_t i = 0; i < count; ++i)
      is_regular =
          is_regular && members[i] + std::uint64_t{index} * stride == trace_.rank + std::uint64_t{i} * stride;
    if (!is_regular)
      fail(
          fmt::format("process group '{}' of {} ranks is no regular part of {} ranks: nothing says who the "
                      "others' are",
                      name, count, ranks_));
    place.size = count;
    place.index = index;
    const bool is_world = count == ranks_;
    const auto known = kinds_.find({count, stride});
    if (known != kinds_.end()) {
      place.kind = known->second.first;
      place.dimension = known->second.second;
      return place;
    }
    JobBuilder& job = output_.job();
    GroupKind kind;
    kind.name = is_world ? "world" : name.empty() ? fmt::format("pg{}", kinds_.size()) : name;
    while (job.find_group(kind.name).is_valid()) kind.name += "'";
    kind.digits = {{count, stride}};
    place.dimension = job.dimension(kind.name);
    place.kind = job.group(std::move(kind));
    kinds_[{count, stride}] = {place.kind, place.dimension};
    return place;
  }

  /// How many places further in the group the partner is.
  [[nodiscard]] std::uint32_t offset_of(const Communication& c) const {
    const Place& place = places_[c.group];
    const auto at =
        std::find(place.members.begin(), place.members.end(), static_cast<std::uint32_t>(c.peer_rank));
    const auto peer =
        at != place.members.end() ? static_cast<std::int64_t>(at - place.members.begin()) : c.peer_rank;
    if (peer >= place.size)
      fail(fmt::format("rank {} exchanges data with rank {}, which is not in its process group", trace_.rank,
                       c.peer_rank));
    return static_cast<std::uint32_t>((peer + place.size - place.index) % place.size);
  }

  /// What a rank sends k places further it must receive from k places before.
  void check_messages() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> sent, received;
    for (const Communication& c : trace_.communications) {
      if (c.kind == OpKind::collective) continue;
      const Place& place = places_[c.group];
      const std::uint32_t offset = offset_of(c);
      if (c.kind == OpKind::send)
        sent[{place.kind.value, offset}].push_back(c.bytes);
      else
        received[{place.kind.value, (place.size - offset) % place.size}].push_back(c.bytes);
    }
    if (sent != received)
      fail(
          fmt::format("rank {} sends what it does not receive from the other side: the others cannot do the "
                      "same (a stage of a pipeline?); give their traces",
                      trace_.rank));
  }

  void bind(const Communication& c, Op& op) {
    const Place& place = places_[c.group];
    op.kind = c.kind;
    op.collective = c.type;
    op.bytes = c.bytes;
    op.element_bytes = static_cast<std::uint16_t>(c.element_bytes);
    op.group = place.kind;
    op.dimension = place.dimension;
    if (c.kind != OpKind::collective) {
      op.peer_mode = PeerMode::offset;
      op.peer = static_cast<std::int32_t>(offset_of(c));
    }
    if (c.type == CollectiveType::all_to_all) op.split = split_of(c, place);
  }

  /// Every rank gives its k-th next member what this rank gives its own.
  std::uint16_t split_of(const Communication& c, const Place& place) {
    const ExchangePart& in = trace_.exchanges[static_cast<std::size_t>(c.exchange)].in;
    const auto& row = in.of_member;
    if (!in.is_listed)
      output_.job().note(fmt::format("{}: all-to-alls without split sizes are taken as even", trace_.path));
    const bool is_even =
        std::all_of(row.begin(), row.end(), [&](std::int64_t bytes) { return bytes == row[0]; });
    if (is_even) return 0;
    if (row.size() != place.size)
      fail(fmt::format("event {}: 'In split size' has {} entries for a group of {}", c.event, row.size(),
                       place.size));
    SplitMatrix matrix;
    matrix.size = place.size;
    for (std::uint32_t from = 0; from < place.size; ++from)
      for (std::uint32_t to = 0; to < place.size; ++to)
        matrix.bytes.push_back(row[(place.index + to + place.size - from) % place.size]);
    output_.job().note(
        fmt::format("{}: of uneven all-to-alls only rank {}'s part is known: every rank gives its "
                    "k-th next member the same",
                    trace_.path, trace_.rank));
    return output_.job().split(std::move(matrix));
  }

  [[nodiscard]] Capture capture() const {
    const RankTrace::Figures& f = trace_.figures;
    Capture all;
    all.ranks.push_back({trace_.rank, (f.end_ns - f.first_start_ns) * 1000, f.kernels_ns * 1000,
                         f.communication_ns * 1000, f.exposed_ns * 1000});
    all.step_ps = (f.end_ns - std::min(trace_.first_call_ns, f.first_start_ns)) * 1000;
    all.collectives = static_cast<std::int64_t>(trace_.communications.size());
    FastestMembers fastest;
    for (const GpuOperation& op : trace_.operations) {
      if (op.communication < 0 ||
          trace_.communications[static_cast<std::size_t>(op.communication)].kind != OpKind::collective)
        continue;
      const Communication& c = trace_.communications[static_cast<std::size_t>(op.communication)];
      fastest.add(c.type, c.bytes, op.duration_ns * 1000);
    }
    fastest.into(all);
    all.gpus = trace_.gpus;
    return all;
  }

  const RankTrace& trace_;
  std::uint32_t ranks_;
  JobOutput& output_;
  std::vector<Place> places_;  ///< by group of the trace
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<GroupKindId, std::uint16_t>> kinds_;
};

}  // namespace

void import_one_rank(const RankTrace& trace, std::uint32_t ranks, JobOutput& output) {
  Importer(trace, ranks, output).run();
}

}  // namespace lightrail
