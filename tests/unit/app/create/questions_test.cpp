#include "app/create/questions.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

NewOptions asked(const std::string& answers, std::string& said) {
  std::istringstream in(answers);
  std::ostringstream out;
  const NewOptions options = ask_for_options(in, out, Catalogue("configs"), {});
  said = out.str();
  return options;
}

}  // namespace

TEST_CASE("empty answers take what is usual") {
  std::string said;
  const NewOptions options = asked("\n\n\n\n\n", said);
  CHECK(options.workload == "collective");
  CHECK(options.collective == "all-reduce");
  CHECK(options.server == "dgx_h100");
  CHECK(options.fabric == "rail-optimised");
  CHECK(options.servers == 4);
  CHECK(said.find("What do the GPUs do?: collective, training, inference, trace\n[collective] > ") == 0);
}

TEST_CASE("a wrong answer is asked again, with the closest choice") {
  std::string said;
  const NewOptions options = asked(" trainin \ntraining\n\n\nnone\n", said);
  CHECK(options.workload == "training");
  CHECK(options.model == "llama3_8b");
  CHECK(options.servers == 0);  // without a network nobody asks how many
  CHECK(said.find("  'trainin' is none of these (did you mean 'training'?)\n") != std::string::npos);
}

TEST_CASE("a trace must be named, and says itself how many servers it needs") {
  std::string said;
  const NewOptions options = asked("trace\n\nt.h5\n\n\n", said);
  CHECK(options.trace == "t.h5");
  CHECK(options.servers == 0);
}

TEST_CASE("answers that end too soon are an error") {
  std::string said;
  CHECK_THROWS_WITH(asked("training\n", said), "new: the answers ended before the last question");
}

}  // namespace lightrail
