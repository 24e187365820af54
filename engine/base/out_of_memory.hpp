#pragma once
#include <string>

#include "engine/base/error.hpp"

namespace lightrail {

/// Memory ran out. Exit code 4, as of what the machine could not do.
class MemoryError : public IoError {
 public:
  using IoError::IoError;
};

/// What std::bad_alloc is told as: how much memory [B] this process has held, and what takes less.
[[nodiscard]] std::string out_of_memory_text();

}  // namespace lightrail
