#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/state_io.hpp"

namespace lightrail {

/// Which iterations' checkpoints a GPU has written its part of. Writes go on beside later iterations. Plain
/// state.
class SaveLog {
 public:
  /// The write `op` begins, one of `due` of that iteration.
  void begin(std::uint32_t op, std::uint32_t iteration, std::uint32_t due) {
    running_.push_back({op, iteration});
    if (!find(iteration)) saves_.push_back({iteration, due});
  }
  /// It has ended; the iteration, if that was the last one of its checkpoint.
  std::optional<std::uint32_t> end(std::uint32_t op) {
    const auto running =
        std::find_if(running_.begin(), running_.end(), [&](const Running& r) { return r.op == op; });
    const std::uint32_t iteration = running->iteration;
    running_.erase(running);
    Save* save = find(iteration);
    if (--save->left > 0) return std::nullopt;
    saves_.erase(saves_.begin() + (save - saves_.data()));
    return iteration;
  }
  void save(StateWriter& out) const { out.put(running_), out.put(saves_); }
  void load(StateReader& in) { in.get(running_), in.get(saves_); }

 private:
  struct Running {
    std::uint32_t op = 0, iteration = 0;
  };
  struct Save {
    std::uint32_t iteration = 0, left = 0;
  };
  Save* find(std::uint32_t iteration) {
    const auto save =
        std::find_if(saves_.begin(), saves_.end(), [&](const Save& s) { return s.iteration == iteration; });
    return save == saves_.end() ? nullptr : &*save;
  }
  std::vector<Running> running_;
  std::vector<Save> saves_;
};

}  // namespace lightrail
