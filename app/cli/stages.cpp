#include "app/cli/stages.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "engine/base/out_of_memory.hpp"
#include "engine/base/polite_wait.hpp"
#include "engine/record/hdf5_settings.hpp"
#include "engine/scenario/element.hpp"
#include "engine/sync/crowd.hpp"

namespace lightrail {

MpiSession::MpiSession(int* argc, char*** argv) {
  prepare_hdf5();  // before MPI_Init: a full disk must not end in a crash inside MPI_Finalize
  MPI_Init(argc, argv);
  watch_for_crowd(MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiSession::~MpiSession() {
  meet(MPI_COMM_WORLD);  // MPI_Finalize waits for all, and spins
  MPI_Finalize();
}

ExitCode exit_code_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputErrors&) {
    return ExitCode::input;
  } catch (const SimulationError&) {
    return ExitCode::simulation;
  } catch (const IoError&) {
    return ExitCode::io;
  } catch (const std::bad_alloc&) {
    return ExitCode::io;
  } catch (const FailedElsewhere& elsewhere) {
    return elsewhere.code;
  } catch (...) {
    return ExitCode::bug;
  }
}

std::string error_text(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputErrors& input) {
    std::string text;
    for (const InputError& e : input.errors()) text += "error: " + to_string(e) + "\n";
    if (input.errors().size() >= max_errors)
      text += fmt::format("error: stopped after {} mistakes, there may be more\n", max_errors);
    return text;
  } catch (const FailedElsewhere&) {
    return "";
  } catch (const ContractError& contract) {
    return std::string("internal error, please report: ") + contract.what() + "\n";
  } catch (const std::bad_alloc&) {
    return "error: " + out_of_memory_text() + "\n";
  } catch (const std::exception& other) {
    return std::string("error: ") + other.what() + "\n";
  } catch (...) {
    return "internal error, please report: an exception of unknown type\n";
  }
}

void end_output(const MpiSession& mpi) {
  std::exception_ptr error;
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    // What fails before the last flush is remembered, but not why.
    const std::string reason = errno == 0 ? "" : fmt::format(" ({})", std::strerror(errno));
    error = std::make_exception_ptr(IoError("cannot write to standard output" + reason));
  }
  agree(mpi, error);
}

void agree(const MpiSession& mpi, const std::exception_ptr& error) {
  // Signed on purpose: MPICH 4.0.2 reduces unsigned integers as signed.
  int all[2] = {error ? static_cast<int>(exit_code_of(error)) : 0, error ? -mpi.rank() : -mpi.size()};
  all_reduce(all, 2, MPI_INT, MPI_MAX, mpi.comm());
  if (all[0] == 0) return;
  if (error && -all[1] == mpi.rank()) std::fputs(error_text(error).c_str(), stderr);
  throw FailedElsewhere(static_cast<ExitCode>(all[0]));
}

}  // namespace lightrail
