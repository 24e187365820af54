#include "components/scheduler/tables.hpp"

namespace lightrail {

namespace {
constexpr auto i64 = ColumnType::int64;
}  // namespace

TableSchema requests_schema() {
  return {"requests",
          {{"request", i64, "1", "in the order of arrival"},
           {"t_arrival_ps", i64, "ps", "at the scheduler, which knows at once what comes in at a gateway"},
           {"t_start_ps", i64, "ps", "of its first batch"},
           {"t_first_token_ps", i64, "ps", "end of the batch that ended its prompt"},
           {"t_end_ps", i64, "ps", "last token"},
           {"prompt_tokens", i64, "1", ""},
           {"output_tokens", i64, "1", ""},
           {"replica", i64, "1", "that prefilled it; pool after pool"},
           {"decode_replica", i64, "1", "that decoded it"},
           {"kv_bytes", i64, "B", "keys and values moved between the two"},
           {"gateway", i64, "1", "machine of <users> by which it came in; -1: there are none"},
           {"t_prompt_ps", i64, "ps", "its prompt has come in whole at its replica; -1: as gateway"},
           {"t_first_at_user_ps", i64, "ps", "its user has the first token; -1: as gateway"},
           {"t_last_at_user_ps", i64, "ps", "the same of the last token"}},
          "requests of an inference job"};
}

TableSchema batches_schema() {
  return {"batches",
          {{"replica", i64, "1", "pool after pool"},
           {"batch", i64, "1", "of this replica: 0, 1, ..."},
           {"t_start_ps", i64, "ps", "the scheduler sends it"},
           {"t_end_ps", i64, "ps", "the last GPU has told its end"},
           {"prefill_tokens", i64, "1", "tokens of prompts"},
           {"decode_sequences", i64, "1", "sequences that get their next token"},
           {"kv_tokens", i64, "1", "room for keys and values that is taken, in tokens"},
           {"waiting", i64, "1", "requests that wait for this replica, at the end"}},
          "batches of an inference job"};
}

}  // namespace lightrail
