#include "network/wire/message_kind.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string_view>

#include "network/wire/message.hpp"

using namespace lightrail;

namespace {

Payload of_kind(std::uint8_t kind) {
  return payload_of(kind, 0);
}

}  // namespace

TEST_CASE("no two kinds of message have one name") {
  std::map<std::string_view, int> uses;
  for (int number = 0; number < 256; ++number) ++uses[name_of(static_cast<MessageKind>(number))];
  uses.erase("");
  CHECK(uses.size() == 82);
  for (const auto& [name, count] : uses) {
    CAPTURE(name);
    CHECK(count == 1);
  }
}

TEST_CASE("numbers for components from outside the tree have no name") {
  for (int number = first_plugin_kind; number < 256; ++number)
    CHECK(name_of(static_cast<MessageKind>(number)).empty());
}

TEST_CASE("an error text names the message, and gives the number of one that has no name") {
  CHECK(unexpected(of_kind(47)) == "unexpected message 'circuit'");
  CHECK(unexpected(of_kind(3)) == "unexpected message 'work request'");
  CHECK(unexpected(of_kind(37)) == "unknown message 37");
  CHECK(unexpected(of_kind(200)) == "unknown message 200");
}

TEST_CASE("trains are payload in every form, control messages and flow control in none") {
  using enum MessageKind;
  for (const MessageKind kind :
       {train, reduce, multicast, fold, delegated_train, bypass_train, returned_train, numbered_train,
        marked_numbered_train, placed_train, batch_rest}) {
    CAPTURE(name_of(kind));
    CHECK(is_payload(kind));
  }
  for (const MessageKind kind :
       {control, lost_train, lost_control, corrupt_train, corrupt_control, delegated_control, bypass_control,
        returned_control, numbered_control, acknowledgement, sequence_error, flow_control, work_request, wake,
        sent, connect, kv_send}) {
    CAPTURE(name_of(kind));
    CHECK(!is_payload(kind));
  }
}
