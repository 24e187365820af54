#include "tests/unit/workloads/import/nsight_database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <stdexcept>

namespace lightrail {

namespace {

constexpr int collective_schema = 100, message_schema = 101, membership_schema = 102;

std::string little_endian(std::uint64_t value, int width) {
  std::string hex;
  for (int i = 0; i < width; ++i, value >>= 8) hex += fmt::format("{:02x}", value & 0xff);
  return hex;
}

std::int64_t global(int process, int thread) {
  return (std::int64_t{1} << 56) + (std::int64_t{process} << 24) + thread;
}

}  // namespace

std::string nvtx_payload_hex(int schema, std::uint64_t communicator, std::int64_t bytes, int size, int rank) {
  const bool is_membership = schema == membership_schema;
  std::string fields = little_endian(communicator, 8);
  if (!is_membership) fields += little_endian(static_cast<std::uint64_t>(bytes), 8);
  if (schema != collective_schema) fields += little_endian(static_cast<std::uint32_t>(size), 4);
  if (is_membership) fields += little_endian(static_cast<std::uint32_t>(rank), 4);
  const std::uint64_t length = fields.size() / 2;
  return little_endian(1, 4) + little_endian(0, 4) + little_endian(static_cast<std::uint64_t>(schema), 4) +
         little_endian(0, 4) + little_endian(length, 8) + little_endian(32 + length, 8) + fields;
}

NsightDatabase::NsightDatabase(const std::string& path) {
  if (sqlite3_open(path.c_str(), &file_) != SQLITE_OK) throw std::runtime_error("cannot make " + path);
  const std::string operation =
      "(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
      "correlationId INTEGER, globalPid INTEGER";
  run("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)");
  run("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL " + operation + ", demangledName INTEGER, shortName INTEGER)");
  run("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY " + operation +
      ", bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER)");
  run("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid "
      "INTEGER, "
      "correlationId INTEGER, nameId INTEGER, returnValue INTEGER)");
  run("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION " + operation +
      ", syncType INTEGER, eventId INTEGER)");
  run("CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
      "correlationId INTEGER, globalPid INTEGER, eventId INTEGER)");
  run("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid "
      "INTEGER, "
      "textId INTEGER, domainId INTEGER, jsonText TEXT, binaryData BLOB)");
  run("CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, flags "
      "INTEGER, type "
      "INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER)");
  const auto entry = [&](int schema, int index, int type, const std::string& name,
                         const std::string& offset) {
    run(fmt::format("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, {}, {}, 0, {}, '{}', NULL, NULL, {})",
                    schema, index, type, name, offset));
  };
  for (int schema : {collective_schema, message_schema, membership_schema})
    entry(schema, 0, 18, "NCCL communicator ID", "NULL");
  for (int schema : {collective_schema, message_schema}) entry(schema, 1, 22, "Message size [bytes]", "8");
  entry(message_schema, 2, 5, "Peer rank", "16");
  entry(membership_schema, 1, 5, "No. of ranks", "8");
  entry(membership_schema, 2, 5, "Rank", "12");
}

NsightDatabase::~NsightDatabase() {
  sqlite3_close(file_);
}

NsightDatabase& NsightDatabase::run(const std::string& sql) {
  char* problem = nullptr;
  if (sqlite3_exec(file_, sql.c_str(), nullptr, nullptr, &problem) != SQLITE_OK)
    throw std::runtime_error(sql + ": " + problem);
  return *this;
}

std::int64_t NsightDatabase::string(const std::string& text) {
  run(fmt::format("INSERT INTO StringIds VALUES ({}, '{}')", ++strings_, text));
  return strings_;
}

NsightDatabase& NsightDatabase::kernel(int process, const std::string& name, int start, int end,
                                       int correlation, int stream, int device) {
  const std::int64_t id = string(name);
  return run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {}, 1, {}, {}, {}, {}, {})",
                         start, end, device, stream, correlation, global(process, 0), id, id));
}

NsightDatabase& NsightDatabase::call(int process, const std::string& name, int start, int end,
                                     int correlation) {
  return run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, {}, 0)", start,
                         end, global(process, 1), correlation, string(name)));
}

NsightDatabase& NsightDatabase::launch(int process, const std::string& name, int at, int start, int end,
                                       int correlation, int stream) {
  return call(process, "cudaLaunchKernel_v7000", at, at + 5, correlation)
      .kernel(process, name, start, end, correlation, stream);
}

NsightDatabase& NsightDatabase::payload(int process, const std::string& text, int start, int end,
                                        const std::string& hex) {
  return run(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, '{}', {}, NULL, 1, NULL, {})", start,
                         end, text, global(process, 1), hex.empty() ? "NULL" : "x'" + hex + "'"));
}

NsightDatabase& NsightDatabase::range(int process, const std::string& text, int start, int end) {
  return payload(process, text, start, end, "");
}

NsightDatabase& NsightDatabase::collective(int process, const std::string& name, int start, int end,
                                           std::uint64_t communicator, std::int64_t bytes) {
  return payload(process, name, start, end, nvtx_payload_hex(collective_schema, communicator, bytes));
}

NsightDatabase& NsightDatabase::message(int process, const std::string& name, int start, int end,
                                        std::uint64_t communicator, std::int64_t bytes, int peer) {
  return payload(process, name, start, end, nvtx_payload_hex(message_schema, communicator, bytes, peer));
}

NsightDatabase& NsightDatabase::membership(int process, std::uint64_t communicator, int size, int rank,
                                           int at) {
  return payload(process, "ncclCommInitRank", at, at + 1,
                 nvtx_payload_hex(membership_schema, communicator, 0, size, rank));
}

}  // namespace lightrail
