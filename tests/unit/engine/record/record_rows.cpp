// Writes a result of synthetic rows: record_rows FILE collective|gather INTERVALS ROWS WRITE_EVERY_S.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "engine/base/error.hpp"
#include "engine/record/hdf5_settings.hpp"
#include "tests/unit/engine/record/synthetic_run.hpp"

using namespace lightrail;

int main(int argc, char** argv) {
  prepare_hdf5();
  MPI_Init(&argc, &argv);
  if (argc != 6) return 2;
  int rank = 0, ranks = 1, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Model model = test::synthetic_model(13);
  Partition partition = test::dealt_partition(model, ranks);
  RecorderOptions options;
  options.path = argv[1];
  options.interval = milliseconds(1);
  options.io = std::string_view(argv[2]) == "gather" ? RecordMode::gather : RecordMode::collective;
  options.write_every_s = std::atof(argv[5]);
  options.scenario_xml = "<scenario/>";
  try {
    Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
    test::record_synthetic_rows(recorder, model, partition, rank, std::atoi(argv[3]), std::atoi(argv[4]));
    recorder.finish(test::synthetic_outcome());
  } catch (const IoError& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
    code = static_cast<int>(ExitCode::io);
  }
  MPI_Finalize();
  return code;
}
