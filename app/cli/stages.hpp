#pragma once
#include <mpi.h>

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

/// Initialises MPI for the life of the program.
class MpiSession {
 public:
  MpiSession(int* argc, char*** argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  [[nodiscard]] MPI_Comm comm() const { return MPI_COMM_WORLD; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  int rank_ = 0, size_ = 1;
};

/// Thrown on every rank once the error of some rank is printed and its code is agreed on.
class FailedElsewhere : public std::exception {
 public:
  explicit FailedElsewhere(ExitCode c) : code(c) {}
  [[nodiscard]] const char* what() const noexcept override { return "another rank failed"; }
  ExitCode code;
};

/// The exit code of an exception, by its type.
[[nodiscard]] ExitCode exit_code_of(const std::exception_ptr& error);

/// Text for people: one line an input error, prefixed "error: ".
[[nodiscard]] std::string error_text(const std::exception_ptr& error);

/// Collective. Prints `error` (null: this rank is fine) once, from the lowest failing rank, and throws on
/// every rank FailedElsewhere with the largest code when any failed.
void agree(const MpiSession& mpi, const std::exception_ptr& error);

/// Collective. What was printed must have arrived: throws as agree() when standard output has failed on some
/// rank.
void end_output(const MpiSession& mpi);

/// Runs `stage` on every rank and agrees on its outcome. For stages without collective calls inside.
template <class F>
requires std::is_void_v<std::invoke_result_t<F>>
void on_every_rank(const MpiSession& mpi, F&& stage) {
  std::exception_ptr error;
  try {
    stage();
  } catch (...) {
    error = std::current_exception();
  }
  agree(mpi, error);
}

/// The same of a stage that makes something.
template <class F>
[[nodiscard]] auto on_every_rank(const MpiSession& mpi, F&& stage) {
  std::exception_ptr error;
  std::optional<std::invoke_result_t<F>> value;
  try {
    value.emplace(stage());
  } catch (...) {
    error = std::current_exception();
  }
  agree(mpi, error);
  return std::move(*value);
}

}  // namespace lightrail
