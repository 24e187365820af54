#include "app/cli/print_summary.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>

using namespace lightrail;

TEST_CASE("of folded replicas the summary says what the whole cluster has") {
  Summary summary;
  summary.iterations = {IterationSummary{.gpus = 512, .t_end_ps = 1'000'000'000'000}};
  summary.dimensions = {{"dp", 1'000'000, 3}, {"ep", 0, 0}};
  summary.network_cost_usd = 1000;
  summary.network_power_w = 50;
  CHECK(summary_text(summary, "").find("whole cluster") == std::string::npos);
  CHECK(to_json(summary).find("\"whole_cluster\": null") != std::string::npos);
  CHECK(summary.steps_per_s_per_musd() == Approx(1000));
  summary.fold = 20;
  CHECK(summary_text(summary, "")
            .find("whole cluster    20 times this: 10240 GPUs; traffic dp 20.000 MB; network 20000 $, 1000 "
                  "W\n") != std::string::npos);
  CHECK(summary.steps_per_s_per_musd() == Approx(50));
  CHECK(summary_text(summary, "").find("its replicas") == std::string::npos);
  summary.replicas_apart_ps = 0;
  CHECK(summary_text(summary, "")
            .find("\n                 its replicas went in lockstep: all were held up at once\n") !=
        std::string::npos);
  summary.replicas_apart_ps = 76'210'000;
  CHECK(
      summary_text(summary, "")
          .find("\n                 its replicas went apart: of GPUs with the same work one waited 76.210 us "
                "longer than another\n") != std::string::npos);
  const std::string json = to_json(summary);
  for (const char* part : {"\"fold\": 20", "\"gpus\": 10240", "\"dp\": 20000000",
                           "\"network_cost_usd\": 20000.0", "\"replicas_apart_ps\": 76210000"})
    CHECK(json.find(part) != std::string::npos);
  CHECK(json.find("\"replicas_apart_ps\": null") != std::string::npos);  // but for the whole cluster's

  summary.whole_network_cost_usd = 18'000;  // as it would be built
  summary.whole_network_power_w = 900;
  CHECK(summary_text(summary, "").find("; network 18000 $, 900 W\n") != std::string::npos);
  CHECK(to_json(summary).find("\"network_cost_usd\": 18000.0") != std::string::npos);
  CHECK(summary.steps_per_s_per_musd() == Approx(1e6 / 18'000));
  summary.part_gpus = 2'048;  // by formula 512 of them stand for these
  CHECK(summary_text(summary, "")
            .find("whole cluster    20 times the part's 2048 GPUs: 40960 GPUs; network 18000 $, 900 W\n") !=
        std::string::npos);
  const std::string of_all = to_json(summary);
  CHECK(of_all.find("\"gpus\": 40960") != std::string::npos);
  CHECK(of_all.find("\"dp\": 20000000") == std::string::npos);
  summary.whole_network_cost_usd = summary.whole_network_power_w = std::nullopt;
  summary.part_gpus = 0;

  summary.fold = 1;
  CHECK(summary_text(summary, "")
            .find("\nreplicas         went apart: of GPUs with the same work one waited "
                  "76.210 us longer than another\n") != std::string::npos);
  CHECK(to_json(summary).find("\"replicas_apart_ps\": 76210000") != std::string::npos);
}

TEST_CASE("a summary prints what the run has and leaves out what it has not") {
  Summary summary;
  summary.status = "complete";
  summary.hash = "00ff00ff00ff00ff";
  summary.sim_end_ps = 2'100'000'000;
  summary.events = 1'000;
  summary.wall_s = 0.5;
  std::string text = summary_text(summary, "");
  CHECK(text.find("status           complete\n") != std::string::npos);
  CHECK(text.find("simulated        2.100 ms\n") != std::string::npos);
  CHECK(text.find("events           1000 in 0.50 s wall (2e+03/s) on 1 rank,") != std::string::npos);
  CHECK(text.find("hash             00ff00ff00ff00ff\n") != std::string::npos);
  CHECK(text.find("detail") == std::string::npos);
  CHECK(text.find("step time") == std::string::npos);
  CHECK(text.find("energy") == std::string::npos);
  CHECK(text.find("busy cores") == std::string::npos);
  CHECK(text.find("result") == std::string::npos);

  IterationSummary step;
  step.gpus = 8;
  step.t_end_ps = 1'000'000;
  step.gpu_time_ps = 8'000'000;
  step.compute_ps = 6'000'000;
  step.exposed_ps = 1'000'000;
  step.idle_ps = 1'000'000;
  summary.iterations.push_back(step);
  summary.dimensions = {{"tp", 3'000'000'000, 12}, {"pp", 0, 0}};
  text = summary_text(summary, "r.h5");
  CHECK(text.find("step time        1.000 us (iteration 0, 8 GPUs)\n") != std::string::npos);
  CHECK(text.find("compute         75.0 %") != std::string::npos);
  CHECK(text.find("exposed comm.   12.5 %") != std::string::npos);
  CHECK(text.find("traffic tp       3.000 GB in 12 messages\n") != std::string::npos);
  CHECK(text.find("traffic pp") == std::string::npos);
  CHECK(text.find("result           r.h5\n") != std::string::npos);

  summary.ranks = 2;
  summary.wall_s = 10;
  summary.cores = {12, 8};
  CHECK(summary_text(summary, "").find("\nbusy cores       ranks ran 60 % of") != std::string::npos);
  summary.cores = {};

  CHECK(text.find("pause storms") == std::string::npos);
  summary.storms = StormSummary{5, 200'000'000, 120, 491'520, "leaf3", 2, 0, 1'234'000'000};
  CHECK(summary_text(summary, "")
            .find("pause storms     5, the first at leaf3 port 2 class 0 after 1.234 ms, the longest 200.000 "
                  "us; 120 trains (491.520 kB) thrown away\n") != std::string::npos);

  CHECK(text.find("restarts") == std::string::npos);
  RestartSummary restart;
  restart.job = "a", restart.restarts = 2, restart.cause = "nic", restart.failed = "nic3";
  restart.t_failed_ps = 1'000'000, restart.detection_ps = 2'000'000, restart.waiting_ps = 3'000'000;
  restart.load_ps = 4'000'000, restart.warm_up_ps = 5'000'000, restart.lost_iterations = 1;
  restart.effective_ps = 30'000'000, restart.time_ps = 40'000'000;
  summary.restarts = {restart};
  CHECK(summary_text(summary, "")
            .find("restarts         2 of job a, the first since nic3 (nic) failed at 1.000 us\n"
                  "  effective       75.0 % of 40.000 us: 30.000 us of steps that no failure has undone\n"
                  "  lost           1 iteration done again; detection 2.000 us, until ready 3.000 us, load "
                  "4.000 us, warm-up 5.000 us\n") != std::string::npos);
  CHECK(text.find("recalled") == std::string::npos);
  summary.recalled = {{"recalled", 1520}, {"first", 40}, {"apart", 40}};
  CHECK(summary_text(summary, "")
            .find("recalled         1520 of 1600 collectives; simulated: 40 first, 40 apart\n") !=
        std::string::npos);
  summary.recalled = {{"recalled", 7}};
  CHECK(summary_text(summary, "").find("recalled         7 of 7 collectives\n") != std::string::npos);

  CHECK(text.find("stepped over") == std::string::npos);
  summary.stepped_over = SteppedOverSummary{4, 10, 999'500, 1'000'000, 999'000};
  text = summary_text(summary, "");
  CHECK(
      text.find("stepped over     10 periods as 4 measured ones: 1.000 us on the slowest GPU, 0.05 % less on "
                "the fastest, +0.10 % since the first half\n") != std::string::npos);
  CHECK(text.find("not steady") == std::string::npos);
  summary.stepped_over->earlier_period_ps = 980'000;
  CHECK(summary_text(summary, "").find("not steady: a step may be 2.1 % off; try more settling-periods") !=
        std::string::npos);

  summary.iterations.resize(100);
  summary.stepped_iterations = SteppedOverSummary{2, 96, 1'000'000, 1'000'000, 1'000'000, 0};
  // 96 / 4 of 1000
  CHECK(
      summary_text(summary, "")
          .find("stepped over     96 of 100 iterations, each as the one before: 1.000 us on the slowest GPU; "
                "about 2.4e+04 events saved\n"
                "                 the two that were compared are equal to the picosecond on every GPU\n") !=
      std::string::npos);
  summary.stepped_iterations->difference_ps = 3'000;
  CHECK(summary_text(summary, "")
            .find("an estimate: of the two that were compared a GPU spent 3.000 ns otherwise; a step "
                  // 0.3 % of a period, by chance up or down in each of 97, and twice that
                  "may be 5.91 % off; try more settling-iterations") != std::string::npos);
  summary.iterations.resize(1);

  CHECK(text.find("grain check") == std::string::npos);
  summary.grain_check = GrainCheck{4, 1'020'000, 1'000'000};
  CHECK(
      summary_text(summary, "")
          .find("grain check      the first step takes 1.020 us; with trains of at most 4 packets 1.000 us: "
                "+2.00 %\n") != std::string::npos);
  summary.grain_check = GrainCheck{4, 1'020'000, 1'000'000, 2, 2};
  CHECK(summary_text(summary, "").find("grain check      iteration 2 takes 1.020 us;") != std::string::npos);
  summary.grain_check = GrainCheck{4, 1'020'000, 1'000'000, 2, 4};
  CHECK(summary_text(summary, "").find("grain check      iterations 2 to 4 take 1.020 us;") !=
        std::string::npos);
  summary.grain_check = GrainCheck{1, 1'020'000, 0};
  CHECK(summary_text(summary, "")
            .find("takes 1.020 us; with single packets it had not ended after three times as long\n") !=
        std::string::npos);

  // Of the last iteration alone, the largest first.
  summary.exposed = {{0, "compute", "", "", 6'000'000},
                     {0, "communication", "tp", "tp", 500'000},
                     {0, "bubble", "pp", "pp", 1'500'000},
                     {7, "idle", "", "", 1}};
  text = summary_text(summary, "");
  CHECK(text.find("                  75.0 % compute   18.8 % pp bubble    6.2 % tp\n") != std::string::npos);
  CHECK(text.find("% idle") == std::string::npos);
}

TEST_CASE("a summary says how fine the run was") {
  Summary summary;
  CHECK(to_json(summary).find("\"detail\": null") != std::string::npos);
  summary.detail = "packets";
  CHECK(summary_text(summary, "").find("\ndetail           packets\n") != std::string::npos);
  CHECK(to_json(summary).find("\"detail\": \"packets\"") != std::string::npos);
  summary.detail = "trains", summary.fabrics_by_messages = {"storage"};
  CHECK(summary_text(summary, "").find("\ndetail           trains; messages in the storage fabric\n") !=
        std::string::npos);
  summary.fabrics_by_messages = {"compute", "storage"};
  CHECK(summary_text(summary, "").find("in the compute and the storage fabrics\n") != std::string::npos);
  summary.by_formula = {"tp dp", "all in iterations 0"};
  CHECK(summary_text(summary, "").find("fabrics; tp dp; all in iterations 0 by formula\n") !=
        std::string::npos);
  CHECK(to_json(summary).find("\"all in iterations 0\"") != std::string::npos);
}
