#include "app/cli/remark_shortcuts.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <utility>

#include "app/cli/print_summary.hpp"
#include "components/gpu/compute/kernel_variation.hpp"
#include "fabrics/clos/fabric_layout.hpp"
#include "network/port/send_ahead.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

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
        "rests on         grain: packets travel in trains of up to 16 (64 on NVLink), 8 at least of a "
        "message; see docs/grain.md\n"
        "                 grain: a busy line is given trains for 10.000 us ahead\n"
        "                 collectives: the steps of a ring in one server are one exchange (fold-rings)\n");
}

TEST_CASE("a third tier that was asked for and is not there is said") {
  auto remarks_of = [](std::uint32_t cores) {
    FabricLayout layout;
    layout.tiers = 3;
    layout.networks.resize(1);
    layout.networks[0].shape.spines = 2;
    layout.networks[0].shape.cores_per_plane = cores;
    Model model;
    model.add(std::make_shared<const FabricLayouts>(FabricLayouts{{layout}}));
    return remark_shortcuts(model).remarks;
  };
  CHECK(remarks_of(4).empty());
  CHECK(
      remarks_text(remarks_of(0)) ==
      "rests on         fabric: tiers=\"3\" is built without cores: a group of leaves has all NICs (validate "
      "shows it)\n");
}

TEST_CASE("with drawn times a step that leaves micro-batches or replicas out is called an estimate") {
  auto remarks_of = [](std::uint32_t skipped, std::uint32_t stands_for, bool varies) {
    Model model;
    ProgramSet set;
    set.programs.resize(2);
    set.programs[1].stepped_over.skipped = skipped;
    model.add(std::make_shared<const ProgramSet>(std::move(set)));
    GroupTable groups;
    GroupKind dp{"dp", {{2, 1}}, {}, stands_for};
    groups.add(dp, 2);
    model.add(std::make_shared<const GroupTable>(std::move(groups)));
    if (varies) model.add(std::make_shared<const KernelVariation>());
    return remark_shortcuts(model).remarks;
  };
  CHECK(remarks_of(10, 1, false).empty());
  CHECK(
      remarks_text(remarks_of(10, 4, false)) ==
      "rests on         fold: no times are drawn, so replicas may go in lockstep, as the summary says: where "
      "their gradients share NICs with other traffic the whole step is some per cent longer then "
      "(docs/scaling.md)\n");
  CHECK(remarks_of(0, 1, true).empty());
  CHECK(remarks_text(remarks_of(10, 1, true)) ==
        "rests on         variation: the step is an estimate: drawn times of the micro-batches left out "
        "(step-over) are taken to be those of the ones measured\n");
  CHECK(
      remarks_text(remarks_of(0, 4, true)) ==
      "rests on         variation: the step is an estimate, too short: of the replicas left out (fold) none "
      "can be slower than the slowest of those simulated\n");
  CHECK(remarks_of(10, 4, true).size() == 2);
}
