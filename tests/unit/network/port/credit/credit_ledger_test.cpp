#include <catch2/catch.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "network/port/credit/credit_ledger.hpp"

using namespace lightrail;

TEST_CASE("credits go back to the senders in the order of their trains") {
  CreditLedger ledger(8);
  ledger.sent(1, 5, 0, 100);
  ledger.sent(1, 5, 0, 50);
  ledger.sent(2, 5, 0, 30);
  ledger.sent(3, 5, 1, 7);
  std::vector<std::pair<int, std::uint32_t>> given;
  auto give = [&](PortIndex in, std::uint32_t bytes) { given.emplace_back(in, bytes); };
  ledger.freed(5, 0, 120, give);
  ledger.freed(5, 0, 60, give);
  ledger.freed(5, 1, 7, give);
  CHECK((given == std::vector<std::pair<int, std::uint32_t>>{{1, 120}, {1, 30}, {2, 30}, {3, 7}}));
}

TEST_CASE("a credit for bytes that nobody sent is our bug") {
  CreditLedger ledger(2);
  ledger.sent(0, 1, 0, 10);
  auto ignore = [](PortIndex, std::uint32_t) {};
  CHECK_THROWS_AS(ledger.freed(1, 0, 11, ignore), ContractError);
}

TEST_CASE("a ledger survives saving") {
  CreditLedger ledger(4), copy(4);
  ledger.sent(1, 2, 3, 100);
  StateWriter out;
  ledger.save(out);
  StateReader in(out.bytes());
  copy.load(in);
  std::uint32_t got = 0;
  copy.freed(2, 3, 100, [&](PortIndex port, std::uint32_t bytes) { got = bytes + port; });
  CHECK(got == 101);
}
