#include "engine/record/row_spool.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "components/storage/tables.hpp"
#include "engine/base/error.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/record/hdf5_recorder.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/engine/record/synthetic_run.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

struct Fixture {
  TemporaryFolder folder;
  Model model = synthetic_model(2);
  Partition partition = dealt_partition(model, 1);
  const TableSchema& schema = (*model.tables)[tables::storage];

  RecorderOptions options(const std::string& name, bool is_resumed = false) {
    RecorderOptions all;
    all.path = folder / name;
    all.interval = nanoseconds(1);
    all.created_s = 1;
    all.is_resumed = is_resumed;
    return all;
  }
  void append(Hdf5Recorder& recorder, int interval) {
    for (std::uint32_t component = 0; component < 2; ++component) {
      std::vector<std::int64_t> row(schema.columns.size(), 10 * interval + component);
      recorder.append(tables::storage, ComponentId{component}, nanoseconds(interval), row);
    }
  }
  /// Two intervals and an open one; the state of the run and of both components.
  void save(Hdf5Recorder& recorder, StateWriter& run, std::array<StateWriter, 2>& rows) {
    for (int interval = 0; interval < 3; ++interval) {
      append(recorder, interval);
      if (interval < 2) recorder.flush(nanoseconds(interval + 1));
    }
    recorder.save(run, folder.path());
    for (std::uint32_t c = 0; c < 2; ++c) recorder.save_rows(ComponentId{c}, rows[c]);
  }
  std::string spool() const { return spool_path(folder.path(), schema.name); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a spool has the rows of ended intervals, row by row, component first") {
  Hdf5Recorder recorder(options("a.h5"), MPI_COMM_WORLD, model, partition);
  StateWriter run;
  std::array<StateWriter, 2> rows;
  save(recorder, run, rows);
  const std::string bytes = read_file(spool());
  const std::size_t width = schema.columns.size() + 1;
  REQUIRE(bytes.size() == 4 * width * 8);
  std::vector<std::int64_t> values(4 * width);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  CHECK(values[0] == 0);
  CHECK(values[width] == 1);
  CHECK(values[width + 1] == 1);
  CHECK(values[3 * width + 1] == 11);
}

TEST_CASE_METHOD(Fixture, "a recorder that goes on does not need the old file, and saves the same again") {
  Hdf5Recorder recorder(options("a.h5"), MPI_COMM_WORLD, model, partition);
  StateWriter run, again;
  std::array<StateWriter, 2> rows, rows_again;
  save(recorder, run, rows);
  std::filesystem::remove(folder / "a.h5");

  Hdf5Recorder next(options("a.h5", true), MPI_COMM_WORLD, model, partition);
  CHECK_FALSE(std::filesystem::exists(folder / "a.h5"));
  StateReader in(run.bytes());
  next.load(in, folder.path());
  CHECK(in.is_at_end());
  CHECK(std::filesystem::exists(folder / "a.h5"));
  for (std::uint32_t c = 0; c < 2; ++c) {
    StateReader part(rows[c].bytes());
    next.load_rows(ComponentId{c}, part);
    CHECK(part.is_at_end());
  }
  const std::string before = read_file(spool());
  next.save(again, folder.path());
  CHECK(std::ranges::equal(again.bytes(), run.bytes()));
  for (std::uint32_t c = 0; c < 2; ++c) {
    next.save_rows(ComponentId{c}, rows_again[c]);
    CHECK(std::ranges::equal(rows_again[c].bytes(), rows[c].bytes()));
  }
  CHECK(read_file(spool()) == before);
}

TEST_CASE_METHOD(Fixture, "damaged rows are refused before the old result file is touched") {
  StateWriter run;
  std::array<StateWriter, 2> rows;
  {
    Hdf5Recorder recorder(options("a.h5"), MPI_COMM_WORLD, model, partition);
    save(recorder, run, rows);
  }  // a run that has ended: the file is locked no more
  const std::string whole = read_file(spool());
  write_file(folder / "a.h5", "the old result");
  const auto refusal = [&](const std::string& spooled) {
    write_file(spool(), spooled);
    Hdf5Recorder next(options("a.h5", true), MPI_COMM_WORLD, model, partition);
    StateReader in(run.bytes());
    try {
      next.load(in, folder.path());
    } catch (const IoError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  std::string flipped = whole;
  flipped[17] ^= 4;
  CHECK_THAT(refusal(flipped), Catch::Contains("damaged: they do not match their checksum"));
  CHECK_THAT(refusal(whole.substr(0, whole.size() - 1)), Catch::Contains("damaged: the file ends early"));
  CHECK(read_file(folder / "a.h5") == "the old result");
  CHECK(refusal(whole + "more, of a later checkpoint") == "");
}
