#include "app/explain/run_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace lightrail {
namespace {

using Run = RecordedJob::Run;
using Step = RecordedJob::Step;

bool is_message(OpKind kind) {
  return kind == OpKind::send || kind == OpKind::recv;
}

std::int64_t scaled(std::int64_t time_ps, double factor) {
  return factor == 1 ? time_ps : std::llround(static_cast<double>(time_ps) * factor);
}

}  // namespace

RunGraph::RunGraph(const RecordedJob& job, const GroupPlaces& places, const MessageTimes& messages)
    : job_(job),
      collective_(job.runs.size(), none),
      partner_(job.runs.size(), none),
      causes_(job.runs.size()),
      rules_(job.runs.size(), Rule::alone) {
  make_order();
  find_collectives(places);
  find_partners(places);
  find_causes(messages);
}

/// Messages take time and what waits on one GPU comes later in its program, so this order has whatever
/// something waits for before it.
void RunGraph::make_order() {
  order_.resize(2 * job_.runs.size());
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i);
  const auto time = [this](std::uint32_t point) {
    const Run& run = job_.runs[point / 2];
    return point % 2 == 0 ? run.start_ps : run.end_ps;
  };
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::int64_t at_a = time(a), at_b = time(b);
    if (at_a != at_b) return at_a < at_b;
    const std::uint32_t gpu_a = job_.instance_of(job_.runs[a / 2]).gpu,
                        gpu_b = job_.instance_of(job_.runs[b / 2]).gpu;
    return std::tie(gpu_a, a) < std::tie(gpu_b, b);
  });
}

void RunGraph::find_collectives(const GroupPlaces& places) {
  struct Member {
    std::int64_t group, first;
    std::uint32_t iteration, place, run;
    std::int64_t index;
  };
  std::vector<Member> members;
  for (std::uint32_t r = 0; r < job_.runs.size(); ++r) {
    const Run& run = job_.runs[r];
    const Step& step = job_.step_of(run);
    if (step.kind != OpKind::collective) continue;
    const RecordedJob::Instance& instance = job_.instance_of(run);
    const GroupPlaces::Place place = places.of(step.group, instance.gpu);
    members.push_back({step.group, place.first, instance.iteration, step.place_in_group, r, place.index});
  }
  const auto key = [](const Member& m) { return std::tie(m.group, m.first, m.iteration, m.place); };
  std::sort(members.begin(), members.end(), [&](const Member& a, const Member& b) {
    return key(a) != key(b) ? key(a) < key(b) : a.run < b.run;
  });
  for (std::size_t first = 0, end = 0; first < members.size(); first = end) {
    std::uint32_t root = none;
    for (end = first; end < members.size() && key(members[end]) == key(members[first]); ++end) {
      const Step& step = job_.step_of(job_.runs[members[end].run]);
      if (step.collective == CollectiveType::broadcast && members[end].index == step.root)
        root = members[end].run;
      collective_[members[end].run] = collectives_;
    }
    for (std::size_t m = first; m < end; ++m) partner_[members[m].run] = root;
    ++collectives_;
  }
}

/// The n-th send of a pair on a lane meets the n-th receive.
void RunGraph::find_partners(const GroupPlaces& places) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint32_t>
      gpu_at;  // group, first, index
  std::map<std::int64_t, bool> is_known;
  using Key = std::tuple<std::int64_t, std::uint32_t, std::uint32_t, std::int64_t>;  // group, from, to, lane
  std::vector<std::pair<Key, std::uint32_t>> sends, receives;
  for (std::uint32_t r = 0; r < job_.runs.size(); ++r) {
    const Step& step = job_.step_of(job_.runs[r]);
    if (!is_message(step.kind)) continue;
    if (!std::exchange(is_known[step.group], true))
      for (std::uint32_t i = 0; i < job_.gpus; ++i) {
        const std::uint32_t gpu = job_.instances[i].gpu;
        const GroupPlaces::Place place = places.of(step.group, gpu);
        if (place.is_member) gpu_at[{step.group, place.first, place.index}] = gpu;
      }
    const std::uint32_t me = job_.instance_of(job_.runs[r]).gpu;
    const GroupPlaces::Place place = places.of(step.group, me);
    const std::int64_t index =
        step.peer_is_offset ? ((place.index + step.peer) % place.members + place.members) % place.members
                            : step.peer;
    const auto other = gpu_at.find({step.group, place.first, index});
    if (other == gpu_at.end()) continue;
    if (step.kind == OpKind::send)
      sends.push_back({{step.group, me, other->second, step.root}, r});
    else
      receives.push_back({{step.group, other->second, me, step.root}, r});
  }
  // Runs of a GPU are in the order of iteration and program.
  std::sort(sends.begin(), sends.end());
  std::sort(receives.begin(), receives.end());
  for (std::size_t s = 0, r = 0; s < sends.size() && r < receives.size();) {
    if (sends[s].first < receives[r].first) {
      ++s;
    } else if (receives[r].first < sends[s].first) {
      ++r;
    } else {
      partner_[sends[s].second] = receives[r].second;
      partner_[receives[r].second] = sends[s].second;
      ++s, ++r;
    }
  }
}

