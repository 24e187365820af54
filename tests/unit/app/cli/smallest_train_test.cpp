#include "app/cli/smallest_train.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

namespace {

LinkClass link(const char* medium, std::uint32_t grain, std::uint32_t mtu_bytes, std::int64_t rate = 1) {
  LinkClass link;
  link.medium = medium, link.grain = grain, link.mtu_bytes = mtu_bytes, link.rate = BitRate{rate};
  return link;
}

}  // namespace

TEST_CASE("the smallest train is that of the fewest bytes, of NVLink or of the others") {
  Model model;
  model.link_classes = {link("electrical", 16, 4096), link("nvlink", 64, 256), link("pcie", 4, 4096),
                        link("optical", 12, 1024), link("nvlink", 128, 4096)};
  CHECK(smallest_train(model, false).packets == 12);
  CHECK(smallest_train(model, false).packet_bytes == 1024);
  CHECK(smallest_train(model, false).bytes() == 12 * 1024);
  CHECK(smallest_train(model, true).packets == 64);
  CHECK(smallest_train(model, true).packet_bytes == 256);
}

TEST_CASE("links that take no time for bytes have no trains") {
  Model model;
  model.link_classes = {link("control", 1, 64, 0), link("electrical", 16, 4096)};
  CHECK(smallest_train(model, false).packets == 16);
  CHECK(smallest_train(model, true).packets == 0);
  CHECK(smallest_train(model, true).bytes() == 0);
}
