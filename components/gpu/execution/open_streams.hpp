#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/model/state_io.hpp"
#include "network/transport/flow_index.hpp"

namespace lightrail {

/// Of a program's streams those that may have something to start, in their order. A stream is closed while
/// its operation runs, and while it waits for an operation of another stream: so that whoever starts what
/// can start looks at the others alone, of thousands where every message has a stream of its own. Who waits
/// is looked up by the operation and never gone over. Plain state.
class OpenStreams {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  /// All are open.
  explicit OpenStreams(std::size_t streams);

  /// The first open one from `stream` on; `none`: there is none.
  [[nodiscard]] std::uint32_t next(std::uint32_t stream) const;
  void open(std::uint32_t stream);
  void close(std::uint32_t stream);
  /// Closes a stream, which waits for nothing yet, until `op` has ended.
  void close_until(std::uint32_t stream, std::uint32_t op);
  /// Opens the streams that wait for it.
  void on_end(std::uint32_t op);
  /// As at the beginning.
  void open_all();

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::vector<std::uint64_t> bits_;    ///< one a stream
  std::vector<std::uint64_t> groups_;  ///< one a word of bits_: it is not 0
  std::vector<std::uint32_t> behind_;  ///< by stream that waits: the next one that waits for the same
  FlowIndex first_;                    ///< by operation: the first stream that waits for it
};

}  // namespace lightrail
