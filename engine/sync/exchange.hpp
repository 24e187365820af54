#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "engine/model/event.hpp"
#include "engine/model/model.hpp"
#include "engine/partition/partition.hpp"
#include "engine/sync/min_reduction.hpp"

namespace lightrail {

/// Carries events between ranks that share a link, once a window, together with the window's reduction. A
/// message is a header and up to 254 events; what does not fit follows in a second message of known size.
/// Where every rank greets every other one the headers are the reduction. Many events can go ahead
/// of the header's facts, while the rank still works.
class Exchange {
 public:
  /// Up to so many ranks greet every other one, be they linked or not: a reduction has rounds one after the
  /// other, and where ranks outnumber cores each round waits for ranks to get a core.
  static constexpr int few_ranks = 8;

  /// `comm` must stay valid.
  Exchange(const Model& model, const Partition& partition, MPI_Comm comm, int few = few_ranks);

  /// Files an event for another rank; needs a link to it.
  void put(const Event& event, std::uint32_t rank) {
    const std::int32_t index = neighbour_of_rank_[rank];
    LIGHTRAIL_EXPECT(index >= 0 && !has_sent_);
    neighbours_[static_cast<std::size_t>(index)].out.push_back(event);
    if (event.time < first_) first_ = event.time;
  }

  /// Nothing more is put before turn(window): what was put may leave now.
  void send_ahead(std::int64_t window);
  /// Collective: sends what was put, returns the minimum of `mine` over ranks, where next_time counts the
  /// events sent. What came in is in `received` until the next call.
  WindowFacts turn(std::int64_t window, WindowFacts mine);

  template <class F>
  void for_each_received(F&& visit) const {
    for (const Neighbour& n : neighbours_)
      for (std::size_t i = 0; i < n.received; ++i) visit(n.in[header_events + i]);
  }
  [[nodiscard]] std::int64_t sent_events() const { return sent_events_; }
  [[nodiscard]] std::int64_t sent_bytes() const { return sent_bytes_; }

 private:
  struct Header {
    std::int64_t window;
    std::uint32_t count;      ///< events
    std::uint32_t has_facts;  ///< 0: they follow in a message of their own
    WindowFacts facts;        ///< of the sender
  };
  static constexpr std::size_t header_events = sizeof(Header) / sizeof(Event);
  static_assert(sizeof(Header) == header_events * sizeof(Event));
  static constexpr std::size_t head_events = 256 - header_events;
  struct Neighbour {
    int rank = 0;
    std::vector<Event> out, in;  // the first hold the header
    std::size_t received = 0;
    WindowFacts late;  ///< what follows its header
  };
  enum Tag : int { head_tag, tail_tag, facts_tag };
  void send(Neighbour& neighbour, std::int64_t window, const WindowFacts* facts);

  MPI_Comm comm_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::int32_t> neighbour_of_rank_;
  std::vector<MPI_Request> requests_, tail_requests_;
  bool has_sent_ = false;     ///< what was put for the next turn
  bool is_complete_ = false;  ///< every rank is every other one's neighbour
  SimTime first_ = time_never;
  std::int64_t sent_events_ = 0, sent_bytes_ = 0;
};

}  // namespace lightrail
