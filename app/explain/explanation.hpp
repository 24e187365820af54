#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/explain/critical_path.hpp"
#include "app/explain/result_reader.hpp"
#include "engine/model/remark.hpp"
#include "engine/record/summary.hpp"

namespace lightrail {

/// Of the GPUs of one role ("stage 0") in the step: what their time went into.
struct RoleTime {
  std::string role;
  std::int64_t gpus = 0, gpu_time_ps = 0;  ///< the time of all of them
  std::vector<std::int64_t> parts_ps;      ///< by StepTime::parts; they add up to gpu_time_ps
};

/// The same of the GPUs at one place of their groups: all of rank 3 in ep.
struct RankTime {
  std::string group;       ///< name of the group kind
  std::int64_t index = 0;  ///< place in the group
  std::int64_t gpus = 0, gpu_time_ps = 0;
  std::vector<std::int64_t> parts_ps;
};

/// Where a step went.
struct StepTime {
  std::int64_t iteration = 0, gpus = 0;
  std::int64_t step_ps = 0;           ///< from the first GPU's start to the last GPU's end
  std::int64_t gpu_time_ps = 0;       ///< of all GPUs together
  std::vector<ExposedSummary> parts;  ///< of all GPUs, the largest first; they add up to gpu_time_ps
  std::vector<RankTime> ranks;        ///< by group kind and index; of groups that most GPUs are in
  std::vector<RoleTime> roles;        ///< in the order of programs

  /// Time of a part over GPUs [ps].
  [[nodiscard]] double mean_ps(std::int64_t time_ps) const {
    return gpus > 0 ? static_cast<double>(time_ps) / static_cast<double>(gpus) : 0;
  }
};

/// A directed link and how busy it was.
struct LinkUse {
  std::int64_t link = 0;
  std::string name;        ///< "nic3 -> leaf0"
  std::string link_class;  ///< its class' name
  std::int64_t size_bytes = 0, busy_ps = 0;
  double share = 0;                                 ///< of the run
  double peak_share = 0;                            ///< of its busiest recording interval
  std::int64_t peak_start_ps = 0, peak_end_ps = 0;  ///< that interval
  /// What recorded GPUs did in that interval: "all_to_all ep", "message pp", share of its length in which
  /// some of them was in one; the largest first. Those of the servers at its ends, or all of them
  /// (met_anywhere).
  struct Meeting {
    std::string what;
    std::string dimension;  ///< whose traffic it is; empty: not known
    double share = 0;
  };
  std::vector<Meeting> met;
  bool met_anywhere = false;
  /// What the link carried in that interval, the largest first; empty unless link_traffic was recorded.
  struct Carried {
    std::string group;    ///< kind of group whose traffic it is; empty: of none
    std::string traffic;  ///< kind of connection: "pairs" of an all-to-all, "ring", "point_to_point", ...
    std::int64_t size_bytes = 0, busy_ps = 0;
  };
  std::vector<Carried> carried;
};

/// All links between two kinds of devices.
struct LinkKindUse {
  std::string name;  ///< "nic -> switch, ndr_copper"
  std::int64_t links = 0;
  double mean_share = 0, max_share = 0;  ///< of the run
};

/// One collective of one group, as its recorded members saw it.
struct SlowCollective {
  std::string collective, group;
  std::int64_t first_member = 0;  ///< endpoint id: which group of that kind
  std::int64_t place = 0;         ///< how many its group had before it
  std::int64_t size_bytes = 0, members = 0, recorded = 0;
  std::int64_t t_start_ps = 0, t_end_ps = 0;  ///< first start, last end
  std::string last;                           ///< the recorded member that started last
  std::int64_t late_ps = 0;                   ///< how long after the first one
  std::int64_t after_others_ps = 0;           ///< how long after the one before it

  [[nodiscard]] std::int64_t time_ps() const { return t_end_ps - t_start_ps; }
};

/// What a result says of where its time went and why.
struct Explanation {
  std::string file;
  StepTime step;
  bool has_links = false;                   ///< link_use was recorded
  std::vector<LinkKindUse> kinds;           ///< the busiest link's first
  std::vector<LinkUse> links;               ///< the busiest
  std::vector<LinkUse> limits;              ///< see read_links()
  bool has_collectives = false;             ///< some were recorded
  std::vector<SlowCollective> collectives;  ///< the slowest
  CriticalPath path;
  std::vector<Remark> remarks;
};

/// Links and collectives that an explanation has at most.
inline constexpr std::size_t most_shown = 10;

/// Of the last iteration. Throws InputErrors for a result without the table exposed or without an iteration.
[[nodiscard]] StepTime read_step(const ResultReader& result);
/// Fills kinds, links and limits, where they were recorded. Limits: consecutive recording intervals whose
/// busiest link is the same, which serialised in a fifth of them at least; those most_shown in which it did
/// so longest, in the order of time. Their peak is the span, share and bytes are those in it.
void read_links(const ResultReader& result, Explanation& all);
/// LinkUse::carried of the links and limits, from link_traffic where it was recorded. `interval_ps`: of a
/// recording interval.
void add_traffic(const ResultReader& result, std::int64_t interval_ps, Explanation& all);
/// Fills collectives, where they were recorded. Equally slow ones come in the order of their start, group and
/// first member.
void read_collectives(const ResultReader& result, Explanation& all);

/// All of it. Throws InputErrors as ResultReader and read_step().
[[nodiscard]] Explanation read_explanation(const std::string& path);

/// For people.
[[nodiscard]] std::string to_text(const Explanation& all);
/// For scripts: times in ps, sizes in bytes.
[[nodiscard]] std::string to_json(const Explanation& all);

}  // namespace lightrail
