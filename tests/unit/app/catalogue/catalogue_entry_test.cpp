#include "app/catalogue/catalogue_entry.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace lightrail {

namespace {

const ChildIdentities identities{{"gemm", {{"dtype", "bf16"}}}};

/// The entry "gpus/a" that a file with this text is.
CatalogueEntry entry_of(const std::string& text) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "gpus");
  test::write_file(folder / "gpus/a.xml", text);
  return read_entry(Catalogue(folder.path()), "gpus/a", identities);
}

const EntryValue& value_of(const CatalogueEntry& entry, const std::string& part, const std::string& name) {
  const auto it = std::find_if(entry.values.begin(), entry.values.end(),
                               [&](const EntryValue& v) { return v.part == part && v.name == name; });
  REQUIRE(it != entry.values.end());
  return *it;
}

}  // namespace

TEST_CASE("an entry is its comment, its figures with their sources and the entries it names") {
  const CatalogueEntry entry = entry_of(
      "<!-- A thing,\n     made up. -->\n<server catalogue=\"gpus/b\" gpus=\"8\">\n"
      "  <gpu catalogue=\"gpus/c\"/><source parameter=\"gpus\" kind=\"datasheet\" text=\"sheet\"/>\n"
      "  <link role=\"pcie\" rate=\"1 Gb/s\"/></server>");
  CHECK(entry.element == "server");
  CHECK(entry.text == "A thing, made up.");
  CHECK(entry.base == "gpus/b");
  CHECK(entry.file.find("gpus/a.xml") != std::string::npos);
  CHECK(value_of(entry, "", "gpus").kind == "datasheet");
  CHECK(value_of(entry, "", "gpus").source == "sheet");
  CHECK(value_of(entry, "link role=pcie", "rate").kind.empty());
  REQUIRE(entry.parts.size() == 1);
  CHECK(entry.parts[0].part == "gpu");
  CHECK(entry.parts[0].entry == "gpus/c");
}

TEST_CASE("the source that names a figure most closely counts, in whatever order they stand") {
  const CatalogueEntry entry = entry_of(
      "<gpu buffer-ll=\"1\" buffer-ll128=\"2\" buffer=\"3\" other=\"4\">"
      "<source parameter=\"*\" kind=\"estimate\" text=\"all\"/>"
      "<source parameter=\"x buffer-ll\" kind=\"measured\" text=\"name\"/>"
      "<source parameter=\"buffer-*\" kind=\"published\" text=\"pattern\"/></gpu>");
  CHECK(value_of(entry, "", "buffer-ll").source == "name");
  CHECK(value_of(entry, "", "buffer-ll128").source == "pattern");
  CHECK(value_of(entry, "", "buffer").source == "all");
  CHECK(value_of(entry, "", "other").kind == "estimate");
}

TEST_CASE("a child looks at its own sources, then at its parent's, but not at its parent's *") {
  const CatalogueEntry entry = entry_of(
      "<gpu><source parameter=\"*\" kind=\"estimate\" text=\"all\"/>"
      "<source parameter=\"peak\" kind=\"datasheet\" text=\"parent\"/>"
      "<gemm dtype=\"fp8\" peak=\"1\" latency=\"2\" casts=\"on\">"
      "<source parameter=\"casts\" kind=\"published\" text=\"own\"/></gemm></gpu>");
  CHECK(value_of(entry, "gemm dtype=fp8", "peak").source == "parent");
  CHECK(value_of(entry, "gemm dtype=fp8", "casts").source == "own");
  CHECK(value_of(entry, "gemm dtype=fp8", "latency").source.empty());
}

TEST_CASE("every entry of the catalogue says what it is") {
  const Catalogue catalogue("configs");
  const auto entries = catalogue.entries();
  CHECK(entries.size() > 100);
  for (const std::string& name : entries) {
    CAPTURE(name);
    CHECK(read_entry(catalogue, name, identities).text.size() > 10);
  }
}

}  // namespace lightrail
