#pragma once
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

/// What a saved state may consist of: plain values whose bytes are their value. A struct with padding is none
/// (name the gap as a member), because equal states must have equal bytes; nor is a pointer.
template <class T>
concept PlainState = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                     (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);

/// Appends plain values to a byte string; the counterpart of StateReader. Hash maps are written in key order,
/// so that equal states have equal bytes.
class StateWriter {
 public:
  template <PlainState T>
  void put(const T& value) {
    append(&value, sizeof value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    if constexpr (PlainState<T>)
      append(values.data(), values.size() * sizeof(T));
    else
      for (const T& v : values) put(v);
  }
  /// What another writer has, as one vector of bytes.
  void put(const StateWriter& part) { put(part.bytes_); }
  void put(const std::string& text) { put(std::vector<char>(text.begin(), text.end())); }
  template <class K, class V>
  void put(const std::unordered_map<K, V>& values) {
    put(std::map<K, V>(values.begin(), values.end()));
  }
  template <class K, class V>
  void put(const std::map<K, V>& values) {
    put(values.size());
    for (const auto& [k, v] : values) put(k), put(v);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void append(const void* data, std::size_t size) {
    const auto* p = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), p, p + size);
  }
  std::vector<std::byte> bytes_;
};

/// Reads what StateWriter wrote, in the same order. Throws InputErrors when the bytes end early.
class StateReader {
 public:
  explicit StateReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <PlainState T>
  void get(T& value) {
    take(&value, sizeof value);
  }
  template <class T>
  void get(std::vector<T>& values) {
    const std::size_t n = count();
    values.clear();
    if constexpr (PlainState<T>) {
      if (n > rest_.size() / sizeof(T)) fail("state ends early");
      values.resize(n);
      take(values.data(), n * sizeof(T));
    } else {
      for (std::size_t i = 0; i < n; ++i) get(values.emplace_back());
    }
  }
  void get(std::string& text) {
    std::vector<char> bytes;
    get(bytes);
    text.assign(bytes.begin(), bytes.end());
  }
  template <class K, class V>
  void get(std::unordered_map<K, V>& values) {
    get_map(values);
  }
  template <class K, class V>
  void get(std::map<K, V>& values) {
    get_map(values);
  }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

 private:
  [[noreturn]] static void fail(const char* what) { throw InputErrors(InputError{"", 0, what}); }
  void take(void* to, std::size_t size) {
    if (rest_.size() < size) fail("state ends early");
    if (size > 0) std::memcpy(to, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  std::size_t count() {
    std::size_t n = 0;
    get(n);
    if (n > rest_.size()) fail("state has an impossible count");
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
