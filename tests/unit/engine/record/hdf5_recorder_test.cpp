#include "engine/record/hdf5_recorder.hpp"

#include <hdf5.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

#include "components/gpu/tables.hpp"
#include "components/scheduler/tables.hpp"
#include "engine/base/error.hpp"
#include "engine/base/hash.hpp"
#include "network/transport/tables.hpp"
#include "tests/unit/engine/record/synthetic_run.hpp"

using namespace lightrail;
namespace fs = std::filesystem;

namespace {

/// A folder of its own, removed at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("lightrail-record-" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
};

/// Reads a copy of the file, as any HDF5 user would see it now.
struct Reader {
  hid_t file;
  explicit Reader(const std::string& path) {
    fs::copy_file(path, path + ".copy", fs::copy_options::overwrite_existing);
    file = H5Fopen((path + ".copy").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    REQUIRE(file >= 0);
  }
  ~Reader() { H5Fclose(file); }
  std::string text(const char* object, const char* name) const {
    Hdf5Handle owner(H5Oopen(file, object, H5P_DEFAULT), H5Oclose);
    Hdf5Handle attribute(H5Aopen(owner.get(), name, H5P_DEFAULT), H5Aclose);
    if (!attribute.is_valid()) return "";
    Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
    std::string value(H5Tget_size(type.get()), '\0');
    H5Aread(attribute.get(), type.get(), value.data());
    return value.c_str();
  }
  std::int64_t rows_of_chunk(const char* path) const {
    Hdf5Handle dataset(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
    Hdf5Handle list(H5Dget_create_plist(dataset.get()), H5Pclose);
    hsize_t rows = 0;
    REQUIRE(H5Pget_chunk(list.get(), 1, &rows) == 1);
    return static_cast<std::int64_t>(rows);
  }
  std::vector<std::int64_t> column(const char* path) const {
    Hdf5Handle dataset(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
    REQUIRE(dataset.is_valid());
    Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
    std::vector<std::int64_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
    H5Dread(dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    return values;
  }
};

struct Fixture {
  Folder folder;
  Model model = test::synthetic_model(2);
  Partition partition = test::dealt_partition(model, 1);
  RecorderOptions options;
  Fixture() {
    options.path = folder.file("result.h5");
    options.write_every_s = 0;
    options.scenario_xml = "<scenario name=\"x\"/>";
    options.command_line = "lightrail run x.xml";
  }
  void add_message(Recorder& recorder, std::uint32_t component, SimTime time, std::int64_t bytes) {
    recorder.append(tables::messages, ComponentId{component}, time,
                    std::array<std::int64_t, 6>{0, 1, 2, bytes, 3, 4});
  }
  std::string error() {
    try {
      Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
      for (int i = 0; i < 50'000; ++i)
        add_message(recorder, 3, nanoseconds(i), static_cast<std::int64_t>(mix64(i) >> 1));
      recorder.flush(milliseconds(1));
      recorder.finish(test::synthetic_outcome());
    } catch (const IoError& e) {
      return e.what();
    }
    return "none";
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "rows come back ordered by interval, component and time, with units") {
  {
    Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
    add_message(recorder, 5, nanoseconds(1), 10);
    add_message(recorder, 3, nanoseconds(9), 20);
    add_message(recorder, 3, nanoseconds(2), 30);
    recorder.flush(milliseconds(1));
    add_message(recorder, 0, nanoseconds(1), 40);
    recorder.flush(milliseconds(2));
    recorder.finish(test::synthetic_outcome());
  }
  Reader reader(options.path);
  CHECK(reader.column("/tables/messages/size_bytes") == std::vector<std::int64_t>{30, 20, 10, 40});
  CHECK(reader.column("/tables/messages/component") == std::vector<std::int64_t>{3, 3, 5, 0});
  CHECK(reader.text("/tables/messages/size_bytes", "units") == "B");
  CHECK(reader.text("/tables/messages/t_end_ps", "units") == "ps");
  CHECK(reader.column("/tables/ops/gpu").empty());
}

TEST_CASE_METHOD(Fixture, "few rows that all come at the end are a chunk as long as they are") {
  const auto rows_of_chunk = [this](double write_every_s) {
    options.write_every_s = write_every_s;
    Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
    for (int i = 0; i < 3; ++i) add_message(recorder, 5, nanoseconds(i), 10 + i);
    recorder.flush(milliseconds(1));
    add_message(recorder, 0, nanoseconds(1), 40);
    recorder.finish(test::synthetic_outcome());
    const Reader reader(options.path);
    CHECK(reader.column("/tables/messages/size_bytes") == std::vector<std::int64_t>{10, 11, 12, 40});
    CHECK(reader.text("/tables/messages/size_bytes", "units") == "B");
    CHECK(reader.rows_of_chunk("/tables/ops/gpu") == chunk_rows);  // without rows
    CHECK(reader.rows_of_chunk("/tables/messages/size_bytes") ==
          reader.rows_of_chunk("/tables/messages/component"));
    return reader.rows_of_chunk("/tables/messages/size_bytes");
  };
  CHECK(rows_of_chunk(1e9) == 4);
  // Rows that were written before stay where they are.
  CHECK(rows_of_chunk(0) == chunk_rows);
}

TEST_CASE_METHOD(Fixture, "the status is running until the run has ended") {
  Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
  CHECK(Reader(options.path).text("/run", "status") == "running");
  add_message(recorder, 5, nanoseconds(1), 10);
  recorder.flush(milliseconds(1));
  {
    Reader during(options.path);
    CHECK(during.text("/run", "status") == "running");
    CHECK(during.column("/tables/messages/size_bytes") == std::vector<std::int64_t>{10});
  }
  RunOutcome outcome = test::synthetic_outcome();
  outcome.status = "deadlock";
  outcome.waits = {"gpu3: op 17 all_reduce tp: no data from gpu2"};
  recorder.finish(outcome);
  Reader after(options.path);
  CHECK(after.text("/run", "status") == "deadlock");
  CHECK(after.text("/run", "hash") == "0123456789abcdef");
  CHECK(after.text("/run", "command_line") == "lightrail run x.xml");
}

TEST_CASE_METHOD(Fixture, "a recorder that is never finished leaves a readable file with status running") {
  {
    Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
    add_message(recorder, 5, nanoseconds(1), 10);
    recorder.flush(milliseconds(1));
  }
  CHECK(Reader(options.path).text("/run", "status") == "running");
}

TEST_CASE_METHOD(Fixture, "without a path there is a summary and no file") {
  options.path.clear();
  Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
  test::record_synthetic_rows(recorder, model, partition, 0, 2, 4);
  Summary summary = recorder.finish(test::synthetic_outcome());
  CHECK(summary.status == "complete");
  CHECK(summary.iterations.size() == 2);
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE_METHOD(Fixture,
                 "traffic, steps and requests that were not asked for are summed up but not written") {
  auto selection = std::make_shared<OutputSelection>();
  selection->by_table.resize(model.tables->size());
  selection->by_table[tables::steps] = {true, {{2, 3}}};
  model.add<OutputSelection>(selection);
  Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    recorder.append(tables::steps, ComponentId{gpu}, SimTime{0},
                    std::array<std::int64_t, 9>{gpu, 0, 0, 10, 5, 3, 2, 1, 0});
    recorder.append(tables::traffic, ComponentId{gpu}, SimTime{0},
                    std::array<std::int64_t, 4>{gpu, 0, 100, 1});
  }
  recorder.append(tables::requests, ComponentId{0}, SimTime{0},
                  std::array<std::int64_t, 14>{0, 0, 1, 2, 3, 4, 1, 0, 0, 0, 0, 1, 5, 6});
  Summary summary = recorder.finish(test::synthetic_outcome());
  CHECK(summary.iterations.at(0).gpus == 4);
  CHECK(summary.dimensions.at(0).size_bytes == 400);
  Reader reader(options.path);
  CHECK(reader.column("/tables/steps/gpu") == std::vector<std::int64_t>{2, 3});
  CHECK(reader.column("/tables/traffic/gpu").empty());
  REQUIRE(summary.serving);
  CHECK(summary.serving->requests == 1);
  CHECK(summary.serving->ttft.p50_ps == 2);
  CHECK(summary.serving->user_ttft.p50_ps == 5);
  CHECK(summary.serving->user_e2e.p50_ps == 6);
  CHECK(reader.column("/tables/requests/request").empty());
}

TEST_CASE_METHOD(Fixture,
                 "a declared table is written with its units and labels, unless it is switched off") {
  TableRegistry tables = *model.tables;
  const TableId rallies = tables.add(
      {"rallies", {{"side", ColumnType::int64, "1", ""}, {"t_end_ps", ColumnType::int64, "ps", ""}}, ""});
  tables.set_labels("rallies", "side", {"left", "right"});
  model.tables = std::make_shared<const TableRegistry>(tables);
  const auto sides = [&](bool is_on) {
    Model chosen = model;
    auto selection = std::make_shared<OutputSelection>();
    selection->by_table.assign(tables.size(), {is_on, {}});
    chosen.add<OutputSelection>(selection);
    Hdf5Recorder recorder(options, MPI_COMM_WORLD, chosen, partition);
    recorder.append(rallies, ComponentId{3}, nanoseconds(5), std::array<std::int64_t, 2>{1, 5000});
    recorder.finish(test::synthetic_outcome());
    Reader reader(options.path);
    CHECK(reader.text("/tables/rallies/t_end_ps", "units") == "ps");
    CHECK(reader.text("/tables/rallies/side", "labels") != "");
    return reader.column("/tables/rallies/side");
  };
  CHECK(sides(true) == std::vector<std::int64_t>{1});
  CHECK(sides(false).empty());
}

TEST_CASE_METHOD(Fixture, "the file holds the model, its parameters and its names") {
  Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
  recorder.finish(test::synthetic_outcome());
  Reader reader(options.path);
  CHECK(reader.column("/model/components/atom").size() == 16);
  CHECK(reader.column("/model/links/from").size() == 32);
  CHECK(reader.column("/model/links/latency_ps").at(0) == 500'000);
  CHECK(reader.column("/model/params/gpu/spec") == std::vector<std::int64_t>{0, 0});
  CHECK(reader.column("/summary/dimensions/size_bytes") == std::vector<std::int64_t>{0, 0});
  CHECK(reader.column("/profile/windows/events") == std::vector<std::int64_t>{12'345});
  CHECK(reader.text("/", "schema") == "lightrail result");
  CHECK(reader.text("/", "software_version").size() >= 5);
}

TEST_CASE_METHOD(Fixture, "a row that does not fit its table says what the table has") {
  Hdf5Recorder recorder(options, MPI_COMM_WORLD, model, partition);
  const auto refused = [&](TableId table, std::span<const std::int64_t> row) -> std::string {
    try {
      recorder.append(table, ComponentId{0}, nanoseconds(7), row);
    } catch (const SimulationError& error) {
      CHECK(error.component.empty());
      return error.what();
    }
    return "no error";
  };
  const std::array<std::int64_t, 4> values{};
  CHECK(refused(tables::traffic_matrix, std::span(values).first(2)) ==
        "at 7.000 ns: records a row of 2 values for the table traffic_matrix, which has 3 columns: from, to, "
        "size_bytes");
  CHECK(refused(tables::traffic_matrix, values) ==
        "at 7.000 ns: records a row of 4 values for the table traffic_matrix, which has 3 columns: from, to, "
        "size_bytes");
  CHECK(refused(999, values) == "at 7.000 ns: records a row for table 999, but the tables are 0 to 24");
}

TEST_CASE_METHOD(Fixture, "a result that cannot be created names the path and the reason") {
  options.path = folder.path.string();
  CHECK(error() == "result file '" + options.path + "': cannot create (Is a directory)");
  options.path = folder.file("missing/result.h5");
  CHECK(error() == "result file '" + options.path + "': cannot create (No such file or directory)");
  std::ofstream(folder.file("plain")) << "x";
  options.path = folder.file("plain/result.h5");
  CHECK(error() == "result file '" + options.path + "': cannot create (Not a directory)");
}

TEST_CASE_METHOD(Fixture, "an existing result is replaced") {
  CHECK(error() == "none");
  CHECK(error() == "none");
  CHECK(Reader(options.path).column("/tables/messages/size_bytes").size() == 50'000);
}

TEST_CASE_METHOD(Fixture, "a file that outgrows its disk ends in an error and does not look whole") {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  for (rlim_t room : {100'000, 420'000}) {
    rlimit small{room, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    std::string text = error();
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(text.find("result file '" + options.path + "': cannot ") == 0);
    CHECK(text.find("(File too large)") != text.npos);
    fs::copy_file(options.path, folder.file("copy"), fs::copy_options::overwrite_existing);
    Hdf5Handle file(H5Fopen(folder.file("copy").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file.is_valid()) continue;
    std::string status = Reader(options.path).text("/run", "status");
    CHECK((status.empty() || status == "running"));
  }
  std::signal(SIGXFSZ, SIG_DFL);
}
