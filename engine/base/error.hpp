#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/time.hpp"

namespace lightrail {

/// Exit codes of the command line. mpiexec ORs them over ranks, so all ranks return the same.
enum class ExitCode : int { done = 0, bug = 1, input = 2, simulation = 3, io = 4, resumable = 75 };

/// One mistake of the user: where and what. `line` 0: the file has no lines (binary), or none applies.
struct InputError {
  std::string file;
  int line = 0;
  std::string what;
};

/// "fabric.xml:12: <what>"; without file: "<what>".
[[nodiscard]] std::string to_string(const InputError& error);

/// All mistakes found, at most 20 before giving up. Exit code 2.
class InputErrors : public std::runtime_error {
 public:
  explicit InputErrors(std::vector<InputError> errors);
  explicit InputErrors(InputError error) : InputErrors(std::vector<InputError>{std::move(error)}) {}
  [[nodiscard]] const std::vector<InputError>& errors() const { return errors_; }

 private:
  std::vector<InputError> errors_;
};

/// The simulated system failed: deadlock, unroutable destination. Exit code 3.
class SimulationError : public std::runtime_error {
 public:
  SimulationError(SimTime time, std::string component, const std::string& what);
  SimTime time;
  std::string component;
};

/// A file could not be read or written. Exit code 4.
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Our own mistake. Exit code 1.
class ContractError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_contract(const char* expression, const char* file, int line);

}  // namespace lightrail

/// Checked in every build: a broken contract is our bug and ends in exit code 1 with expression and place.
#define LIGHTRAIL_EXPECT(condition) \
  ((condition) ? static_cast<void>(0) : ::lightrail::fail_contract(#condition, __FILE__, __LINE__))
