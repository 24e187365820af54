#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "components/ocs/ocs.hpp"
#include "tests/unit/components/ocs/ocs_catalogue.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Published figures of one entry: ranges, empty where nothing is published.
struct Product {
  std::string entry;
  std::vector<std::string> figures;  ///< ports, dark [s] and loss [dB], each low and high; power [W]
};

std::vector<Product> products() {
  std::ifstream file("tests/data/ocs_products.csv");
  std::vector<Product> all;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Product product;
    std::getline(fields, product.entry, ',');
    for (std::string field; product.figures.size() < 7 && std::getline(fields, field, ',');)
      product.figures.push_back(field);
    all.push_back(std::move(product));
  }
  return all;
}

}  // namespace

TEST_CASE("every optical switch of the catalogue is as its product's sources say") {
  const std::vector<Product> all = products();
  for (const Product& product : all) {
    INFO(product.entry);
    REQUIRE(product.figures.size() == 7);
    const auto spec = ocs_of_catalogue(product.entry);
    const auto lies = [&](double value, std::size_t figure, std::size_t last) {
      if (product.figures[figure].empty()) return true;
      return value >= std::stod(product.figures[figure]) * (1 - 1e-9) &&
             value <= std::stod(product.figures[last]) * (1 + 1e-9);
    };
    CHECK(lies(spec->ports, 0, 1));
    CHECK(lies(static_cast<double>(spec->dark_time.count()) / 1e12, 2, 3));
    CHECK(lies(spec->insertion_loss.value, 4, 5));
    CHECK(lies(spec->power.value, 6, 6));
  }
  for (const auto& file : std::filesystem::directory_iterator("configs/ocs")) {
    INFO(file.path());
    CHECK(std::any_of(all.begin(), all.end(),
                      [&](const Product& product) { return product.entry == file.path().stem(); }));
  }
}
