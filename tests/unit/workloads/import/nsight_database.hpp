#pragma once
#include <cstdint>
#include <string>

struct sqlite3;

namespace lightrail {

/// Builds a small SQLite export of Nsight Systems, a row a call, with the tables and columns that its schema
/// names. Times in [ns]; a process is a small number, its one thread has the number 1.
class NsightDatabase {
 public:
  explicit NsightDatabase(const std::string& path);
  NsightDatabase(const NsightDatabase&) = delete;
  NsightDatabase& operator=(const NsightDatabase&) = delete;
  ~NsightDatabase();

  NsightDatabase& run(const std::string& sql);
  NsightDatabase& kernel(int process, const std::string& name, int start, int end, int correlation,
                         int stream = 7, int device = 0);
  NsightDatabase& call(int process, const std::string& name, int start, int end, int correlation);
  /// A launch of 5 ns and its kernel.
  NsightDatabase& launch(int process, const std::string& name, int at, int start, int end, int correlation,
                         int stream = 7);
  /// An NVTX range without payload, and those of NCCL with theirs.
  NsightDatabase& range(int process, const std::string& text, int start, int end);
  NsightDatabase& collective(int process, const std::string& name, int start, int end,
                             std::uint64_t communicator, std::int64_t bytes);
  NsightDatabase& message(int process, const std::string& name, int start, int end,
                          std::uint64_t communicator, std::int64_t bytes, int peer);
  NsightDatabase& membership(int process, std::uint64_t communicator, int size, int rank, int at = 1);

 private:
  NsightDatabase& payload(int process, const std::string& text, int start, int end, const std::string& hex);
  std::int64_t string(const std::string& text);

  sqlite3* file_ = nullptr;
  std::int64_t strings_ = 0;
};

/// The bytes of a payload of NCCL's in hexadecimal: Nsight's header of 32 bytes, then the fields.
std::string nvtx_payload_hex(int schema, std::uint64_t communicator, std::int64_t bytes, int size = 0,
                             int rank = 0);

}  // namespace lightrail