template <class F>
void RunGraph::for_each_before(std::uint32_t r, F&& use) const {
  const Run& run = job_.runs[r];
  const Step& step = job_.step_of(run);
  const auto first = static_cast<std::uint32_t>(job_.instance_of(run).first);
  if (step.before_on_stream != none) use(first + step.before_on_stream);
  if (step.before_in_group != none) use(first + step.before_in_group);
  for (std::uint32_t d = 0; d < step.dependencies; ++d)
    use(first + job_.dependencies[step.first_dependency + d]);
}

void RunGraph::choose_anchor(std::uint32_t r, const MessageTimes& messages,
                             std::vector<std::uint32_t>& latest) {
  const Run& run = job_.runs[r];
  const Step& step = job_.step_of(run);
  const std::int64_t me = job_.instance_of(run).gpu;
  Cause& cause = causes_[r];
  cause.anchor = r;
  if (collective_[r] != none && partner_[r] != none) {
    rules_[r] = Rule::after_root;
    if (job_.runs[partner_[r]].start_ps > run.start_ps) cause.anchor = partner_[r];
  } else if (collective_[r] != none) {
    rules_[r] = Rule::together;
    cause.anchor = latest[collective_[r]];
  } else if (is_message(step.kind) && partner_[r] != none) {
    const Run& other = job_.runs[partner_[r]];
    const std::int64_t they = job_.instance_of(other).gpu;
    const auto arrived = step.kind == OpKind::recv ? messages.last_before(me, step.group, they, run.end_ps)
                                                   : messages.last_before(they, step.group, me, other.end_ps);
    const std::int64_t received = step.kind == OpKind::recv ? run.start_ps : other.start_ps;
    // It was on its way before the receiver was ready.
    const bool is_eager = step.is_bare || (arrived && arrived->first_ps < received);
    if (step.kind == OpKind::recv && is_eager && arrived && arrived->last_ps > received) {
      rules_[r] = Rule::arrival;
      cause.anchor = partner_[r];
    } else if (!is_eager && other.start_ps < run.end_ps) {
      rules_[r] = Rule::after_root;
      if (other.start_ps > run.start_ps) cause.anchor = partner_[r];
    } else if (step.kind == OpKind::recv && other.start_ps > run.start_ps) {
      rules_[r] = Rule::after_root;
      cause.anchor = partner_[r];
    }
  }
  if (collective_[r] == none && !is_message(step.kind)) return;
  const std::int64_t from = job_.runs[cause.anchor].start_ps;
  auto bytes = step.kind == OpKind::send && partner_[r] != none
                   ? messages.arriving_ps(job_.instance_of(job_.runs[partner_[r]]).gpu, step.group, me, from,
                                          run.end_ps)
                   : messages.arriving_ps(me, step.group,
                                          step.kind == OpKind::recv && partner_[r] != none
                                              ? std::int64_t{job_.instance_of(job_.runs[partner_[r]]).gpu}
                                              : MessageTimes::anyone,
                                          from, run.end_ps);
  cause.is_split = bytes.has_value();
  cause.bytes_ps = bytes.value_or(0);
}

