#include "app/cli/remark_unused.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/print_summary.hpp"
#include "app/cli/run_detail.hpp"
#include "engine/model/kind.hpp"
#include "network/transport/arrival_reports.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/dcqcn.hpp"
#include "network/transport/dctcp.hpp"
#include "network/transport/nscc.hpp"
#include "network/transport/timely.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/nccl_device.hpp"
#include "workloads/collective/nccl_settings.hpp"

using namespace lightrail;

namespace {

/// A scenario with one child element that has one attribute.
Scenario asking(const char* element, const char* attribute, const char* value) {
  Scenario scenario;
  Element& child = scenario.root.children.emplace_back();
  child.name = element;
  child.set(attribute, value);
  return scenario;
}

Model model_of(std::uint32_t queue_pairs, Detail detail = Detail::trains) {
  Model model;
  model.add(std::make_shared<const RunDetail>(RunDetail{detail, {}}));
  NcclSettings nccl;
  nccl.queue_pairs = queue_pairs;
  model.add(std::make_shared<const NcclSettings>(nccl));
  model.add(std::make_shared<const AddressBook>());
  return model;
}

/// A kind of GPU with figures of its own.
class MeasuredGpu final : public Spec, public NcclDeviceSpec {
 public:
  explicit MeasuredGpu(const NcclDevice& device) : device_(device) {}
  [[nodiscard]] const NcclDevice* nccl_device() const override { return &device_; }

 private:
  NcclDevice device_;
};

std::string said(const Scenario& scenario, const Model& model) {
  return remarks_text(remark_unused(scenario, model).remarks);
}

}  // namespace

TEST_CASE("what is asked for and done needs no remark") {
  Model model = model_of(4);
  model.add(std::make_shared<const ToldByBatches>());
  CHECK(said(asking("network", "arrivals", "batches"), model).empty());
  CHECK(said(asking("nccl", "qp-use", "split"), model).empty());
  CHECK(said(Scenario{}, model_of(4, Detail::messages)).empty());
}

TEST_CASE("trains that are asked to be counted in batches and are not are told") {
  const std::string text =
      "rests on         grain: arrivals=\"batches\" changes nothing: GPUs are told of every train where "
      "optical switches, faults, restarts or congestion control need to know of each\n";
  Model light = model_of(1), congested = model_of(1);  // the first: system_builder adds no ToldByBatches
  congested.add(std::make_shared<const ToldByBatches>());
  congested.add(std::make_shared<const CongestionControl>(CongestionSpec{}, std::vector<RateEntry>{}));
  for (const Model* model : {&light, &congested}) {
    CHECK(said(asking("network", "arrivals", "batches"), *model) == text);
    CHECK(said(asking("network", "arrivals", "trains"), *model).empty());
    CHECK(said(asking("network", "grain", "16"), *model).empty());
  }
}

TEST_CASE("choices of queue pairs of a connection that has one are told") {
  const std::string text =
      "rests on         collectives: qp-use and qp-paths change nothing: a connection has one queue pair "
      "(qps-per-connection)\n";
  CHECK(said(asking("nccl", "qp-use", "split"), model_of(1)) == text);
  CHECK(said(asking("nccl", "qp-paths", "disjoint"), model_of(1)) == text);
  CHECK(said(asking("nccl", "pxn", "on"), model_of(1)).empty());
}

TEST_CASE("queue pairs that a formula does not know are told") {
  CHECK(said(Scenario{}, model_of(4, Detail::formula)) ==
        "rests on         collectives: qps-per-connection changes nothing: a formula has no connections "
        "(detail)\n");
  CHECK(said(Scenario{}, model_of(1, Detail::formula)).empty());
}

TEST_CASE("figures of collectives that the scenario gives and every GPU has its own of are told") {
  NcclDevice device;
  device.base_ll = microseconds(9), device.deepep_sm_rate = BitRate{150'000'000'000};
  Model model = model_of(1);
  model.specs.push_back(std::make_shared<const MeasuredGpu>(device));
  CHECK(said(asking("nccl", "base-ll", "1 us"), model) ==
        "rests on         collectives: figures of GPUs (<gpu><collectives>) take the place of the scenario's "
        "<nccl> "
        "base-ll\n");
  CHECK_THAT(said(asking("nccl", "deepep-sm-rate", "1 GB/s"), model), Catch::Contains("deepep-sm-rate"));
  // What they lack, what the catalogue gives and what nobody has figures of.
  CHECK(said(asking("nccl", "deepep-low-latency-nvlink", "1 us"), model).empty());
  CHECK(said(asking("nccl", "base-ll", "1 us"), model_of(1)).empty());
  CHECK(said(Scenario{}, model).empty());
  Scenario entry = asking("nccl", "base-ll", "1 us");
  entry.root.children[0].attributes[0].file = "nccl_2_21.xml";
  CHECK(said(entry, model).empty());
}

TEST_CASE("congestion control that a detail leaves nothing of is told") {
  const auto with = [](Detail detail, auto control) {
    Model model = model_of(1, detail);
    model.add(std::make_shared<const decltype(control)>(control));
    return said(Scenario{}, model);
  };
  const CongestionControl infiniband(CongestionSpec{}, {});
  for (const Detail detail : {Detail::trains, Detail::packets}) {
    CHECK(with(detail, infiniband).empty());
    CHECK(with(detail, Dcqcn{}).empty());
    CHECK(with(detail, Timely{}).empty());
  }
  CHECK(with(Detail::messages, infiniband) ==
        "rests on         congestion: <congestion-control> changes nothing: it goes by marks, and no switch "
        "is left to mark (detail)\n");
  CHECK_THAT(with(Detail::messages, Dcqcn{}), Catch::Contains("<dcqcn> changes nothing: it goes by marks"));
  CHECK_THAT(with(Detail::messages, Dctcp{}), Catch::Contains("<dctcp> changes nothing: it goes by marks"));
  CHECK(with(Detail::messages, Nscc{}) ==
        "rests on         congestion: <nscc> goes by marks and round trips of a network without switches "
        "(detail)\n");
  CHECK_THAT(with(Detail::messages, Timely{}), Catch::Contains("<timely> goes by marks and round trips"));
  CHECK(with(Detail::formula, Dcqcn{}) ==
        "rests on         congestion: <dcqcn> changes nothing: by formula nothing waits for a line "
        "(detail)\n");
  CHECK_THAT(with(Detail::formula, Timely{}), Catch::Contains("<timely> changes nothing: by formula"));
  CHECK(said(Scenario{}, model_of(1, Detail::messages)).empty());
}
