#include "app/cli/remark_hosts.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "components/gpu/transport/gpu_ports.hpp"
#include "components/host/host.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/program/program.hpp"

using namespace lightrail;

namespace {

/// GPUs, each with a host of its own, of the kind that is given for it.
Model model_of(const std::vector<std::uint32_t>& kind_of_host, bool counts_launches,
               std::vector<int> launch_us = {4, 10}, bool is_bound = true, double unbound = 1) {
  Model model;
  AddressBook book;
  ProgramSet set;
  set.programs.resize(1);
  for (const int us : launch_us) {
    auto spec = std::make_shared<HostSpec>();
    spec->costs.launch = microseconds(us), spec->costs.call = microseconds(16);
    spec->costs.unbound = unbound;
    model.specs.push_back(std::move(spec));
  }
  for (const std::uint32_t kind : kind_of_host) {
    const auto gpu = static_cast<std::uint32_t>(model.components.size());
    const auto first = static_cast<std::uint32_t>(model.ports.size());
    model.components.push_back({.first_port = first, .port_count = GpuPort::host + 1});
    model.components.push_back({.spec = kind});
    model.ports.resize(first + GpuPort::host + 1);
    model.ports.back().out = LinkId{static_cast<std::uint32_t>(model.links.size())};
    model.links.push_back({.from = ComponentId{gpu}, .to = ComponentId{gpu + 1}});
    book.component_of.push_back(ComponentId{gpu});
    set.program_of_gpu.push_back(0);
  }
  book.gpu_count = static_cast<std::uint32_t>(kind_of_host.size());
  if (counts_launches) set.host_work = {HostWork{}, HostWork{.launches = 1}};
  set.host.is_bound = is_bound;
  model.add(std::make_shared<const AddressBook>(std::move(book)));
  model.add(std::make_shared<const ProgramSet>(std::move(set)));
  return model;
}

}  // namespace

TEST_CASE("a job whose launches take no time rests on nothing of its hosts") {
  CHECK(remark_hosts(Model()).remarks.empty());
  CHECK(remark_hosts(model_of({0}, false)).remarks.empty());
}

TEST_CASE("every kind of host says once what its launches are guessed to take") {
  const auto remarks = remark_hosts(model_of({0, 1, 0}, true)).remarks;
  REQUIRE(remarks.size() == 2);
  CHECK(remarks[0].about == "hosts");
  CHECK(remarks[0].text.find("a CPU takes 20.000 us to launch a kernel") == 0);
  CHECK(remarks[1].text.find("a CPU takes 26.000 us to launch a kernel") == 0);
}

TEST_CASE("hosts of two kinds that launch alike say so once") {
  CHECK(remark_hosts(model_of({0, 1, 0}, true, {4, 4})).remarks.size() == 1);
}

TEST_CASE("unbound processes are told that they change nothing where a host knows of no difference") {
  const auto remarks = remark_hosts(model_of({0, 1}, true, {4, 10}, false)).remarks;
  REQUIRE(remarks.size() == 3);
  CHECK(remarks[1].about == "hosts");
  CHECK(remarks[1].text == "cpu-binding=\"off\" changes nothing where <host> has unbound=\"1\"");
  CHECK(remark_hosts(model_of({0}, true, {4}, false, 1.5)).remarks.size() == 1);
}
