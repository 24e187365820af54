#include "components/built_in_tables.hpp"

#include <utility>

#include "components/gpu/tables.hpp"
#include "components/ocs/tables.hpp"
#include "components/scheduler/tables.hpp"
#include "components/storage/tables.hpp"
#include "components/supervisor/tables.hpp"
#include "engine/base/error.hpp"
#include "network/port/pause/tables.hpp"
#include "network/port/tables.hpp"
#include "network/transport/tables.hpp"
#include "workloads/program/labels.hpp"

namespace lightrail {

TableRegistry built_in_tables(const AlgorithmRegistry& algorithms) {
  TableRegistry all;
  const auto add = [&all](TableId id, TableSchema schema) {
    const TableId place = all.add(std::move(schema));
    LIGHTRAIL_EXPECT(place == id);
  };
  // Results hold them in this order, and scenarios of all times name them: new ones go at the end.
  add(tables::ops, ops_schema());
  add(tables::messages, messages_schema());
  add(tables::collectives, collectives_schema());
  add(tables::link_use, link_use_schema());
  add(tables::queue, queue_schema());
  add(tables::ocs, ocs_schema());
  add(tables::storage, storage_schema());
  add(tables::power, power_schema());
  add(tables::traffic, traffic_schema());
  add(tables::steps, steps_schema());
  add(tables::traffic_matrix, traffic_matrix_schema());
  add(tables::requests, requests_schema());
  add(tables::batches, batches_schema());
  add(tables::exposed, exposed_schema());
  add(tables::link_traffic, link_traffic_schema());
  add(tables::stepped_over, stepped_over_schema());
  add(tables::pause, pause_schema());
  add(tables::buffer, buffer_schema());
  add(tables::ecn, ecn_schema());
  add(tables::repair, repair_schema());
  add(tables::trim, trim_schema());
  add(tables::storms, storms_schema());
  add(tables::discarded, discarded_schema());
  add(tables::restarts, restarts_schema());
  add(tables::recalled, recalled_schema());

  all.set_labels("ops", "kind", operation_labels());
  all.set_labels("collectives", "collective", collective_labels());
  all.set_labels("collectives", "protocol", protocol_labels());
  label_algorithms(all, algorithms);
  return all;
}

void label_algorithms(TableRegistry& tables, const AlgorithmRegistry& algorithms) {
  tables.set_labels("collectives", "algorithm", algorithms.labels());
}

}  // namespace lightrail