void RunGraph::find_causes(const MessageTimes& messages) {
  std::vector<std::uint32_t> latest(collectives_, none);          // run that started last so far
  std::vector<std::uint32_t> ended(job_.instances.size(), none);  // run that ended last so far
  for (const std::uint32_t point : order_) {
    const std::uint32_t r = point / 2;
    const Run& run = job_.runs[r];
    if (point % 2 == 1) {
      choose_anchor(r, messages, latest);
      ended[run.instance] = r;
      continue;
    }
    if (collective_[r] != none) latest[collective_[r]] = r;
    std::uint32_t before = none;
    for_each_before(r, [&](std::uint32_t other) {
      if (before == none || job_.runs[other].end_ps > job_.runs[before].end_ps ||
          (job_.runs[other].end_ps == job_.runs[before].end_ps && other > before))
        before = other;
    });
    if (const std::uint32_t last = job_.instance_before(run.instance); before == none && last != none)
      before = ended[last];
    causes_[r].before = before;
  }
}

std::uint32_t RunGraph::last_run() const {
  std::uint32_t last = none;
  for (std::uint32_t r = 0; r < job_.runs.size(); ++r)
    if (job_.instance_of(job_.runs[r]).iteration + 1 == job_.iterations &&
        (last == none || job_.runs[r].end_ps > job_.runs[last].end_ps))
      last = r;
  return last;
}

std::int64_t RunGraph::step_start_ps() const {
  if (job_.iterations <= 1) return 0;
  std::vector<std::int64_t> ends(job_.gpus, 0);
  for (const Run& run : job_.runs) {
    const RecordedJob::Instance& instance = job_.instance_of(run);
    if (instance.iteration + 2 != job_.iterations) continue;
    std::int64_t& end = ends[run.instance % job_.gpus];
    end = std::max(end, run.end_ps);
  }
  return *std::min_element(ends.begin(), ends.end());
}

std::int64_t RunGraph::step_ps(const Scale& scale, const std::vector<std::uint32_t>& part) const {
  std::vector<std::int64_t> start(job_.runs.size()), end(job_.runs.size()), latest(collectives_, 0);
  // By iteration of a GPU: its last end so far, as recorded and as it would be.
  std::vector<std::int64_t> was(job_.instances.size(), 0), is(job_.instances.size(), 0);
  for (const std::uint32_t point : order_) {
    const std::uint32_t r = point / 2;
    const Run& run = job_.runs[r];
    const Cause& cause = causes_[r];
    if (point % 2 == 0) {
      const std::uint32_t last = job_.instance_before(run.instance);
      std::int64_t& at = start[r];
      at = last == none ? 0 : is[last];
      const std::int64_t base = at;
      for_each_before(r, [&](std::uint32_t other) { at = std::max(at, end[other]); });
      if (cause.before == none || run.start_ps > job_.runs[cause.before].end_ps)
        at = std::max(at, base + scaled(run.start_ps - (last == none ? 0 : was[last]), scale.launch));
      if (collective_[r] != none) latest[collective_[r]] = std::max(latest[collective_[r]], at);
      continue;
    }
    const std::int64_t own = own_ps(r);
    const std::int64_t time =
        scaled(cause.bytes_ps, scale.bytes[part[r]]) + scaled(own - cause.bytes_ps, scale.rest[part[r]]);
    std::int64_t from = start[r];
    switch (rules_[r]) {
      case Rule::alone:
        break;
      case Rule::together:
        from = std::max(from, latest[collective_[r]]);
        break;
      case Rule::after_root:
        from = std::max(from, start[partner_[r]]);
        break;
      case Rule::arrival:
        from = start[partner_[r]];
        break;
    }
    end[r] = std::max(start[r], from + time);
    was[run.instance] = std::max(was[run.instance], run.end_ps);
    is[run.instance] = std::max(is[run.instance], end[r]);
  }
  std::int64_t last_end = 0, first_start = 0;
  for (std::uint32_t i = 0; i < job_.instances.size(); ++i) {
    if (job_.instances[i].iteration + 1 != job_.iterations) continue;
    const std::uint32_t before = job_.instance_before(i);
    const std::int64_t from = before == none ? 0 : is[before];
    first_start = i % job_.gpus == 0 ? from : std::min(first_start, from);
    last_end = std::max(last_end, is[i]);
  }
  return last_end - first_start;
}

}  // namespace lightrail
