#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "workloads/job/pipeline_schedule.hpp"

using namespace lightrail;

namespace {

struct Times {
  std::int64_t forward = 1, input = 1, weight = 1, message = 0;
};

struct Pipeline {
  std::uint32_t stages;
  bool is_bidirectional;
  std::vector<std::vector<ChunkPass>> orders;

  std::uint32_t model_stage(std::uint32_t stage, std::uint32_t chunk) const {
    return is_bidirectional && chunk == 1 ? stages - 1 - stage : stage;
  }
};

Pipeline zb_h1(std::uint32_t stages, std::int64_t micro_batches) {
  Pipeline p{stages, false, {}};
  for (std::uint32_t s = 0; s < stages; ++s) p.orders.push_back(zb_h1_schedule(s, stages, micro_batches));
  return p;
}
Pipeline dualpipe(std::uint32_t stages, std::int64_t micro_batches) {
  Pipeline p{stages, true, {}};
  for (std::uint32_t s = 0; s < stages; ++s) p.orders.push_back(dualpipe_schedule(s, stages, micro_batches));
  return p;
}
Pipeline one_f_one_b(std::uint32_t stages, std::int64_t micro_batches) {
  Pipeline p{stages, false, {}};
  for (std::uint32_t s = 0; s < stages; ++s)
    p.orders.push_back(interleaved_schedule(s, stages, 1, micro_batches));
  return p;
}

/// Runs the stages, each pass as soon as the one before it and what it waits for have ended; a message to
/// another stage takes its time, passes that run together start together and take their times in turn. The
/// end of the last pass of any stage; nothing when they wait for each other.
std::optional<std::int64_t> makespan(const Pipeline& p, const Times& times) {
  using Key = std::tuple<bool, std::uint32_t, std::uint32_t, std::int64_t>;  // forward, model stage, chunk
  std::map<Key, std::int64_t> ended;
  std::vector<std::size_t> at(p.stages, 0);
  std::vector<std::int64_t> now(p.stages, 0);
  auto ready = [&](std::uint32_t stage, const ChunkPass& pass) -> std::optional<std::int64_t> {
    const std::uint32_t place = p.model_stage(stage, pass.chunk);
    std::int64_t from = 0;
    auto wait = [&](bool is_forward, std::uint32_t where) {
      const auto found = ended.find({is_forward, where, pass.chunk, pass.micro_batch});
      if (found == ended.end()) return false;
      from = std::max(from, found->second + (where == place ? 0 : times.message));
      return true;
    };
    bool all = true;
    if (pass.is_forward())
      all = place == 0 || wait(true, place - 1);
    else if (pass.kind == PassKind::weight_gradient)
      all = wait(false, place);
    else
      all = wait(true, place) && (place + 1 == p.stages || wait(false, place + 1));
    if (!all) return std::nullopt;
    return from;
  };
  auto duration = [&](const ChunkPass& pass) {
    if (pass.kind == PassKind::forward) return times.forward;
    if (pass.kind == PassKind::weight_gradient) return times.weight;
    return times.input + (pass.kind == PassKind::backward ? times.weight : 0);
  };
  auto end = [&](std::uint32_t stage, const ChunkPass& pass) {
    if (pass.kind != PassKind::weight_gradient)
      ended[{pass.is_forward(), p.model_stage(stage, pass.chunk), pass.chunk, pass.micro_batch}] = now[stage];
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t stage = 0; stage < p.stages; ++stage) {
      const auto& order = p.orders[stage];
      while (at[stage] < order.size()) {
        const std::size_t count = order[at[stage]].overlaps_next ? 2 : 1;
        std::int64_t from = now[stage], length = 0;
        bool all = true;
        for (std::size_t i = 0; i < count; ++i) {
          const auto start = ready(stage, order[at[stage] + i]);
          all = all && start.has_value();
          from = std::max(from, start.value_or(0));
          length += duration(order[at[stage] + i]);
        }
        if (!all) break;
        now[stage] = from + length;
        for (std::size_t i = 0; i < count; ++i) end(stage, order[at[stage] + i]);
        at[stage] += count;
        changed = true;
      }
    }
  }
  for (std::uint32_t stage = 0; stage < p.stages; ++stage)
    if (at[stage] < p.orders[stage].size()) return std::nullopt;
  return *std::max_element(now.begin(), now.end());
}

std::int64_t work(const Times& times, std::int64_t micro_batches) {
  return micro_batches * (times.forward + times.input + times.weight);
}

