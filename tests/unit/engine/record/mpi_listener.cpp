#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <mpi.h>

#include <catch2/catch.hpp>

#include "engine/record/hdf5_settings.hpp"

namespace {

/// The recorder needs MPI; one process is a world of its own.
struct MpiListener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override {
    lightrail::prepare_hdf5();
    MPI_Init(nullptr, nullptr);
  }
  void testRunEnded(const Catch::TestRunStats&) override { MPI_Finalize(); }
};
CATCH_REGISTER_LISTENER(MpiListener)

}  // namespace
