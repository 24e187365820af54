#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/model/state_io.hpp"

namespace lightrail {

/// Payload that a GPU has sent.
struct SentPayload {
  struct Counter {
    std::int64_t bytes = 0, messages = 0;
  };
  std::vector<Counter> by_dimension;                  ///< index into Model::dimensions
  std::map<std::uint32_t, std::int64_t> by_receiver;  ///< by endpoint [B]; only where recorded

  SentPayload& operator+=(const SentPayload& other) { return add(other, 1); }
  friend SentPayload operator-(SentPayload a, const SentPayload& b) { return a.add(b, -1); }
  [[nodiscard]] SentPayload times(std::int64_t count) const { return SentPayload{}.add(*this, count); }

  void save(StateWriter& out) const { out.put(by_dimension), out.put(by_receiver); }
  void load(StateReader& in) { in.get(by_dimension), in.get(by_receiver); }

 private:
  SentPayload& add(const SentPayload& other, std::int64_t sign) {
    if (by_dimension.size() < other.by_dimension.size()) by_dimension.resize(other.by_dimension.size());
    for (std::size_t d = 0; d < other.by_dimension.size(); ++d) {
      by_dimension[d].bytes += sign * other.by_dimension[d].bytes;
      by_dimension[d].messages += sign * other.by_dimension[d].messages;
    }
    for (const auto& [receiver, bytes] : other.by_receiver) by_receiver[receiver] += sign * bytes;
    return *this;
  }
};

}  // namespace lightrail
