#pragma once
#include <hdf5.h>

#include <utility>

namespace lightrail {

/// Owns one HDF5 identifier and closes it with the function it was given.
class Hdf5Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
  }
  ~Hdf5Handle() { close(); }

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool is_valid() const { return id_ >= 0; }
  /// Negative when HDF5 could not close it.
  herr_t close() { return id_ >= 0 ? closer_(std::exchange(id_, -1)) : 0; }
  /// Forgets the identifier without closing it.
  void abandon() { id_ = -1; }

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

}  // namespace lightrail
