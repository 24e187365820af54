#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "components/gpu/transport/path_host.hpp"
#include "components/gpu/transport/recorded_collective.hpp"
#include "components/gpu/transport/sent_payload.hpp"
#include "network/wire/recall.hpp"

namespace lightrail {

/// What one GPU did in collectives that are not simulated again (<run recall="collectives">): it tells the
/// NVSwitch of each that it comes to, records the first of a kind and counts a later one as if it had been
/// simulated, at its end. Times are kept from the collective's first byte at this GPU on. Plain state.
class CollectiveMemory final : private DeliveryListener {
 public:
  /// Null: nothing is recalled, or nothing of this GPU.
  [[nodiscard]] static std::unique_ptr<CollectiveMemory> make(const BuildContext& build, PathHost& host);
  explicit CollectiveMemory(PathHost& host);

  /// `is_at_rest`: nothing is copied within the GPU's memory.
  void start(Context& context, const RecallableStart& start, bool is_at_rest);
  struct Recalled {
    std::uint32_t slot = 0;
    SimTime set_at{}, end{};  ///< CommEngine::on_recalled
  };
  /// Nothing: it is recorded.
  [[nodiscard]] std::optional<Recalled> on_answer(Context& context, const recall::Answer& answer);
  /// Where payload of the owner's is counted, too; null: it is not recorded.
  [[nodiscard]] SentPayload* sent_of(Owner owner) {
    return records(owner) ? &parts_[pattern_].sent : nullptr;
  }
  /// The owner will be woken at `end`.
  void on_wake_set(SimTime now, Owner owner, SimTime end) override;
  /// The collective in `slot` has ended. `sent`: what this GPU has sent in all.
  void end(Context& context, std::uint32_t slot, SentPayload& sent, bool is_at_rest);
  void finish(Context& context) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  enum class Stage : std::uint8_t { idle, told, recorded, recalled };
  struct SetWake {
    SimTime end{}, set_at{};
  };

  [[nodiscard]] bool records(Owner owner) const { return stage_ == Stage::recorded && owner.slot == slot_; }
  void on_row(Owner owner, std::span<const std::int64_t> row) override;
  void end_record(Context& context, bool is_at_rest);
  void carry(Context& context, SentPayload& sent);

  PathHost& host_;
  std::vector<RecordedCollective> parts_;  ///< by pattern; empty ones could not be kept
  Stage stage_ = Stage::idle;
  std::uint32_t slot_ = 0, pattern_ = 0, unreported_ = 0;
  SimTime begin_{};             ///< of the collective at hand
  std::vector<SetWake> wakes_;  ///< of the one that is recorded
  std::int64_t beside_ = 0, apart_ = 0;
};

}  // namespace lightrail