/// Every micro-batch of every chunk: forward, then the gradient of the input, then that of the weights, once.
void check_complete(const std::vector<ChunkPass>& order, std::uint32_t chunks, std::int64_t micro_batches) {
  std::map<std::pair<std::uint32_t, std::int64_t>, int> done;
  bool is_legal = true;
  for (const ChunkPass& pass : order) {
    int& step = done[{pass.chunk, pass.micro_batch}];
    const int expected = pass.kind == PassKind::forward ? 0 : pass.kind == PassKind::weight_gradient ? 2 : 1;
    is_legal = is_legal && step == expected && pass.chunk < chunks;
    step = pass.kind == PassKind::backward ? 3 : step + 1;
  }
  CHECK(is_legal);
  CHECK(done.size() == std::size_t(chunks * micro_batches));
  CHECK(std::all_of(done.begin(), done.end(), [](const auto& d) { return d.second == 3; }));
}

/// The most micro-batches that have gone forward and still owe a gradient, of their weights or their input.
std::int64_t max_held(const std::vector<ChunkPass>& order) {
  std::int64_t held = 0, most = 0;
  for (const ChunkPass& pass : order) {
    if (pass.kind == PassKind::forward) ++held;
    if (pass.kind == PassKind::backward || pass.kind == PassKind::weight_gradient) --held;
    most = std::max(most, held);
  }
  return most;
}

}  // namespace

TEST_CASE("1F1B runs ahead by the stages that follow and alternates after that") {
  using P = ChunkPass;
  constexpr PassKind F = PassKind::forward, B = PassKind::backward;
  CHECK(interleaved_schedule(1, 2, 1, 2) == std::vector<P>{{F, 0, 0}, {B, 0, 0}, {F, 0, 1}, {B, 0, 1}});
  CHECK(interleaved_schedule(0, 2, 1, 3) ==
        std::vector<P>{{F, 0, 0}, {F, 0, 1}, {B, 0, 0}, {F, 0, 2}, {B, 0, 1}, {B, 0, 2}});
  CHECK(interleaved_schedule(0, 8, 1, 2) == std::vector<P>{{F, 0, 0}, {F, 0, 1}, {B, 0, 0}, {B, 0, 1}});
}

TEST_CASE(
    "ZB-H1: every micro-batch goes forward, back and to its weights once, and no stage waits for ever") {
  for (std::uint32_t stages : {1u, 2u, 3u, 4u, 7u, 8u, 16u})
    for (std::int64_t micro_batches : {1, 2, 3, 5, 8, 15, 16, 17, 40}) {
      CAPTURE(stages, micro_batches);
      const Pipeline p = zb_h1(stages, micro_batches);
      for (const auto& order : p.orders) check_complete(order, 1, micro_batches);
      CHECK(makespan(p, {3, 4, 2}).has_value());
    }
}

TEST_CASE("ZB-H1 keeps on every stage what 1F1B keeps on its first, a micro-batch a stage") {
  for (std::uint32_t stages : {2u, 4u, 8u})
    for (std::uint32_t s = 0; s < stages; ++s) {
      CHECK(max_held(zb_h1_schedule(s, stages, 4 * stages)) == stages);
      CHECK(max_held(interleaved_schedule(s, stages, 1, 4 * stages)) == stages - s);
    }
}

TEST_CASE("ZB-H1 idles (p - 1)(F + B - W), 1F1B (p - 1)(F + B + W)") {
  // Qi et al., table 1. Exact where the gradient of the input takes no less than the other two.
  const Times times = GENERATE(Times{1, 1, 1}, Times{10, 10, 10}, Times{9, 12, 9}, Times{10, 13, 7});
  for (std::int64_t stages : {2, 4, 8, 16})
    for (std::int64_t micro_batches : {2 * stages, 3 * stages + 1, 8 * stages}) {
      CAPTURE(stages, micro_batches, times.forward, times.input, times.weight);
      const auto count = static_cast<std::uint32_t>(stages);
      CHECK(makespan(zb_h1(count, micro_batches), times).value() - work(times, micro_batches) ==
            (stages - 1) * (times.forward + times.input - times.weight));
      CHECK(makespan(one_f_one_b(count, micro_batches), times).value() - work(times, micro_batches) ==
            (stages - 1) * (times.forward + times.input + times.weight));
    }
}

