#include "tests/model/collective/gpu_bed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "app/cli/formula_model.hpp"
#include "components/gpu/gpu.hpp"
#include "components/gpu/tables.hpp"
#include "components/gpu/transport/gpu_ports.hpp"
#include "components/nic/nic.hpp"
#include "components/nvswitch/nvswitch.hpp"
#include "components/storage/storage.hpp"
#include "components/switch/switch.hpp"
#include "engine/model/output_selection.hpp"
#include "network/transport/tables.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/prepare.hpp"
#include "workloads/collective/recall_plan.hpp"

namespace lightrail::test {

GpuBed::GpuBed(const ClusterShape& shape) : shape_(shape) {
  gpu_spec->sms = 100;
  gpu_spec->memory = Bytes{80'000'000'000};
  gpu_spec->memory_bandwidth = BitRate{2'000'000'000'000 * 8};  // 0.5 ps a byte
  gpu_spec->compute.sms = gpu_spec->sms;
  gpu_spec->compute.memory_bandwidth = gpu_spec->memory_bandwidth;
  gpu_spec->compute.memory_kernel = MemoryKernelSpec{microseconds(2), 0.5};

  auto nvswitch_spec = std::make_shared<NvswitchSpec>();
  nvswitch_spec->ports = shape.gpus;
  nvswitch_spec->latency = nvswitch_latency;
  nvswitch_spec->buffer = Bytes{shape.nvswitch_buffer};
  nvswitch_spec->nvls_efficiency = shape.nvls_efficiency;
  nvswitch_spec->planes = shape.planes;
  nvswitch_spec->plane_hash = shape.planes > 1 ? PlaneHash::flow : PlaneHash::packet;
  nic_spec->send_latency = nic_spec->receive_latency = nic_latency;
  nic_spec->message_rate = 1'000'000'000'000;
  auto switch_spec = std::make_shared<SwitchSpec>();
  switch_spec->latency = switch_latency;
  switch_spec->sharp_efficiency = shape.sharp_efficiency;
  switch_spec->sharp_buffer = Bytes{shape.sharp_buffer};
  switch_spec->sharp_radix = shape.sharp_radix;
  switch_spec->ports = 4096;
  host_spec->latency = host_latency;
  host_spec->memory_bandwidth = BitRate{100'000'000'000 * 8};  // 10 ps a byte
  auto storage_spec = std::make_shared<StorageSpec>();
  storage_spec->drives = 4;
  storage_spec->read_rate = BitRate{5'000'000'000 * 8};   // 200 ps a byte
  storage_spec->write_rate = BitRate{2'500'000'000 * 8};  // 400 ps a byte
  storage_spec->read_latency = microseconds(90);
  storage_spec->write_latency = microseconds(20);
  storage_spec->metadata = shape.metadata;

  auto nvlink =
      bed.link_class(nvlink_latency, BitRate{200'000'000'000 * 8 / shape.planes}, 4096, shape.grain);
  auto pcie = bed.link_class(pcie_latency, BitRate{50'000'000'000 * 8}, 4096, shape.grain);
  auto cable = bed.link_class(cable_latency, BitRate{50'000'000'000 * 8}, 4096, shape.grain);
  auto gpu_k = gpu_kind(), nvswitch_k = nvswitch_kind(), nic_k = nic_kind(), switch_k = switch_kind(),
       host_k = host_kind(), storage_k = storage_kind();

  AddressBook& book = bed.book();
  std::vector<AddressBook::Entry> hosts, storages;
  std::vector<ComponentId> host_ids, storage_ids;
  struct Plug {
    ComponentId nic;
    std::uint32_t rail, lid;
  };
  std::vector<Plug> plugs;
  std::uint32_t lids = 0;
  for (std::uint32_t s = 0; s < shape.servers; ++s) {
    std::vector<ComponentId> gpus, nics;
    for (std::uint32_t g = 0; g < shape.gpus; ++g) {
      gpus.push_back(bed.add(gpu_k, gpu_spec, "gpu", g > 0));
      numbers_.emplace_back(gpus.back(), s * shape.gpus + g);
      book.component_of.push_back(gpus.back());
    }
    std::vector<PortIndex> next(shape.nics, 1);
    for (std::uint32_t n = 0; n < shape.nics; ++n) {
      nics.push_back(bed.add(nic_k, nic_spec, "nic", true));
      plugs.push_back({nics.back(), n, lids + n});
    }
    for (std::uint32_t g = 0; g < shape.gpus; ++g) {
      AddressBook::Entry entry{s, Lid{}, static_cast<std::uint16_t>(g), 0};
      if (shape.nics > 0) {
        const std::uint32_t nic = g * shape.nics / shape.gpus;
        entry.nic = static_cast<std::uint16_t>(nic);
        entry.lid = Lid{lids + nic};
        for (std::uint32_t i = 0; i == 0 || i < shape.nics / shape.gpus; ++i)
          bed.connect(gpus[g], GpuPort::of_nic(i), nics[nic + i], next[nic + i]++, pcie);
      }
      book.endpoints.push_back(entry);
    }
    lids += shape.nics;
    if (shape.has_nvswitch) {
      ComponentId nvswitch = bed.add(nvswitch_k, nvswitch_spec, "nvswitch", true);
      for (std::uint32_t g = 0; g < shape.gpus; ++g)
        for (std::uint32_t k = 0; k < shape.planes; ++k)
          bed.connect(gpus[g], static_cast<PortIndex>(k == 0 ? 0 : GpuPort::second_nic + k - 1), nvswitch,
                      static_cast<PortIndex>(k * shape.gpus + g), nvlink);
    }
    if (shape.has_host) {
      host_ids.push_back(bed.add(host_k, host_spec, "host", true));
      hosts.push_back({s, Lid{}, 0, 0});
      for (std::uint32_t g = 0; g < shape.gpus; ++g)
        bed.connect(gpus[g], 2, host_ids.back(), static_cast<PortIndex>(g), pcie);
      for (std::uint32_t n = 0; n < shape.nics; ++n)
        bed.connect(host_ids.back(), static_cast<PortIndex>(shape.gpus + n), nics[n], next[n]++, pcie);
    }
  }
  for (std::uint32_t s = 0; s < shape.storage; ++s) {
    storage_ids.push_back(bed.add(storage_k, storage_spec, "storage"));
    ComponentId nic = bed.add(nic_k, nic_spec, "nic", true);
    bed.connect(storage_ids.back(), 0, nic, 1, pcie);
    plugs.push_back({nic, 0, lids});
    storages.push_back({shape.servers + s, Lid{lids++}, 0, 0});
  }
  book.gpu_count = gpus();
  book.first_storage = gpus() + static_cast<std::uint32_t>(hosts.size());
  book.storage_count = shape.storage;
  book.lid_count = lids;
  for (std::size_t i = 0; i < hosts.size() + storages.size(); ++i) {
    const bool is_host = i < hosts.size();
    const ComponentId id = is_host ? host_ids[i] : storage_ids[i - hosts.size()];
    numbers_.emplace_back(id, static_cast<std::uint32_t>(book.endpoints.size()));
    book.endpoints.push_back(is_host ? hosts[i] : storages[i - hosts.size()]);
    book.component_of.push_back(id);
  }
  book.striping = shape.striping;
  for (std::uint32_t g = 0; shape.nics > shape.gpus && g < gpus(); ++g)
    for (std::uint32_t i = 0; i < shape.nics / shape.gpus; ++i) {
      AddressBook::Entry entry = book.endpoints[g];
      entry.nic = static_cast<std::uint16_t>(entry.nic + i), entry.lid.value += i;
      book.add_nic_address(EndpointId{g}, entry);
    }
  const std::uint32_t rails = shape.joins_rails || shape.nics == 0 ? 1 : shape.nics;
  const std::uint32_t on_leaf =
      shape.servers_per_leaf == 0 ? shape.servers + shape.storage : shape.servers_per_leaf;
  const std::uint32_t leaves = (shape.servers + shape.storage + on_leaf - 1) / on_leaf;
  for (std::uint32_t rail = 0; rail < rails && !plugs.empty(); ++rail) {
    const std::size_t first = switches.size();
    std::vector<SwitchRoute> routes(leaves + 1);
    for (SwitchRoute& route : routes) route.listed.resize(lids);
    std::vector<PortIndex> next(leaves);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
      switches.push_back(bed.add(switch_k, switch_spec, "switch"));
    for (const Plug& plug : plugs) {
      if (plug.rail % rails != rail) continue;
      const std::uint32_t server = shape.nics == 0 ? 0 : std::min(plug.lid / shape.nics, shape.servers);
      const std::uint32_t leaf = leaves == 1 ? 0 : server / on_leaf;
      bed.connect(plug.nic, 0, switches[first + leaf], next[leaf], cable);
      routes[leaf].listed[plug.lid] = {next[leaf]++};
      routes[leaves].listed[plug.lid] = {static_cast<PortIndex>(leaf)};
    }
    if (leaves > 1) switches.push_back(bed.add(switch_k, switch_spec, "switch"));
    for (std::uint32_t leaf = 0; leaf < leaves && leaves > 1; ++leaf) {
      bed.connect(switches[first + leaf], next[leaf], switches.back(), static_cast<PortIndex>(leaf), cable);
      for (auto& ports : routes[leaf].listed)
        if (ports.empty()) ports = {next[leaf]};
    }
    for (std::size_t i = first; i < switches.size(); ++i) bed.route(switches[i], routes[i - first]);
  }
}

GroupKindId GpuBed::group(const std::string& name, std::uint32_t count, std::uint32_t stride,
                          std::uint32_t stands_for) {
  GroupKind kind;
  kind.name = name;
  kind.stands_for = stands_for;
  kind.digits = {{count, stride}};
  return groups_->add(kind, gpus());
}

GroupKindId GpuBed::listed_group(const std::string& name,
                                 const std::vector<std::vector<std::uint32_t>>& lists) {
  GroupKind kind;
  kind.name = name;
  for (const auto& list : lists) {
    auto& members = kind.listed.emplace_back();
    for (std::uint32_t gpu : list) members.push_back(EndpointId{gpu});
  }
  return groups_->add(kind, gpus());
}

void GpuBed::run_on(const std::vector<std::uint32_t>& on, Program program) {
  if (set.programs.empty()) {
    set.programs.push_back({});
    set.programs[0].role = "idle";
    set.program_of_gpu.assign(gpus(), 0);
  }
  for (std::uint32_t gpu : on) set.program_of_gpu[gpu] = static_cast<std::uint32_t>(set.programs.size());
  set.programs.push_back(std::move(program));
}

void GpuBed::run_all(std::vector<Op> ops) {
  Program program;
  program.role = "all";
  program.streams = {"nccl"};
  program.ops = std::move(ops);
  std::vector<std::uint32_t> all;
  for (std::uint32_t gpu = 0; gpu < gpus(); ++gpu) all.push_back(gpu);
  run_on(all, std::move(program));
}

std::vector<std::string> GpuBed::prepare() {
  Model& model = bed.finish_model();
  if (!wired_) wired_ = model;
  model = *wired_;
  for (auto [component, number] : numbers_) model.components[component.value].number = number;
  model.names = {"op"};
  model.dimensions = {"all", "second"};
  auto output = std::make_shared<OutputSelection>();
  output->by_table.assign(test::many_tables, {true, {{0, 0xffffffff}}});
  output->interval = interval;
  model.add<OutputSelection>(std::move(output));
  model.add<GroupTable>(groups_);
  model.add(std::make_shared<const ProgramSet>(set));
  model.add(std::make_shared<const NcclSettings>(nccl));
  ErrorList errors;
  model.add(std::make_shared<const AlgorithmRegistry>(built_in_algorithms()));
  model.add(prepare_execution(model, errors));
  if (recalls) {
    RecallPlan plan = *make_recall_plan(model).resources.find<RecallPlan>();
    plan.max_runs = kept_runs;
    model.add(std::make_shared<const RecallPlan>(std::move(plan)));
  }
  std::vector<std::string> all;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& e) {
    for (const InputError& error : e.errors()) all.push_back(error.what);
  }
  return all;
}

std::vector<std::string> GpuBed::mistakes() {
  return prepare();
}

void GpuBed::run(SimTime save_at) {
  if (auto all = prepare(); !all.empty()) throw InputErrors(InputError{"", 0, all[0]});
  if (by_formula) bed.finish_model() = formula_model(bed.finish_model());
  bed.run(save_at);
}

std::string GpuBed::error_of_run() {
  try {
    run();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

SimTime GpuBed::end_of(std::uint32_t gpu, std::uint32_t op) {
  for (const Row& row : bed.rows(tables::ops))
    if (row.values[0] == gpu && row.values[2] == op && row.values[5] == 0) return SimTime{row.values[7]};
  return SimTime{-1};
}

SimTime GpuBed::start_of(std::uint32_t gpu, std::uint32_t op) {
  for (const Row& row : bed.rows(tables::ops))
    if (row.values[0] == gpu && row.values[2] == op && row.values[5] == 0) return SimTime{row.values[6]};
  return SimTime{-1};
}

std::int64_t GpuBed::sent_bytes(std::uint32_t gpu) {
  std::int64_t sum = 0;
  for (const Row& row : bed.rows(tables::traffic))
    if (row.values[0] == gpu) sum += row.values[2];
  return sum;
}

std::int64_t GpuBed::sent_bytes() {
  std::int64_t sum = 0;
  for (const Row& row : bed.rows(tables::traffic)) sum += row.values[2];
  return sum;
}

std::int64_t GpuBed::received_bytes(std::uint32_t gpu) {
  std::int64_t sum = 0;
  for (const Row& row : bed.rows(tables::messages))
    if (row.values[1] == gpu) sum += row.values[3];
  return sum;
}

Op collective(CollectiveType type, GroupKindId group, std::int64_t bytes, Protocol protocol) {
  Op op;
  op.kind = OpKind::collective;
  op.collective = type;
  op.group = group;
  op.bytes = bytes;
  op.protocol = protocol;
  return op;
}

Op compute(SimTime duration, std::uint8_t stream) {
  Op op;
  op.kind = OpKind::compute;
  op.duration = duration;
  op.stream = stream;
  return op;
}

Op host(SimTime duration, std::uint8_t stream) {
  Op op = compute(duration, stream);
  op.kind = OpKind::host;
  return op;
}

Op after(Op op, std::uint32_t first, std::uint16_t count) {
  op.first_dependency = first;
  op.dependency_count = count;
  return op;
}

Op point(OpKind kind, GroupKindId group, std::int32_t offset, std::int64_t bytes) {
  Op op;
  op.kind = kind;
  op.group = group;
  op.peer_mode = PeerMode::offset;
  op.peer = offset;
  op.bytes = bytes;
  return op;
}

}  // namespace lightrail::test
