#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/random.hpp"
#include "tests/support/mutated.hpp"
#include "workloads/collective/msccl/msccl_algorithm.hpp"
#include "workloads/collective/msccl/msccl_program.hpp"

using namespace lightrail;

namespace {

struct Step {
  std::string type, from = "i", to = "i";
  int from_chunk = 0, to_chunk = 0, after_block = -1, after_step = -1;
};

std::string text_of(const Step& s, std::size_t number) {
  return "<step s=\"" + std::to_string(number) + "\" type=\"" + s.type + "\" srcbuf=\"" + s.from +
         "\" srcoff=\"" + std::to_string(s.from_chunk) + "\" dstbuf=\"" + s.to + "\" dstoff=\"" +
         std::to_string(s.to_chunk) + "\" cnt=\"1\" depid=\"" + std::to_string(s.after_block) + "\" deps=\"" +
         std::to_string(s.after_step) + "\" hasdep=\"0\"/>\n";
}

std::string block(int id, int send, int recv, const std::vector<Step>& steps) {
  std::string text = "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(send) + "\" recv=\"" +
                     std::to_string(recv) + "\" chan=\"0\">\n";
  for (std::size_t i = 0; i < steps.size(); ++i) text += text_of(steps[i], i);
  return text + "</tb>\n";
}

std::string gpu(int id, int in, int out, int scratch, const std::string& blocks) {
  return "<gpu id=\"" + std::to_string(id) + "\" i_chunks=\"" + std::to_string(in) + "\" o_chunks=\"" +
         std::to_string(out) + "\" s_chunks=\"" + std::to_string(scratch) + "\">\n" + blocks + "</gpu>\n";
}

std::string algo(int gpus, const std::string& coll, const std::string& inside, int in_place = 1) {
  return "<algo name=\"a\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"2\" ngpus=\"" +
         std::to_string(gpus) + "\" coll=\"" + coll + "\" inplace=\"" + std::to_string(in_place) + "\">\n" +
         inside + "</algo>\n";
}

/// "" or the mistake, with its line.
std::string refusal(const std::string& text) {
  const auto path =
      std::filesystem::temp_directory_path() / ("lightrail_msccl_" + std::to_string(getpid()) + ".xml");
  std::ofstream(path) << text;
  std::string what;
  try {
    check_msccl(read_msccl(path.string()));
  } catch (const InputErrors& problem) {
    const InputError& error = problem.errors()[0];
    what = std::to_string(error.line) + ": " + error.what;
  }
  std::filesystem::remove(path);
  return what;
}

/// Two GPUs add up one chunk each and hand the sum back.
std::string pair(const std::vector<Step>& first, const std::vector<Step>& second) {
  return algo(2, "allreduce",
              gpu(0, 2, 0, 1, block(0, 1, 1, first)) + gpu(1, 2, 0, 1, block(0, 0, 0, second)));
}
const std::vector<Step> half0{{"s", "i", "i", 1, 1}, {"rrcs", "i", "i", 0, 0}, {"r", "i", "i", 1, 1}};
const std::vector<Step> half1{{"s", "i", "i", 0, 0}, {"rrcs", "i", "i", 1, 1}, {"r", "i", "i", 0, 0}};

}  // namespace

TEST_CASE("an all-reduce of two GPUs, each of which adds up a half, is one") {
  CHECK(refusal(pair(half0, half1)).empty());
}

TEST_CASE("an all-gather, a reduce-scatter and an all-to-all of two GPUs, out of place") {
  auto copy = [](int g) { return block(1, -1, -1, {{"cpy", "i", "o", 0, g}}); };
  CHECK(refusal(algo(2, "allgather",
                     gpu(0, 1, 2, 0, block(0, 1, 1, {{"s"}, {"r", "i", "o", 0, 1}}) + copy(0)) +
                         gpu(1, 1, 2, 0, block(0, 0, 0, {{"s"}, {"r", "i", "o", 0, 0}}) + copy(1)),
                     0))
            .empty());
  CHECK(refusal(algo(2, "reducescatter",
                     gpu(0, 2, 1, 0, block(0, 1, 1, {{"s", "i", "i", 1}, {"rrc", "i", "o", 0, 0}})) +
                         gpu(1, 2, 1, 0, block(0, 0, 0, {{"s", "i", "i", 0}, {"rrc", "i", "o", 1, 0}})),
                     0))
            .empty());
  auto own = [](int g) { return block(1, -1, -1, {{"cpy", "i", "o", g, g}}); };
  CHECK(
      refusal(algo(2, "alltoall",
                   gpu(0, 2, 2, 0, block(0, 1, 1, {{"s", "i", "i", 1}, {"r", "i", "o", 0, 1}}) + own(0)) +
                       gpu(1, 2, 2, 0, block(0, 0, 0, {{"s", "i", "i", 0}, {"r", "i", "o", 0, 0}}) + own(1)),
                   0))
          .empty());
}