TEST_CASE("with the times that its authors profiled, 1F1B and ZB-H1 idle as long as they say") {
  std::ifstream file("tests/validation/zero_bubble.csv");
  std::string line;
  std::getline(file, line);
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    CAPTURE(line);
    std::vector<double> column;
    std::istringstream text(line);
    std::getline(text, line, ',');  // the model's name
    for (std::string value; column.size() < 12 && std::getline(text, value, ',');)
      column.push_back(std::stod(value));
    const auto stages = static_cast<std::uint32_t>(column[3]);
    const auto micro_batches = static_cast<std::int64_t>(column[5]);
    auto us = [&](int at) { return std::llround(column[at] * 1000); };
    const Times times{us(6), us(7), us(8), us(9)};
    auto bubble = [&](const Pipeline& p) {
      return 1 - static_cast<double>(work(times, micro_batches)) /
                     static_cast<double>(makespan(p, times).value());
    };
    CHECK(bubble(one_f_one_b(stages, micro_batches)) == Approx(column[10]).margin(0.002));
    CHECK(bubble(zb_h1(stages, micro_batches)) == Approx(column[11]).margin(0.002));
  }
  CHECK(rows == 12);
}

TEST_CASE("DualPipe: every micro-batch of both directions goes forward and back once, none waits for ever") {
  for (std::uint32_t stages : {2u, 4u, 6u, 8u, 10u, 16u})
    for (std::int64_t more : {0, 2, 4, 10, 64}) {
      const std::int64_t micro_batches = 2 * stages + more;
      CAPTURE(stages, micro_batches);
      const Pipeline p = dualpipe(stages, micro_batches);
      for (const auto& order : p.orders) {
        check_complete(order, 2, micro_batches / 2);
        CHECK(max_held(order) <= stages + 1);
      }
      CHECK(makespan(p, {3, 4, 2}).has_value());
    }
}

TEST_CASE("DualPipe idles (p / 2 - 1)(F&B + B - 3 W) and keeps p + 1 micro-batches") {
  // DeepSeek-V3, table 2, B both gradients; here nothing is hidden, so F&B = F + B. Exact where a forward
  // pass takes as long as the gradient of the input, and that of the weights no longer.
  const Times times =
      GENERATE(Times{1, 1, 1}, Times{10, 10, 10}, Times{10, 10, 5}, Times{12, 12, 6}, Times{20, 20, 1});
  for (std::int64_t stages : {2, 4, 8, 16})
    for (std::int64_t micro_batches : {2 * stages, 4 * stages, 10 * stages + 2}) {
      CAPTURE(stages, micro_batches);
      const Pipeline p = dualpipe(static_cast<std::uint32_t>(stages), micro_batches);
      const std::int64_t back = times.input + times.weight;
      CHECK(makespan(p, times).value() - work(times, micro_batches) ==
            (stages / 2 - 1) * (times.forward + back + back - 3 * times.weight));
      CHECK(std::any_of(p.orders.begin(), p.orders.end(),
                        [&](const auto& order) { return max_held(order) == stages + 1; }));
    }
}

TEST_CASE(
    "DualPipe idles (p / 2 - 1)(F - B_input) longer where forward passes take longer than that gradient") {
  const Times times = GENERATE(Times{14, 10, 10}, Times{11, 10, 10}, Times{13, 10, 4});
  for (std::int64_t stages : {2, 4, 8, 16})
    for (std::int64_t micro_batches : {2 * stages, 10 * stages + 2}) {
      CAPTURE(stages, micro_batches, times.forward, times.input, times.weight);
      const Pipeline p = dualpipe(static_cast<std::uint32_t>(stages), micro_batches);
      // F + 2 (I + W) - 3 W + F - I.
      CHECK(makespan(p, times).value() - work(times, micro_batches) ==
            (stages / 2 - 1) * (2 * times.forward + times.input - times.weight));
    }
}

TEST_CASE(
    "where forward passes are shorter than the gradient of the input DualPipe idles by one of them less at "
    "most") {
  const Times times =
      GENERATE(Times{9, 12, 9}, Times{10, 12, 8}, Times{8, 12, 6}, Times{10, 14, 6}, Times{10, 20, 5});
  for (std::int64_t stages : {2, 4, 8, 16})
    for (std::int64_t micro_batches : {2 * stages, 10 * stages + 2}) {
      CAPTURE(stages, micro_batches, times.forward, times.input, times.weight);
      const Pipeline p = dualpipe(static_cast<std::uint32_t>(stages), micro_batches);
      const std::int64_t back = times.input + times.weight;
      const std::int64_t published = (stages / 2 - 1) * (times.forward + back + back - 3 * times.weight);
      const std::int64_t less = std::min(times.forward, (stages / 2 - 1) * (times.input - times.forward));
      CHECK(makespan(p, times).value() - work(times, micro_batches) == published - less);
    }
}

