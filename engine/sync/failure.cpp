#include "engine/sync/failure.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/out_of_memory.hpp"
#include "engine/base/polite_wait.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {
namespace {

enum class Type : std::uint8_t { input, simulation, io, memory, contract };

void put(StateWriter& out, const std::string& text) {
  out.put(std::vector<char>(text.begin(), text.end()));
}

std::string get_text(StateReader& in) {
  std::vector<char> bytes;
  in.get(bytes);
  return {bytes.begin(), bytes.end()};
}

/// What the thrower of a SimulationError said, without the place its constructor put in front.
std::string bare_text(SimTime time, const std::string& component, const std::string& full) {
  const std::string place = SimulationError(time, component, "").what();
  return full.starts_with(place) ? full.substr(place.size()) : full;
}

StateWriter write(const Failure& failure) {
  StateWriter out;
  try {
    std::rethrow_exception(failure.error);
  } catch (const InputErrors& e) {
    out.put(Type::input);
    out.put(e.errors().size());
    for (const InputError& one : e.errors()) put(out, one.file), out.put(one.line), put(out, one.what);
  } catch (const SimulationError& e) {
    out.put(Type::simulation);
    out.put(e.time), put(out, e.component), put(out, e.what());
  } catch (const MemoryError& e) {
    out.put(Type::memory), put(out, e.what());
  } catch (const std::bad_alloc&) {
    out.put(Type::memory), put(out, out_of_memory_text());
  } catch (const IoError& e) {
    out.put(Type::io), put(out, e.what());
  } catch (const std::exception& e) {
    out.put(Type::contract), put(out, e.what());
  } catch (...) {
    out.put(Type::contract), put(out, "unknown exception");
  }
  return out;
}

[[noreturn]] void read_and_throw(StateReader in) {
  Type type{};
  in.get(type);
  if (type == Type::input) {
    std::size_t count = 0;
    in.get(count);
    std::vector<InputError> errors(count);
    for (InputError& one : errors) one.file = get_text(in), in.get(one.line), one.what = get_text(in);
    throw InputErrors(std::move(errors));
  }
  if (type == Type::simulation) {
    SimTime time{};
    in.get(time);
    const std::string component = get_text(in), full = get_text(in);
    throw SimulationError(time, component, bare_text(time, component, full));
  }
  if (type == Type::io) throw IoError(get_text(in));
  if (type == Type::memory) throw MemoryError(get_text(in));
  throw ContractError(get_text(in));
}

}  // namespace

bool comes_before(const Failure& x, const Failure& y) {
  return std::tie(x.time, x.component) < std::tie(y.time, y.component);
}

void keep_first(std::optional<Failure>& first, Failure failure) {
  if (!first || comes_before(failure, *first)) first = std::move(failure);
}

Failure component_failure(const Model& model, ComponentId component, SimTime time) {
  const std::string name = model.component_name(component);
  try {
    throw;
  } catch (const SimulationError& e) {
    if (e.component.empty()) {
      SimulationError named(e.time, name, bare_text(e.time, e.component, e.what()));
      return {time, component, std::make_exception_ptr(named)};
    }
  } catch (const ContractError& e) {
    ContractError placed(std::string(e.what()) + " (" + name + " at " + format_time(time) + ")");
    return {time, component, std::make_exception_ptr(placed)};
  } catch (...) {
  }
  return {time, component, std::current_exception()};
}

void agree_on_failure(MPI_Comm comm, const std::optional<Failure>& mine) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  using Key = std::array<std::int64_t, 3>;  // has none, time, component
  Key key = {1, 0, 0};
  if (mine) key = {0, mine->time.count(), mine->component.value};
  std::vector<Key> keys(static_cast<std::size_t>(ranks));
  MPI_Request request;
  MPI_Iallgather(key.data(), 3, MPI_INT64_T, keys.data(), 3, MPI_INT64_T, comm, &request);
  wait_politely(request);
  const auto first = std::min_element(keys.begin(), keys.end());
  if ((*first)[0] == 1) return;
  const int owner = static_cast<int>(first - keys.begin());

  std::vector<std::byte> bytes;
  if (rank == owner) {
    const StateWriter out = write(*mine);
    bytes.assign(out.bytes().begin(), out.bytes().end());
  }
  auto size = static_cast<std::int64_t>(bytes.size());
  broadcast(&size, 1, MPI_INT64_T, owner, comm);
  bytes.resize(static_cast<std::size_t>(size));
  broadcast(bytes.data(), static_cast<int>(size), MPI_BYTE, owner, comm);
  read_and_throw(StateReader(bytes));
}

}  // namespace lightrail
