#include "engine/base/large_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace lightrail {
namespace {

constexpr std::uintptr_t page = std::uintptr_t{2} << 20;

#ifdef MADV_COLLAPSE
constexpr int collapse = MADV_COLLAPSE;
#else
constexpr int collapse = 25;  // Linux 6.1; older kernels refuse it, and then nothing changes
#endif

/// "55d0c0000000-55d0c4000000 rw-p 00000000 00:00 0 [heap]": private memory without a file behind it.
bool is_own_memory(const std::string& line, std::uintptr_t& begin, std::uintptr_t& end) {
  unsigned long long from = 0, to = 0, offset = 0, inode = 0;
  char rights[5] = {}, device[16] = {};
  int used = 0;
  if (std::sscanf(line.c_str(), "%llx-%llx %4s %llx %15s %llu %n", &from, &to, rights, &offset, device,
                  &inode, &used) < 6)
    return false;
  begin = from, end = to;
  const std::string name = line.substr(static_cast<std::size_t>(used));
  return std::string(rights) == "rw-p" && inode == 0 && (name.empty() || name == "[heap]");
}

/// Bytes that no program holds, however many it reserves: the shadow of the address sanitizer is a region of
/// 15 TB, and to go through it takes a tenth of a second.
std::uintptr_t memory_of_machine() {
  return static_cast<std::uintptr_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::int64_t use_large_pages() {
  std::int64_t bytes = 0;
#ifdef MADV_HUGEPAGE
  const std::uintptr_t most = memory_of_machine();
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (!is_own_memory(line, begin, end)) continue;
    begin = (begin + page - 1) / page * page, end = end / page * page;
    if (begin >= end || end - begin < 2 * page || end - begin > most) continue;
    // The address comes as text, from /proc/self/maps.
    void* start = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
    if (madvise(start, end - begin, MADV_HUGEPAGE) != 0) continue;
    madvise(start, end - begin, collapse);
    bytes += static_cast<std::int64_t>(end - begin);
  }
#endif
  return bytes;
}

}  // namespace lightrail