TEST_CASE("steps of thread blocks wait for each other by depid and deps") {
  // Into scratch, then added by another thread block.
  auto two = [](int g, int after) {
    const int other = 1 - g;
    return block(0, other, other, {{"s"}, {"r", "i", "s", 0, 0}}) +
           block(1, -1, -1, {{"re", "s", "i", 0, 0, 0, after}});
  };
  auto whole = [&](int after) {
    return algo(2, "allreduce", gpu(0, 1, 0, 1, two(0, after)) + gpu(1, 1, 0, 1, two(1, after)));
  };
  CHECK(refusal(whole(1)).empty());
  CHECK(refusal(whole(2)) == "8: it waits for step 2 of thread block 0, which is not there");
}

TEST_CASE("two GPUs that both receive first deadlock, with line and step") {
  CHECK(refusal(pair({{"rrcs", "i", "i", 0, 0}, {"s", "i", "i", 1, 1}, {"r", "i", "i", 1, 1}},
                     {{"rrcs", "i", "i", 1, 1}, {"s", "i", "i", 0, 0}, {"r", "i", "i", 0, 0}})) ==
        "4: deadlock: step 0 of thread block 0 of gpu 0 waits for ever for gpu 1 on channel 0");
}

TEST_CASE("what does not compute the collective is refused with its line") {
  // The second GPU keeps its chunk 1.
  auto wrong = half1;
  wrong[1].type = "rcs";
  CHECK(refusal(pair(half0, wrong)) ==
        "2: it does not compute the collective: chunk 1 of gpu 0's result is a sum without gpu 1");
  // Chunk 1 is added to chunk 0.
  wrong = half1;
  wrong[0].from_chunk = 1;
  CHECK(refusal(pair(half0, wrong)) ==
        "5: step 1 of thread block 0 of gpu 0 adds chunk 0 of the collective to chunk 1");
  // A sum that is added again.
  auto again = half0;
  again[2].type = "rrc";
  CHECK(refusal(pair(again, half1)) ==
        "6: step 2 of thread block 0 of gpu 0 adds what gpu 0 gave to chunk 1 a second time");
  // Scratch that nothing has written.
  auto empty = half0;
  empty[0].from = "s", empty[0].from_chunk = 0;
  CHECK(refusal(pair(empty, half1)) ==
        "4: step 0 of thread block 0 of gpu 0 reads chunk 0, which holds nothing yet");
  // Sent, but not received.
  auto more = half0;
  more.push_back({"s", "i", "i", 0, 0});
  CHECK(refusal(pair(more, half1)) == "7: gpu 0 sends to gpu 1 on channel 0 what nothing there receives");
}

TEST_CASE("damaged files are refused with their line") {
  CHECK(refusal("<system/>") == "1: <system> is no algorithm of MSCCL (expected <algo>)");
  CHECK(refusal("<algo name=\"a\" proto=\"Simple\" ngpus=\"2\" coll=\"alltonext\"/>") ==
        "1: <algo> attribute 'coll': invalid choice 'alltonext' (one of allgather, allreduce, alltoall, "
        "reduce_scatter, reducescatter)");
  CHECK(refusal(algo(2, "allreduce", gpu(0, 1, 0, 0, ""))) == "1: 1 of 2 gpus are described (ngpus)");
  CHECK(
      refusal(algo(2, "allreduce", gpu(0, 1, 0, 0, "") + gpu(1, 2, 0, 0, ""))) ==
      "4: buffers of 2 and 0 chunks do not fit the collective (gpu 0: 1 chunks in all, which 2 GPUs share)");
  CHECK(refusal(algo(2, "allreduce", gpu(0, 1, 0, 0, block(0, -1, 1, {{"s"}})) + gpu(1, 1, 0, 0, ""))) ==
        "4: it sends, but its thread block sends to nobody (send=\"-1\")");
  CHECK(refusal(algo(2, "allreduce",
                     gpu(0, 1, 0, 0, block(0, 1, -1, {}) + block(1, 1, -1, {})) + gpu(1, 1, 0, 0, ""))) ==
        "5: gpu 0 has a second thread block that sends to gpu 1 on channel 0 (the first: line 3)");
  CHECK(refusal(algo(2, "allreduce", gpu(0, 1, 0, 0, block(0, 1, 1, {{"x"}})) + gpu(1, 1, 0, 0, ""))) ==
        "4: <step> attribute 'type': invalid choice 'x' (one of cpy, nop, r, rcs, re, rrc, rrcs, rrs, s)");
}

TEST_CASE("a file with more chunks than can be followed is refused before memory is taken for them") {
  CHECK(refusal(algo(
            20, "allgather", gpu(0, 65'536, 65'536, 65'536, "") + [] {
              std::string others;
              for (int id = 1; id < 20; ++id) others += gpu(id, 65'536, 65'536, 65'536, "");
              return others;
            }())) == "12: the buffers up to this gpu have 1179648 chunks; 1048576 can be checked");
}

TEST_CASE("5,000 mutations of an algorithm are one, or are refused") {
  std::ifstream file("tests/data/msccl/ring_allreduce_8.xml");
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  CHECK(refusal(good).empty());
  Random random(3, ComponentId{0}, 0);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) refused += !refusal(mutated(good, random)).empty();
  CHECK(refused > 500);
}
