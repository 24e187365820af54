#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/import/nsight/sqlite_file.hpp"

namespace lightrail {

/// What NCCL tells Nsight Systems of a call (nvtx_payload_schemas.h of NCCL); what it does not is empty.
struct NcclPayload {
  std::optional<std::uint64_t> communicator;  ///< its hash, the same on all members
  std::optional<std::int64_t> bytes;          ///< count times type, as the call has them [B]
  std::optional<std::int64_t> peer;           ///< send, recv: rank in the communicator
  std::optional<std::int64_t> size, rank;     ///< calls that make or destroy a communicator
};

/// Decodes the payloads of NVTX events by the schemas that the file has.
class NvtxPayloads {
 public:
  explicit NvtxPayloads(const SqliteFile& file);

  /// `binary`: NVTX_EVENTS.binaryData, a header of 32 bytes (domain, schema, sizes) and the payload. What
  /// does not fit its schema says nothing.
  [[nodiscard]] NcclPayload decode(std::span<const unsigned char> binary) const;

 private:
  struct Field {
    std::uint64_t offset = 0;
    std::uint32_t width = 0;  ///< [B]
    std::string name;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Field>> schemas_;  ///< by domain and schema
};

/// The same of NVTX_EVENTS.jsonText, an object of the fields by name.
[[nodiscard]] NcclPayload nccl_payload_of_json(const std::string& text);

}  // namespace lightrail
