#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lightrail {

/// Data types of kernels' operands. mxfp8 and nvfp4 (OCP MX 1.0; NVIDIA) have a scale of a byte for every 32
/// and 16 elements; the scales of fp8 are one a tensor or a row (Scaling).
enum class DataType : std::uint8_t { bf16, fp16, fp8, fp32, tf32, mxfp8, nvfp4 };

/// "bf16", ..., in the order of the enumerators.
[[nodiscard]] const std::vector<std::pair<std::string, DataType>>& data_type_names();
[[nodiscard]] const char* to_string(DataType type);

/// Of an element in memory, with its part of a scale [B].
[[nodiscard]] double element_bytes(DataType type);
/// Of so many elements with their scales, rounded up [B].
[[nodiscard]] std::int64_t bytes_of(DataType type, std::int64_t elements);
/// Of an element of a type without scales of its own [B].
[[nodiscard]] std::uint32_t bytes_of(DataType type);

/// Whether operands of two bytes are cast to it before a product takes them.
[[nodiscard]] bool is_quantised(DataType type);
/// Whether a few elements share a scale, which whatever casts them finds on its way.
[[nodiscard]] bool has_block_scales(DataType type);

}  // namespace lightrail
