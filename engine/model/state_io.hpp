#pragma once
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

/// Appends plain values to a byte string; the counterpart of StateReader. Hash maps are written in key order,
/// so that equal states have equal bytes.
class StateWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), p, p + sizeof value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& v : values) put(v);
  }
  template <class K, class V>
  void put(const std::unordered_map<K, V>& values) {
    put(std::map<K, V>(values.begin(), values.end()));
  }
  template <class K, class V>
  void put(const std::map<K, V>& values) {
    put(values.size());
    for (const auto& [k, v] : values) put(k), put(v);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what StateWriter wrote, in the same order. Throws InputErrors when the bytes end early.
class StateReader {
 public:
  explicit StateReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) {
    if (rest_.size() < sizeof value) throw InputErrors(InputError{"", 0, "state ends early"});
    std::memcpy(static_cast<void*>(&value), rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
  }
  template <class T>
  void get(std::vector<T>& values) {
    std::size_t n = count();
    values.clear();
    for (std::size_t i = 0; i < n; ++i) get(values.emplace_back());
  }
  template <class K, class V>
  void get(std::unordered_map<K, V>& values) {
    get_map(values);
  }
  template <class K, class V>
  void get(std::map<K, V>& values) {
    get_map(values);
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::size_t count() {
    std::size_t n = 0;
    get(n);
    if (n > rest_.size()) throw InputErrors(InputError{"", 0, "state has an impossible count"});
    return n;
  }
  template <class Map>
  void get_map(Map& values) {
    values.clear();
    for (std::size_t i = 0, n = count(); i < n; ++i) {
      typename Map::key_type key{};
      get(key);
      get(values[key]);
    }
  }
  std::span<const std::byte> rest_;
};

}  // namespace lightrail
