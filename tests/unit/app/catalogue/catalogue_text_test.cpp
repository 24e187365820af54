#include "app/catalogue/catalogue_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace lightrail {

namespace {

CatalogueEntry some_entry() {
  return {"gpus/a",
          "/c/gpus/a.xml",
          "gpu",
          "A GPU.",
          "gpus/b",
          {{"", "power", "700 W", "datasheet", "sheet"},
           {"", "sms", "132", "datasheet", "sheet"},
           {"gemm dtype=fp8", "peak", "1 TFLOP/s", "estimate", "guess"},
           {"gemm dtype=fp8", "latency", "1 us", "", ""}},
          {{"link role=pcie", "links/p"}}};
}

}  // namespace

TEST_CASE("a shown entry numbers its sources, each once, and says where one is missing") {
  CHECK(entry_text(some_entry()) ==
        "gpus/a  <gpu>\n"
        "  A GPU.\n"
        "  file /c/gpus/a.xml\n"
        "  what is not given here is that of gpus/b\n"
        "\n"
        "  power                            700 W              datasheet  [1]\n"
        "  sms                              132                datasheet  [1]\n"
        "  gemm dtype=fp8\n"
        "    peak                           1 TFLOP/s          estimate   [2]\n"
        "    latency                        1 us               no source given\n"
        "  link role=pcie                   links/p\n"
        "\n"
        "   [1] datasheet  sheet\n"
        "   [2] estimate   guess\n");
}

TEST_CASE("long sources are wrapped behind their number") {
  CatalogueEntry entry = some_entry();
  entry.values = {{"", "a", "1", "measured", std::string(60, 'x') + " " + std::string(60, 'y')}};
  CHECK(entry_text(entry).find(std::string(60, 'x') + "\n" + std::string(18, ' ') + std::string(60, 'y')) !=
        std::string::npos);
}

TEST_CASE("as JSON an entry has what the text has, and null for what is not given") {
  const auto json = nlohmann::json::parse(entry_json(some_entry()));
  CHECK(json["entry"] == "gpus/a");
  CHECK(json["base"] == "gpus/b");
  CHECK(json["values"].size() == 4);
  CHECK(json["values"][2]["part"] == "gemm dtype=fp8");
  CHECK(json["values"][2]["kind"] == "estimate");
  CHECK(json["values"][3]["source"].is_null());
  CHECK(json["parts"][0]["entry"] == "links/p");
}

TEST_CASE("a list has a line an entry, whose first word is its name") {
  CatalogueEntry other = some_entry();
  other.name = "gpus/b", other.text = "";
  CHECK(list_text({some_entry(), other}) == "gpus/a                                 A GPU.\ngpus/b\n");
  CHECK(nlohmann::json::parse(list_json({some_entry()}))[0]["text"] == "A GPU.");
}

TEST_CASE("a search shows three figures of an entry and counts the others") {
  FoundEntry found{some_entry(), some_entry().values};
  const std::string text = search_text({found});
  CHECK(text.find("    power = 700 W (datasheet): sheet\n") != std::string::npos);
  CHECK(text.find("    gemm dtype=fp8 peak = 1 TFLOP/s (estimate): guess\n") != std::string::npos);
  CHECK(text.find("latency") == std::string::npos);
  CHECK(text.find("... and 1 more figures") != std::string::npos);
  CHECK(nlohmann::json::parse(search_json({found}))[0]["values"].size() == 4);
}

}  // namespace lightrail
