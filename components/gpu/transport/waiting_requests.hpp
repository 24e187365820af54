#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/transport/flow_index.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {

/// Work requests that wait for the proxy thread: all of them by age, and likewise those for each receiver.
/// What comes for a connection on which one waits grows into the last of these, where both are plain bytes.
/// Every step costs the same, however many requests wait: an all-to-all posts to all peers at once. Receivers
/// and connections are looked up and never gone over, so the order of their tables reaches no result. Plain
/// state.
class WaitingRequests {
 public:
  enum class Share : std::uint16_t {
    request,  ///< a request of its own
    part      ///< of a request that was posted before or is in the same batch
  };
  struct Request {
    WorkRequest work{};
    EndpointId receiver{};  ///< the GPU, one for all requests of a connection
    PortIndex nic = 0;      ///< port
    Share share = Share::request;
  };
  static constexpr std::uint32_t none = 0xffffffff;

  [[nodiscard]] bool is_empty() const { return oldest_ == none; }
  /// The place of the oldest request, which is the first for its receiver, too. `none`: nothing waits.
  [[nodiscard]] std::uint32_t oldest() const { return oldest_; }
  /// The place of the next request for the same receiver, by age. `none`: there is none.
  [[nodiscard]] std::uint32_t next(std::uint32_t place) const { return places_[place].next; }
  const Request& operator[](std::uint32_t place) const { return places_[place].request; }

  void add(const Request& request);
  /// The request there, the first for its receiver, waits no more.
  void remove(std::uint32_t place);
  /// Forgets all requests, and returns the bytes that they would have sent.
  std::int64_t drop_all();

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Place {
    Request request{};
    std::uint32_t next = none;  ///< for the same receiver; of free places
    std::uint32_t older = none, newer = none;
  };
  bool grow(const WorkRequest& work);
  std::uint32_t new_place();

  std::vector<Place> places_;
  std::uint32_t free_ = none;
  std::uint32_t oldest_ = none, newest_ = none;
  FlowIndex last_for_;  ///< by receiver: its last request
  FlowIndex growing_;   ///< by connection: its last request, if others may grow into it
};

}  // namespace lightrail
