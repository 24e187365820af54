#include "network/wire/nic_role.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace lightrail;

namespace {

NicRole role_of(const char* name, const char* attribute, const std::string& value, ErrorList& errors) {
  Element element;
  element.name = name;
  element.attributes = {{attribute, value, "s.xml", 7, false}};
  return read_nic_role(element, attribute, errors);
}

}  // namespace

TEST_CASE("components of networks behind hosts are named after them") {
  CHECK(prefix_of(NicRole::compute).empty());
  CHECK(prefix_of(NicRole::frontend) == "frontend-");
  CHECK(name_of(NicRole::compute) == "compute");
}

TEST_CASE("a NIC is for GPUs unless it is for storage or the front end, and so is a fabric") {
  ErrorList errors;
  CHECK(read_nic_role(Element{}, "role", errors) == NicRole::compute);
  CHECK(role_of("nic", "role", "compute", errors) == NicRole::compute);
  CHECK(role_of("fabric", "for", "storage", errors) == NicRole::storage);
  CHECK(role_of("fabric", "for", "frontend", errors) == NicRole::frontend);
  CHECK(errors.is_empty());
}

TEST_CASE("another role is refused where it stands") {
  ErrorList errors;
  CHECK(role_of("nic", "role", "storages", errors) == NicRole::compute);
  try {
    errors.throw_if_any();
    FAIL("nothing was refused");
  } catch (const InputErrors& found) {
    CHECK(to_string(found.errors().front()) ==
          "s.xml:7: <nic> attribute 'role': invalid choice 'storages' (one of compute, storage, frontend; "
          "did you mean "
          "'storage'?)");
  }
}
