#include "engine/sync/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/polite_wait.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/checkpoint/checkpoint_writer.hpp"
#include "engine/sync/failure.hpp"
#include "engine/sync/gather.hpp"
#include "engine/sync/run_parts.hpp"

namespace lightrail {
namespace {

// Components that travel to rank 0 together: some MB, and few collective calls.
constexpr std::uint32_t components_a_gather = 2048;

bool is_same_folder(const std::string& x, const std::string& y) {
  std::error_code error;
  return std::filesystem::equivalent(x, y, error) && !error;
}

/// Sections of some components, in any order: id, size, bytes, ...
using Sections = std::vector<std::pair<std::uint32_t, std::span<const std::byte>>>;

Sections split(std::span<const std::byte> bytes) {
  Sections all;
  while (!bytes.empty()) {
    std::uint32_t id = 0;
    std::uint64_t size = 0;
    StateReader in(bytes);
    in.get(id), in.get(size);
    bytes = bytes.subspan(sizeof id + sizeof size);
    all.emplace_back(id, bytes.first(size));
    bytes = bytes.subspan(size);
  }
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  return all;
}

}  // namespace

Checkpoints::Checkpoints(const RunOptions& options, RankModel& model, Recorder& recorder, MPI_Comm comm)
    : plan_(options.checkpoint), model_(&model), recorder_(&recorder), comm_(comm), last_s_(wall_seconds()) {
  MPI_Comm_rank(comm, &rank_);
  set_boundary(SimTime{0});
  run_together(comm_, SimTime{0}, [&] {
    if (is_on() && std::filesystem::is_directory(plan_.folder)) lock_folder();
  });
}

void Checkpoints::lock_folder() {
  if (rank_ != 0 || is_locked_) return;
  if (!lock_.take_folder(plan_.folder))
    throw IoError(fmt::format(
        "checkpoint folder '{}': another run writes there (give each its own --checkpoint)", plan_.folder));
  is_locked_ = true;
}

bool Checkpoints::asks() const {
  return rank_ == 0 && is_on() && plan_.wall_every_s > 0 && wall_seconds() - last_s_ >= plan_.wall_every_s;
}

void Checkpoints::set_boundary(SimTime now) {
  boundary_ = time_never;
  if (!is_on() || plan_.every == time_never) return;
  std::int64_t boundary = 0;
  if (!__builtin_mul_overflow(now / plan_.every + 1, plan_.every.count(), &boundary))
    boundary_ = SimTime{boundary};
}

void Checkpoints::write(const RunFacts& facts, std::vector<PendingEvent> pending) {
  run_together(comm_, facts.now, [&] {
    if (rank_ != 0) return;
    prepare_folder(plan_.folder, false);
    lock_folder();
    prepare_folder(plan_.folder, is_new_run_);
  });
  is_new_run_ = false;

  std::int64_t events = facts.events, last_event = facts.last_event.count();
  all_reduce(&events, 1, MPI_INT64_T, MPI_SUM, comm_);
  all_reduce(&last_event, 1, MPI_INT64_T, MPI_MAX, comm_);
  StateWriter run;
  run.put(facts.now), run.put(SimTime{last_event}), run.put(facts.flush_boundary), run.put(events);
  recorder_->save(run, plan_.folder);

  std::optional<CheckpointWriter> writer;
  if (rank_ == 0) writer.emplace(plan_.folder).append_run(run.bytes());
  append_components(facts.now, pending, writer ? &*writer : nullptr);
  run_together(comm_, facts.now, [&] {
    if (writer) writer->publish(plan_.identity, facts.now, next_number_);
    if (writer && !writer->problem().empty()) throw IoError(writer->problem());
  });
  newest_ = checkpoint_path(plan_.folder, next_number_++);
  last_s_ = wall_seconds();
  set_boundary(facts.now);
}

/// In the order of ids, whoever holds them.
void Checkpoints::append_components(SimTime now, std::vector<PendingEvent>& pending,
                                    CheckpointWriter* writer) {
  std::optional<Failure> failure;
  std::sort(pending.begin(), pending.end(), [](const PendingEvent& x, const PendingEvent& y) {
    return x.to != y.to ? x.to < y.to : comes_before(x.event, y.event);
  });
  const auto total = static_cast<std::uint32_t>(model_->model().components.size());
  auto next = pending.begin();
  auto place = model_->places().begin();
  std::vector<Event> events;
  for (std::uint32_t first = 0; first < total; first += components_a_gather) {
    StateWriter mine;
    for (; place != model_->places().end(); ++place) {
      const ComponentId id = model_->id_of(*place);
      if (id.value >= first + components_a_gather) break;
      events.clear();
      for (; next != pending.end() && next->to == id; ++next) events.push_back(next->event);
      StateWriter section;
      try {
        model_->save(*place, section);
        section.put(events);
        recorder_->save_rows(id, section);
      } catch (...) {
        keep_first(failure, component_failure(model_->model(), id, now));
      }
      mine.put(id.value);
      mine.put(section);
    }
    const std::vector<std::byte> all = gather_to_zero(mine.bytes(), comm_);
    if (writer)
      for (const auto& [id, bytes] : split(all)) writer->append_component(bytes);
  }
  agree_on_failure(comm_, failure);
}

RunFacts Checkpoints::restore(const CheckpointFile& file, std::vector<PendingEvent>& pending) {
  RunFacts facts;
  StateReader run(file.run());
  run.get(facts.now), run.get(facts.last_event), run.get(facts.flush_boundary), run.get(facts.events);
  recorder_->load(run, file.folder());
  run_together(comm_, facts.now, [&] {
    LIGHTRAIL_EXPECT(run.is_at_end());
    for (const std::uint32_t place : model_->places()) {
      const ComponentId id = model_->id_of(place);
      const std::vector<std::byte> bytes = file.component(id.value);
      StateReader in(bytes);
      model_->load(place, in);
      std::vector<Event> events;
      in.get(events);
      for (const Event& event : events) pending.push_back({event, id});
      recorder_->load_rows(id, in);
      LIGHTRAIL_EXPECT(in.is_at_end());
    }
  });
  next_number_ = std::max<std::int64_t>(checkpoint_number(file.path()), 0) + 1;
  is_new_run_ = !is_same_folder(file.folder(), plan_.folder);
  set_boundary(facts.now);
  if (rank_ != 0) facts.events = 0;
  return facts;
}

}  // namespace lightrail
