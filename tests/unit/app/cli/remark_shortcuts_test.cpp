#include "app/cli/remark_shortcuts.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>

#include "app/cli/print_summary.hpp"
#include "network/port/send_ahead.hpp"
#include "workloads/collective/nccl_settings.hpp"

using namespace lightrail;

namespace {

LinkClass link(const char* medium, std::uint32_t grain) {
  LinkClass made;
  made.medium = medium;
  made.grain = grain;
  return made;
}

}  // namespace

TEST_CASE("a run packet by packet and step by step rests on no shortcut") {
  Model model;
  model.link_classes = {link("nvlink", 1), link("electrical", 1)};
  model.add(std::make_shared<const SendAhead>());
  model.add(std::make_shared<const NcclSettings>());
  CHECK(remark_shortcuts(model).remarks.empty());
  CHECK(remarks_text({}).empty());
}

TEST_CASE("each shortcut is said once, in the order of the data") {
  Model model;
  model.link_classes = {link("nvlink", 64), link("electrical", 4), link("optical", 16)};
  model.add(std::make_shared<const SendAhead>(SendAhead{microseconds(10)}));
  NcclSettings nccl;
  nccl.fold_rings = true;
  model.add(std::make_shared<const NcclSettings>(nccl));
  CHECK(remarks_text(remark_shortcuts(model).remarks) ==
        "rests on         grain: packets travel in trains of up to 16 (64 on NVLink); see docs/grain.md\n"
        "                 grain: a busy line is given trains for 10.000 us ahead\n"
        "                 collectives: the steps of a ring in one server are one exchange (fold-rings)\n");
}
