#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/partition/forecast_row.hpp"
#include "engine/partition/partition.hpp"

namespace lightrail {

/// What a message between two ranks takes on the machine that a forecast is for. The default is HDR
/// InfiniBand under MPI: 1.5 us and 25 GB/s a rank, 0.3 us of a rank's own time a message.
struct ForecastNetwork {
  double latency_s = 1.5e-6;
  double bandwidth_bytes_per_s = 25e9;
  double overhead_s = 0.3e-6;
};

struct ForecastPlan {
  static constexpr std::size_t max_plans = 8;
  std::vector<Partition> partitions;  ///< one a rank count; at most `most`
  ForecastNetwork network;
};

/// Counts, while one rank runs a model, what each of many ranks would have done in each of their windows.
class ForecastRecorder {
 public:
  ForecastRecorder(const Model& model, const ForecastPlan& plan);

  /// Events of the slice at `start` follow; slices may come in any order.
  void go_to(SimTime start);
  /// No event before `time` follows.
  void end_before(SimTime time);
  /// `component` is about to handle events; true: time it and say so to count().
  bool wants_time() { return ++batches_ % 16 == 0; }
  void count(ComponentId component, std::int64_t events, double seconds);
  /// An event goes out on `link`, which may be a self link.
  void count_sent(LinkId link);

  /// At the end, once. `work_s` is what all events took together.
  std::vector<ForecastRow> rows(double work_s);

 private:
  struct Window {
    std::int64_t number = 0;
    std::vector<double> work;        // by rank
    std::vector<std::int64_t> sent;  // by rank
    std::vector<std::int32_t> busy;  // ranks with work
  };
  struct Machine {
    ForecastRow row;
    std::int64_t width = 1;
    std::vector<std::int32_t> rank_of;     // by component
    std::vector<std::int64_t> neighbours;  // by rank
    bool is_complete = false;              // all are neighbours: headers carry the reduction (Exchange)
    std::size_t now = 0;                   // the window that runs: windows[now]
    std::vector<Window> windows;           // that may get more events
    std::vector<Window> unused;
  };
  struct Cost {
    double seconds = 0;
    std::int64_t events = 0;
  };
  static void open_window(Machine& machine, std::int64_t number);
  void end_window(Machine& machine, Window& window) const;
  [[nodiscard]] double cost_of(std::uint16_t kind) const;

  const Model* model_;
  ForecastNetwork network_;
  std::vector<Machine> machines_;
  std::vector<std::uint8_t> cut_by_;  // by link: bit m is set if machine m cuts it
  std::vector<Cost> costs_;           // by kind
  Cost all_;
  std::int64_t batches_ = 0;
};

}  // namespace lightrail
