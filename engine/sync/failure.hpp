#pragma once
#include <mpi.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// An exception of one rank, ordered by (time, component) so that all ranks can agree on the first.
struct Failure {
  SimTime time{};
  ComponentId component{};  ///< invalid: no component's
  std::exception_ptr error;
};
/// Whether `x` is earlier in simulated time or, at the same time, of the smaller component id.
[[nodiscard]] bool comes_before(const Failure& x, const Failure& y);

/// Keeps the earlier one.
void keep_first(std::optional<Failure>& first, Failure failure);

/// Call inside a catch block: the current exception, with the component's name and time added where they
/// lack.
[[nodiscard]] Failure component_failure(const Model& model, ComponentId component, SimTime time);

/// Collective: when any rank has a failure, every rank throws the first of them, as the same type with the
/// same text. Otherwise returns. Types: InputErrors, SimulationError, IoError, ContractError; any other
/// becomes ContractError.
void agree_on_failure(MPI_Comm comm, const std::optional<Failure>& mine);

/// Runs `step` and agrees on its outcome: a collective call that ends on all ranks or on none.
template <class Step>
void run_together(MPI_Comm comm, SimTime time, Step&& step) {
  std::optional<Failure> failure;
  try {
    step();
  } catch (...) {
    failure = Failure{time, {}, std::current_exception()};
  }
  agree_on_failure(comm, failure);
}

}  // namespace lightrail
