#include "workloads/collective/algorithm_registry.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/collective/cost_model.hpp"
#include "workloads/program/collective_names.hpp"

namespace lightrail {
namespace {

class Named final : public CollectiveAlgorithm {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::string doc() const override { return "of a test"; }
  bool serves(CollectiveType type) const override { return type == CollectiveType::broadcast; }
  ProtocolRule protocol_rule() const override { return ProtocolRule::by_message; }
  SimTime start_delay(const GroupPlan&, const Op&, Protocol) const override { return SimTime{0}; }
  CollectivePlan plan(const CollectiveInput&) const override { return ExchangePlan{}; }

 private:
  std::string name_;
};

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("the ids of built-in algorithms are those that trace files and tables have always held") {
  const AlgorithmRegistry all = built_in_algorithms();
  const std::vector<std::string> first{
      "auto_select", "ring",         "tree",      "nvls",   "nvls_tree",          "pat",    "direct",
      "pairwise",    "hierarchical", "full_mesh", "deepep", "deepep_low_latency", "collnet"};
  const std::vector<std::string> labels = all.labels();
  REQUIRE(labels.size() >= first.size());
  CHECK(std::vector<std::string>(labels.begin(), labels.begin() + first.size()) == first);
  CHECK(all.find("nvls-tree") == static_cast<Algorithm>(4));
  CHECK(name_of(all.names(), static_cast<Algorithm>(12)) == "collnet");
}

// 8 GPUs of one server or of two, 20 multiprocessors of 16.6 GB/s beside 0.83 of NVLink.
TEST_CASE("an exchange of experts says which figures it takes from the library as its GPUs have none") {
  const AlgorithmRegistry all = built_in_algorithms();
  NcclSettings nccl;
  GroupPlan plan;
  plan.nccl = &nccl;
  for (std::uint32_t i = 0; i < 8; ++i) plan.members.push_back(EndpointId{i});
  plan.server_first = {0, 8};
  plan.local_rate = BitRate{8 * 721'800'000'000};
  using Names = std::vector<std::string>;
  const auto borrowed = [&](const char* name, const NcclDevice* own) {
    const std::vector<const char*> names = all[*all.find(name)].borrowed(plan, own);
    return Names(names.begin(), names.end());
  };
  NcclDevice none, own;
  own.deepep_sm_rate = BitRate{1}, own.deepep_low_latency_nvlink = SimTime{1};
  const Names rate{"deepep-sm-rate"}, share{"deepep-low-latency-nvlink-efficiency"},
      both{"deepep-low-latency-nvlink", share[0]};
  for (const char* normal : {"deepep", "hybridep"}) {
    CHECK(borrowed(normal, nullptr) == rate);
    CHECK(borrowed(normal, &none) == rate);
    CHECK(borrowed(normal, &own).empty());
  }
  CHECK(borrowed("deepep-low-latency", nullptr) == both);
  CHECK(borrowed("deepep-low-latency", &none) == both);
  CHECK(borrowed("deepep-low-latency", &own) == share);
  CHECK(borrowed("ring", nullptr).empty());
  CHECK(borrowed("direct", nullptr).empty());

  plan.has_nvlink = false;
  CHECK(borrowed("deepep", &none).empty());
  CHECK(borrowed("deepep-low-latency", &none) == Names{"deepep-low-latency-nvlink"});
  plan.has_nvlink = true;
  plan.server_first = {0, 4, 8};
  CHECK(borrowed("deepep", &none) == rate);
  CHECK(borrowed("deepep-low-latency", &none).empty());

  plan.local_rate = BitRate{8 * 164'800'000'000};  // more than it reaches: the rate does not count
  CHECK(borrowed("deepep", &none).empty());
  nccl.deepep_sms = 8;  // 132.8 GB/s of 136.8
  CHECK(borrowed("deepep", &none) == rate);
  nccl.deepep_sm_rate = BitRate{0};
  CHECK(borrowed("deepep", &none).empty());
}

TEST_CASE("for every collective there is an algorithm that auto chooses without a hindrance") {
  const AlgorithmRegistry all = built_in_algorithms();
  const NcclSettings nccl;
  GroupPlan plan;  // two servers of different sizes, no NVSwitch that adds
  plan.nccl = &nccl;
  for (std::uint32_t i = 0; i < 5; ++i) plan.members.push_back(EndpointId{i});
  plan.server_first = {0, 3, 5};
  plan.local_rate = plan.net_rate = BitRate{400'000'000'000};
  for (const auto& [name, type] : collective_names()) {
    INFO(name);
    Op op;
    op.kind = OpKind::collective;
    op.collective = type;
    op.bytes = 1 << 20;
    const Choice choice = choose(all, nccl, plan, op);
    REQUIRE(all.contains(choice.algorithm));
    CHECK(all[choice.algorithm].serves(type));
    CHECK(!all[choice.algorithm].hindrance(plan, op));
    CHECK(choice.protocol != Protocol::auto_select);
  }
}

TEST_CASE("every algorithm serves a collective and says in a sentence what it does") {
  const AlgorithmRegistry all = built_in_algorithms();
  for (const auto& [name, id] : all.names()) {
    if (id == Algorithm::auto_select) continue;
    INFO(name);
    CHECK(all[id].name() == name);
    CHECK(!all[id].doc().empty());
    CHECK(!all[id].serves(CollectiveType::none));
    CHECK(std::any_of(collective_names().begin(), collective_names().end(),
                      [&, at = id](const auto& type) { return all[at].serves(type.second); }));
  }
}

TEST_CASE("a plugin's algorithm gets the next id, its name becomes a choice and a label") {
  AlgorithmRegistry all = built_in_algorithms();
  const auto next = static_cast<Algorithm>(all.labels().size());
  CHECK(!all.contains(next));
  CHECK(all.add(std::make_shared<const Named>("star-2")) == next);
  CHECK(all.contains(next));
  CHECK(all[next].name() == "star-2");
  CHECK(all.find("star-2") == next);
  CHECK(!all.find("star-3"));
  CHECK(all.labels().back() == "star_2");
  CHECK(all.serving(CollectiveType::broadcast).back() == next);
  CHECK(all.names_serving(CollectiveType::broadcast).back().first == "star-2");
  CHECK(all.names_serving(CollectiveType::all_to_all).back().first != "star-2");
}

TEST_CASE("a name that is taken or no name is refused, and so is the 256th algorithm") {
  AlgorithmRegistry all;
  all.add(std::make_shared<const Named>("star"));
  CHECK_THROWS_WITH(all.add(std::make_shared<const Named>("star")),
                    Contains("collective algorithm 'star' is registered twice"));
  CHECK_THROWS_WITH(all.add(std::make_shared<const Named>("auto")), Contains("registered twice"));
  CHECK_THROWS_WITH(all.add(std::make_shared<const Named>("Star ring")),
                    Contains("collective algorithm 'Star ring' has no valid name (expected lower-case"));
  for (int i = 1; i < 255; ++i) all.add(std::make_shared<const Named>("star-" + std::to_string(i)));
  CHECK_THROWS_WITH(all.add(std::make_shared<const Named>("late")),
                    Contains("collective algorithm 'late' is one too many (at most 255)"));
}

}  // namespace lightrail
