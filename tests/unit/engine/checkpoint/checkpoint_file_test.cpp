#include "engine/checkpoint/checkpoint_file.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>

#include "engine/base/error.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/checkpoint/checkpoint_writer.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

const CheckpointIdentity identity{"0.1.0 (abc)", 17};

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// Run section of 13 bytes, components of 3, 0 and 9 bytes.
std::string write_one(const std::string& folder, std::int64_t number = 1) {
  CheckpointWriter writer(folder);
  writer.append_run(bytes_of("state of run."));
  for (const char* state : {"one", "", "the third"}) writer.append_component(bytes_of(state));
  writer.publish(identity, SimTime{12'345}, number);
  REQUIRE(writer.problem() == "");
  return checkpoint_path(folder, number);
}

template <class Error>
std::string refusal(const std::string& path) {
  try {
    const CheckpointFile file(path);
    file.check_components(0, file.components());
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a checkpoint reads back what was written") {
  const TemporaryFolder folder;
  const CheckpointFile file(write_one(folder.path()));
  CHECK(file.time() == SimTime{12'345});
  CHECK(file.run().size() == 13);
  CHECK(std::memcmp(file.run().data(), "state of run.", 13) == 0);
  REQUIRE(file.components() == 3);
  CHECK(file.component(0).size() == 3);
  CHECK(file.component(1).empty());
  CHECK(std::memcmp(file.component(2).data(), "the third", 9) == 0);
  CHECK(file.folder() == folder.path());
  CHECK_NOTHROW(file.check_is_for(identity, 3));
  CHECK_FALSE(std::filesystem::exists(unfinished_checkpoint(folder.path())));
}

TEST_CASE("a checkpoint cut anywhere is refused as damaged") {
  const TemporaryFolder folder;
  const std::string path = write_one(folder.path()), whole = read_file(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(path, whole.substr(0, size));
    REQUIRE_THAT(refusal<IoError>(path), Catch::Contains("checkpoint '" + path + "' is damaged"));
  }
  write_file(path, whole + "x");
  CHECK_THAT(refusal<IoError>(path),
             Catch::Contains("has " + std::to_string(whole.size() + 1) + " bytes of"));
}

TEST_CASE("a checkpoint with any one bit flipped is refused") {
  const TemporaryFolder folder;
  const std::string path = write_one(folder.path()), whole = read_file(path);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    write_file(path, flipped);
    // Magic and schema are 16 bytes: what they say is no checkpoint, or none of ours.
    const std::string text = bit < 128 ? refusal<InputErrors>(path) : refusal<IoError>(path);
    REQUIRE_THAT(text, Catch::Contains(bit < 64    ? "is no lightrail checkpoint"
                                       : bit < 128 ? "checkpoint of schema"
                                                   : "is damaged"));
  }
}

TEST_CASE("a damaged checkpoint names the one before it when there is one") {
  const TemporaryFolder folder;
  write_one(folder.path(), 4);
  const std::string path = write_one(folder.path(), 5);
  write_file(path, "short");
  CHECK_THAT(refusal<IoError>(path),
             Catch::Contains("(the one before it is '" + checkpoint_path(folder.path(), 4) + "')"));
}

TEST_CASE("a checkpoint of another software, scenario or model is refused") {
  const TemporaryFolder folder;
  const CheckpointFile file(write_one(folder.path()));
  CHECK_THROWS_WITH(file.check_is_for({"0.2.0 (def)", 17}, 3),
                    Catch::Contains("of lightrail 0.1.0 (abc) (this is lightrail 0.2.0 (def))"));
  CHECK_THROWS_WITH(file.check_is_for({"0.1.0 (abc)", 18}, 3), Catch::Contains("checkpoint of another run"));
  CHECK_THROWS_WITH(file.check_is_for(identity, 4), Catch::Contains("checkpoint of another run"));
}

TEST_CASE("a folder that cannot be written is the writer's problem and leaves nothing") {
  CheckpointWriter writer("no/such/folder");
  writer.append_run({});
  writer.publish(identity, SimTime{1}, 1);
  CHECK_THAT(writer.problem(), Catch::Contains("cannot create checkpoint 'no/such/folder/"));
}

TEST_CASE("a full disk is the writer's problem and keeps the earlier checkpoint") {
  if (!std::filesystem::exists("/dev/full")) return;
  const TemporaryFolder folder;
  const std::string path = write_one(folder.path()), before = read_file(path);
  std::filesystem::create_symlink("/dev/full", unfinished_checkpoint(folder.path()));
  CheckpointWriter writer(folder.path());
  writer.append_run(bytes_of("state"));
  writer.publish(identity, SimTime{2}, 2);
  CHECK_THAT(writer.problem(),
             Catch::Contains("cannot write checkpoint") && Catch::Contains("No space left"));
  CHECK(find_checkpoint(folder.path()) == path);
  CHECK(read_file(path) == before);
}
