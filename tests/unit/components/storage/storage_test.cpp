#include "components/storage/storage.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "components/storage/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"

namespace lightrail::test {
namespace {

Op io(OpKind kind, std::int64_t bytes, std::int32_t peer = 0, std::uint8_t stream = 0) {
  Op op;
  op.kind = kind;
  op.bytes = bytes;
  op.peer = peer;
  op.stream = stream;
  return op;
}

/// Control message of a GPU to a storage server or back: PCIe, NIC, cable, switch, cable, NIC, PCIe; 64 B on
/// the line.
const SimTime control = net_path + line(64, net_ps);
constexpr std::int64_t MiB = 1 << 20;

}  // namespace

TEST_CASE("drives serve their stripes in order and take turns") {
  Drives drives(2);
  const DriveSpeed speed{BitRate{8'000'000'000}, microseconds(50)};  // 1 ns a byte
  CHECK(drives.serve(1000, SimTime{0}, speed) == microseconds(51));
  CHECK(drives.serve(1000, SimTime{0}, speed) == microseconds(51));
  CHECK(drives.serve(1000, SimTime{0}, speed) == microseconds(52));
  CHECK(drives.serve(1000, microseconds(10), speed) == microseconds(61));
}

TEST_CASE("a read of one stripe takes the request, the drive and the way back") {
  GpuBed bed({.gpus = 1, .nics = 1, .storage = 1});
  bed.run_all({io(OpKind::storage_read, MiB)});
  bed.run();
  // 200 ps a byte and 90 us on the drive.
  const SimTime read = control + picoseconds(200 * MiB) + microseconds(90);
  CHECK(bed.end_of(0, 0) == read + net_path + line(MiB, net_ps));
  const auto& rows = bed.bed.rows(tables::storage);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].values == std::vector<std::int64_t>{0, 0, MiB, control.count(), read.count()});
  CHECK(bed.received_bytes(0) == MiB);
}

TEST_CASE("a long read is as fast as the drives together") {
  // 4 drives of 5 GB/s are slower than the network: 20 GB/s, 50 ps a byte, then the last stripe's way.
  GpuBed bed({.gpus = 1, .nics = 1, .storage = 1});
  bed.run_all({io(OpKind::storage_read, 64 * MiB)});
  bed.run();
  CHECK(bed.end_of(0, 0) ==
        control + picoseconds(200 * 16 * MiB) + microseconds(90) + net_path + 4 * line(MiB, net_ps));
}

TEST_CASE("a write asks, sends, and ends when the last stripe is written") {
  GpuBed bed({.gpus = 1, .nics = 1, .storage = 1});
  bed.run_all({io(OpKind::storage_write, MiB)});
  bed.run();
  const SimTime here = control + control + bed.nccl.net_overhead + net_path + line(MiB, net_ps);
  const SimTime written = here + picoseconds(400 * MiB) + microseconds(20);
  CHECK(bed.end_of(0, 0) == written + control);
  CHECK(bed.sent_bytes(0) == MiB);
  const auto& rows = bed.bed.rows(tables::storage);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].values == std::vector<std::int64_t>{0, 1, MiB, control.count(), written.count()});
}

TEST_CASE("many GPUs write and read at once and every byte is accounted for") {
  GpuBed bed({.servers = 3, .gpus = 2, .nics = 2, .joins_rails = true, .storage = 2});
  Program p;
  p.role = "r";
  p.streams = {"a", "b"};
  p.ops = {io(OpKind::storage_write, 5 * MiB + 7), io(OpKind::storage_read, 3 * MiB + 1, 1, 1),
           io(OpKind::storage_read, 1, 0), io(OpKind::storage_write, 2 * MiB, 1, 1),
           io(OpKind::storage_read, 0)};
  bed.run_on({0, 1, 2, 3, 4, 5}, p);
  bed.set.iterations = 2;
  bed.run(microseconds(700));
  CHECK(bed.bed.waits().empty());
  std::int64_t written = 0, read = 0;
  for (const Row& row : bed.bed.rows(tables::storage)) (row.values[1] ? written : read) += row.values[2];
  CHECK(written == 2 * 6 * (7 * MiB + 7));
  CHECK(read == 2 * 6 * (3 * MiB + 2));
  CHECK(bed.sent_bytes() == written + read);  // by GPUs, by storage servers
}

TEST_CASE("a storage server that two GPUs read from serves them one after the other on its drives") {
  GpuBed bed({.servers = 2, .gpus = 1, .nics = 1, .storage = 1});
  bed.run_all({io(OpKind::storage_read, 4 * MiB)});
  bed.run();
  // Both requests come in at the same time; each drive has two stripes.
  const SimTime first =
      control + picoseconds(200 * MiB) + microseconds(90) + net_path + 4 * line(MiB, net_ps);
  CHECK(bed.end_of(0, 0) == first);
  CHECK(bed.end_of(1, 0) == first + picoseconds(200 * MiB));
}

TEST_CASE("requests that come together are opened one behind the other, each before its first stripe") {
  // Longer than a stripe on a drive (210 us), of which each request has one, on a drive of its own.
  constexpr SimTime metadata = microseconds(400);
  for (const SimTime save_at : {time_never, control + metadata + metadata / 2}) {
    GpuBed bed({.servers = 3, .gpus = 1, .nics = 1, .storage = 1, .metadata = metadata});
    bed.run_all({io(OpKind::storage_read, MiB)});
    bed.run(save_at);
    const SimTime way = net_path + line(MiB, net_ps);
    const auto& rows = bed.bed.rows(tables::storage);
    REQUIRE(rows.size() == 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const SimTime read = control + (i + 1) * metadata + picoseconds(200 * MiB) + microseconds(90);
      CHECK(bed.end_of(i, 0) == read + way);
      CHECK(rows[i].values[4] == read.count());
    }
    CHECK(rows[0].values[3] == control.count());  // when it was asked for
  }
}

TEST_CASE("a write is asked for its data when it is opened") {
  constexpr SimTime metadata = microseconds(400);
  GpuBed bed({.gpus = 1, .nics = 1, .storage = 1, .metadata = metadata});
  bed.run_all({io(OpKind::storage_write, MiB), io(OpKind::storage_read, MiB)});
  bed.run();
  const SimTime here = control + metadata + control + bed.nccl.net_overhead + net_path + line(MiB, net_ps);
  const SimTime written = here + picoseconds(400 * MiB) + microseconds(20) + control;
  CHECK(bed.end_of(0, 0) == written);
  // Nothing is opened any more when the read comes.
  CHECK(bed.end_of(0, 1) == written + control + metadata + picoseconds(200 * MiB) + microseconds(90) +
                                net_path + line(MiB, net_ps));
}

}  // namespace lightrail::test
