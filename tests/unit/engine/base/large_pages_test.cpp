#include <cstdint>

#include "engine/base/large_pages.hpp"

#include <sys/mman.h>

#include <catch2/catch.hpp>

TEST_CASE("a region that is larger than the machine's memory is left alone") {
  constexpr std::size_t size = std::size_t{1} << 42;  // 4 TiB
  void* region =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(region != MAP_FAILED);
  CHECK(lightrail::use_large_pages() < static_cast<std::int64_t>(size));
  munmap(region, size);
}
