#pragma once
#include <string>

namespace lightrail {

/// Why the last HDF5 call of this process failed: the operating system's text where HDF5 has one ("No space
/// left on device"), else the innermost message of the error stack. Clears the stack.
[[nodiscard]] std::string hdf5_reason();

}  // namespace lightrail