TEST_CASE("passes beside each other's exchanges: one forward pass more ahead, pairs of two micro-batches") {
  for (std::uint32_t stages : {1u, 2u, 4u, 8u})
    for (std::uint32_t chunks : {1u, 2u, 4u})
      for (std::int64_t rounds : {1, 2, 5}) {
        if (stages > 1 && chunks == 1) continue;  // refused
        const std::int64_t micro_batches = rounds * stages;
        CAPTURE(stages, chunks, micro_batches);
        for (std::uint32_t stage = 0; stage < stages; ++stage) {
          const std::vector<ChunkPass> order = paired_schedule(stage, stages, chunks, micro_batches);
          const std::vector<ChunkPass> plain = interleaved_schedule(stage, stages, chunks, micro_batches);
          check_complete(order, chunks, micro_batches);
          const std::int64_t held = max_held(plain);
          CHECK(max_held(order) == std::min(held + 1, chunks * micro_batches));
          std::int64_t pairs = 0;
          for (std::size_t i = 0; i < order.size(); ++i) {
            if (!order[i].overlaps_next) continue;
            REQUIRE(i + 1 < order.size());
            const ChunkPass& forward = order[i];
            const ChunkPass& backward = order[++i];
            ++pairs;
            CHECK(forward.is_forward());
            CHECK(backward.kind == PassKind::backward);
            CHECK_FALSE((forward.chunk == backward.chunk && forward.micro_batch == backward.micro_batch));
          }
          // What goes forward once the first pass goes back: all but those ahead of it.
          const std::int64_t ahead = chunks == 1 ? 1 : 2 * (stages - 1 - stage) + (chunks - 1) * stages + 1;
          CHECK(pairs == std::max<std::int64_t>(0, chunks * micro_batches - ahead));
        }
      }
}

TEST_CASE("passes beside each other's exchanges: no stage of a pipeline waits for ever") {
  // Chunk c of stage s is place c x stages + s of the model; a pass takes 1.
  for (std::uint32_t stages : {2u, 4u, 8u})
    for (std::uint32_t chunks : {2u, 3u, 4u})
      for (std::int64_t rounds : {1, 2, 5}) {
        CAPTURE(stages, chunks, rounds);
        std::vector<std::vector<ChunkPass>> orders;
        for (std::uint32_t s = 0; s < stages; ++s)
          orders.push_back(paired_schedule(s, stages, chunks, rounds * stages));
        std::map<std::tuple<bool, std::uint32_t, std::int64_t>, bool> done;
        std::vector<std::size_t> at(stages, 0);
        auto is_ready = [&](std::uint32_t stage, const ChunkPass& pass) {
          const std::uint32_t place = pass.chunk * stages + stage;
          if (pass.is_forward()) return place == 0 || done[{true, place - 1, pass.micro_batch}];
          return done[{true, place, pass.micro_batch}] &&
                 (place + 1 == stages * chunks || done[{false, place + 1, pass.micro_batch}]);
        };
        for (bool changed = true; changed;) {
          changed = false;
          for (std::uint32_t s = 0; s < stages; ++s) {
            if (at[s] == orders[s].size()) continue;
            const std::size_t count = orders[s][at[s]].overlaps_next ? 2 : 1;
            bool all = true;
            for (std::size_t i = 0; i < count; ++i) all = all && is_ready(s, orders[s][at[s] + i]);
            if (!all) continue;
            for (std::size_t i = 0; i < count; ++i, ++at[s]) {
              const ChunkPass& pass = orders[s][at[s]];
              done[{pass.is_forward(), pass.chunk * stages + s, pass.micro_batch}] = true;
            }
            changed = true;
          }
        }
        for (std::uint32_t s = 0; s < stages; ++s) CHECK(at[s] == orders[s].size());
      }
}

TEST_CASE("the mirror stages of DualPipe go through the same passes with the directions exchanged") {
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    std::vector<ChunkPass> mirror = dualpipe_schedule(7 - stage, 8, 20);
    for (ChunkPass& pass : mirror) pass.chunk = 1 - pass.chunk;
    CHECK(dualpipe_schedule(stage, 8, 20) == mirror);
  }
}
