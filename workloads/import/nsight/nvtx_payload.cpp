#include "workloads/import/nsight/nvtx_payload.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace lightrail {

namespace {

constexpr std::size_t header_bytes = 32;

std::uint64_t little_endian(std::span<const unsigned char> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

/// Width of a payload entry [B], by NVTX_PAYLOAD_ENTRY_TYPE_* of nvToolsExtPayload.h; 0: not one of NCCL's.
std::uint32_t width_of(std::int64_t type) {
  switch (type) {
    case 5:   // int
    case 6:   // unsigned int
    case 15:  // int32_t
    case 16:  // uint32_t
      return 4;
    case 9:   // long long
    case 10:  // unsigned long long
    case 17:  // int64_t
    case 18:  // uint64_t
    case 22:  // size_t
      return 8;
    default:
      return 0;
  }
}

void put(NcclPayload& payload, const std::string& name, std::uint64_t value, bool is_int) {
  const std::int64_t number =
      is_int ? std::int64_t{static_cast<std::int32_t>(value)} : static_cast<std::int64_t>(value);
  if (name == "NCCL communicator ID") payload.communicator = value;
  if (name == "Message size [bytes]") payload.bytes = number;
  if (name == "Peer rank") payload.peer = number;
  if (name == "No. of ranks") payload.size = number;
  if (name == "Rank") payload.rank = number;
}

}  // namespace

NvtxPayloads::NvtxPayloads(const SqliteFile& file) {
  file.each("NVTX_PAYLOAD_SCHEMA_ENTRIES", {"domainId", "schemaId", "type", "offset", "name"},
            [&](const SqliteRow& row) {
              const auto domain = row.number(0), schema = row.number(1), type = row.number(2);
              const std::uint32_t width = width_of(type.value_or(0));
              const auto offset = static_cast<std::uint64_t>(row.number(3).value_or(0));
              if (!domain || !schema || width == 0 || offset > 1024) return;
              schemas_[{static_cast<std::uint32_t>(*domain), static_cast<std::uint32_t>(*schema)}].push_back(
                  {offset, width, row.text(4)});
            });
}

NcclPayload NvtxPayloads::decode(std::span<const unsigned char> binary) const {
  NcclPayload payload;
  if (binary.size() < header_bytes) return payload;
  const auto found =
      schemas_.find({little_endian(binary.subspan(0, 4)), little_endian(binary.subspan(8, 4))});
  if (found == schemas_.end()) return payload;
  for (const Field& field : found->second)
    if (header_bytes + field.offset + field.width <= binary.size())
      put(payload, field.name, little_endian(binary.subspan(header_bytes + field.offset, field.width)),
          field.width == 4);
  return payload;
}

NcclPayload nccl_payload_of_json(const std::string& text) {
  NcclPayload payload;
  const auto all = nlohmann::json::parse(text, nullptr, false);
  if (!all.is_object()) return payload;
  for (const auto& [name, value] : all.items())
    if (value.is_number_integer()) put(payload, name, value.get<std::uint64_t>(), false);
  return payload;
}

}  // namespace lightrail
