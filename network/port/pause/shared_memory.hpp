#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/model/state_io.hpp"

namespace lightrail {

/// The accounts of a memory that all ports and classes of a device share, as the switches of HPCC's simulator
/// keep them (Y. Li et al.: HPCC, SIGCOMM 2019; switch-mmu of github.com/alibaba-edu):
///   threshold T = alpha * (shared - what is used of it), with the alpha of the account
/// A packet of an account goes into its reserve as far as that reaches, else into the shared part while the
/// account has no more than T of it, else into the account's headroom; when that is full it is lost. What
/// leaves is taken from the headroom first, then from the shared part, then from the reserve.
///
/// With trains of n packets an account's T and headroom are n - 1 packets larger: a train is here as a whole
/// when its first packet is, and one that has begun is not stopped in its middle (docs/ethernet.md).
class SharedMemory {
 public:
  struct Limits {  // [B]
    std::int64_t shared = 0, reserve = 0, resume_offset = 0;
  };
  /// Of an account, a port and class [B].
  struct Account {
    std::int64_t headroom_limit = 0;  ///< 0: it has none
    std::int64_t extra = 0;           ///< n - 1 packets
    std::int64_t alpha = 0;           ///< [2^-PauseSettings::alpha_bits]; 0: it may use all that is free
    std::int64_t normal = 0;          ///< held in reserve and shared part
    std::int64_t headroom = 0;        ///< held there
    std::int64_t most = 0, most_headroom = 0;
  };

  SharedMemory() = default;
  SharedMemory(const Limits& limits, std::vector<Account> accounts)
      : limits_(limits), accounts_(std::move(accounts)) {}

  [[nodiscard]] const Account& operator[](std::size_t account) const { return accounts_[account]; }
  [[nodiscard]] std::size_t count() const { return accounts_.size(); }
  /// Whether `bytes` find room; then they are held.
  [[nodiscard]] bool take(std::size_t account, std::int64_t bytes);
  void give(std::size_t account, std::int64_t bytes);
  /// What the account may use of the shared part now.
  [[nodiscard]] std::int64_t threshold(std::size_t account) const;
  /// Whether its sender is to stop: its headroom is in use, or it has all that it may have.
  [[nodiscard]] bool is_beyond(std::size_t account) const;
  /// Whether its sender may go on.
  [[nodiscard]] bool has_emptied(std::size_t account) const;
  /// Of all accounts at once.
  [[nodiscard]] std::int64_t most() const { return most_; }
  [[nodiscard]] std::int64_t most_headroom() const { return most_headroom_; }

  void save(StateWriter& out) const {
    out.put(accounts_), out.put(totals_), out.put(most_), out.put(most_headroom_);
  }
  void load(StateReader& in) { in.get(accounts_), in.get(totals_), in.get(most_), in.get(most_headroom_); }

 private:
  struct Totals {
    std::int64_t shared = 0, held = 0, headroom = 0;
  };
  [[nodiscard]] std::int64_t shared_of(const Account& account) const;

  Limits limits_;
  std::vector<Account> accounts_;
  Totals totals_;
  std::int64_t most_ = 0, most_headroom_ = 0;
};

}  // namespace lightrail
