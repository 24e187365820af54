#include "app/catalogue/find_entry.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

using Texts = std::vector<std::string>;

const Texts entries{"gpus/a100", "gpus/h100_sxm", "hosts/dgx_h100", "servers/dgx_h100"};

template <class F>
std::string problem(F&& f) {
  try {
    f();
  } catch (const InputErrors& errors) {
    return errors.what();
  }
  return "";
}

}  // namespace

TEST_CASE("kinds are the folders, each once") {
  CHECK(kinds_of(entries) == Texts{"gpus", "hosts", "servers"});
  CHECK(entries_of_kind(entries, "gpus") == Texts{"gpus/a100", "gpus/h100_sxm"});
  CHECK(entries_of_kind(entries, "") == entries);
  CHECK(problem([] { static_cast<void>(entries_of_kind(entries, "gpu")); }) ==
        "catalogue: kind: invalid choice 'gpu' (one of gpus, hosts, servers; did you mean 'gpus'?)");
}

TEST_CASE("an entry is found by its name, without the folder where one kind alone has it") {
  CHECK(find_entry(entries, "servers/dgx_h100") == "servers/dgx_h100");
  CHECK(find_entry(entries, "h100_sxm") == "gpus/h100_sxm");
  CHECK(problem([] { static_cast<void>(find_entry(entries, "dgx_h100")); }) ==
        "catalogue: 'dgx_h100' may be hosts/dgx_h100 or servers/dgx_h100");
}

TEST_CASE("an entry that does not exist is answered with the closest, whatever its folder") {
  const auto said = [](const std::string& given) {
    return problem([&] { static_cast<void>(find_entry(entries, given)); });
  };
  CHECK(said("gpus/h100_smx") == "catalogue: no entry 'gpus/h100_smx' (did you mean 'gpus/h100_sxm'?)");
  CHECK(said("h100_smx") == "catalogue: no entry 'h100_smx' (did you mean 'gpus/h100_sxm'?)");
  CHECK(said("switches/h100_sxm") ==
        "catalogue: no entry 'switches/h100_sxm' (did you mean 'gpus/h100_sxm'?)");
  CHECK(said("tofu") == "catalogue: no entry 'tofu' (lightrail catalogue list names all)");
}

TEST_CASE("a search wants every word, in any case, and says which figures have them all") {
  CatalogueEntry entry;
  entry.name = "gpus/h100_sxm";
  entry.text = "NVIDIA H100";
  entry.values = {{"", "power", "700 W", "datasheet", "NVIDIA's sheet"}, {"gemm", "peak", "989", "", ""}};
  CHECK(search_entry(entry, {"h100", "PEAK"}).is_found);
  CHECK(search_entry(entry, {"h100", "PEAK"}).values.empty());
  const EntryMatch match = search_entry(entry, {"Power", "sheet"});
  CHECK(match.is_found);
  REQUIRE(match.values.size() == 1);
  CHECK(match.values[0].value == "700 W");
  CHECK_FALSE(search_entry(entry, {"h100", "ocs"}).is_found);
}

}  // namespace lightrail
