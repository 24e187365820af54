#include "components/built_in_tables.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "components/gpu/execution/exposed_time.hpp"
#include "components/registry.hpp"
#include "components/supervisor/supervised_job.hpp"
#include "network/transport/discards.hpp"
#include "network/wire/phase.hpp"
#include "tests/support/enumerators.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/program/program.hpp"

using namespace lightrail;

namespace {

TableRegistry all_tables() {
  return built_in_tables(built_in_algorithms());
}

std::vector<std::string> labels(const TableRegistry& tables, const std::string& table,
                                const std::string& column) {
  const auto& columns = tables[tables.id(table)].columns;
  return std::find_if(columns.begin(), columns.end(), [&](auto& c) { return c.name == column; })->labels;
}

/// As one of a plugin: it is never run here.
class FromOutside final : public CollectiveAlgorithm {
 public:
  [[nodiscard]] std::string name() const override { return "bucket-ring"; }
  [[nodiscard]] std::string doc() const override { return ""; }
  [[nodiscard]] bool serves(CollectiveType) const override { return false; }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::simple_only; }
  [[nodiscard]] SimTime start_delay(const GroupPlan&, const Op&, Protocol) const override { return {}; }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput&) const override { return {}; }
};

}  // namespace

TEST_CASE("the tables of a result come in the order that they always had") {
  CHECK(all_tables().names() ==
        std::vector<std::string>{
            "ops",          "messages",     "collectives", "link_use",       "queue",    "ocs",     "storage",
            "power",        "traffic",      "steps",       "traffic_matrix", "requests", "batches", "exposed",
            "link_traffic", "stepped_over", "pause",       "buffer",         "ecn",      "repair",  "trim",
            "storms",       "discarded",    "restarts",    "recalled"});
}

TEST_CASE("the labels are the enumerators and algorithms of programs, every one and in their order") {
  const TableRegistry tables = all_tables();
  CHECK(labels(tables, "ops", "kind") == enumerator_names<OpKind>());
  CHECK(labels(tables, "exposed", "use") == enumerator_names<TimeUse>());
  CHECK(labels(tables, "collectives", "collective") == enumerator_names<CollectiveType>());
  CHECK(labels(tables, "collectives", "algorithm") == built_in_algorithms().labels());
  CHECK(labels(tables, "collectives", "protocol") == enumerator_names<Protocol>());
  CHECK(labels(tables, "discarded", "where") == enumerator_names<DiscardedAt>());
  CHECK(labels(tables, "restarts", "cause") == enumerator_names<RestartCause>());
  CHECK(labels(tables, "link_traffic", "traffic") == enumerator_names<Phase>());
}

TEST_CASE("an algorithm that comes later has its label once the tables are labelled anew") {
  AlgorithmRegistry algorithms = built_in_algorithms();
  TableRegistry tables = built_in_tables(algorithms);
  algorithms.add(std::make_shared<const FromOutside>());
  label_algorithms(tables, algorithms);
  CHECK(labels(tables, "collectives", "algorithm").back() == "bucket_ring");
  CHECK(labels(tables, "collectives", "algorithm").size() ==
        labels(all_tables(), "collectives", "algorithm").size() + 1);
}

TEST_CASE("every table that a kind of component says it writes is declared") {
  const TableRegistry tables = all_tables();
  const KindRegistry kinds = built_in_kinds();
  for (const auto& kind : kinds.kinds())
    for (const StatisticDoc& statistic : kind->statistics) {
      INFO(kind->name << " writes " << statistic.table);
      CHECK(tables.find(statistic.table));
    }
}
