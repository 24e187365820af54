#pragma once
#include <cstdint>
#include <string>

namespace lightrail {

/// The files of a checkpoint folder: FOLDER/checkpoint-000012.lr, of which the last two are kept, the rows of
/// the result file up to the newest of them (engine/record/row_spool.hpp), and a file that is not finished.
[[nodiscard]] std::string checkpoint_path(const std::string& folder, std::int64_t number);
/// The file that is being written, before it gets its number.
[[nodiscard]] std::string unfinished_checkpoint(const std::string& folder);
/// The rows of one table up to the newest checkpoint.
[[nodiscard]] std::string spool_path(const std::string& folder, const std::string& table);

/// The number in a checkpoint's name; -1 when it is none.
[[nodiscard]] std::int64_t checkpoint_number(const std::string& path);

/// Whether the folder, which need not exist, holds a checkpoint.
[[nodiscard]] bool has_checkpoint(const std::string& folder);

/// `path` itself when it is a file, else the newest checkpoint of the folder. Throws InputErrors when there
/// is none.
[[nodiscard]] std::string find_checkpoint(const std::string& path);

/// Makes the folder where it does not exist; `is_new_run`: removes what an earlier run left in it. Throws
/// IoError.
void prepare_folder(const std::string& folder, bool is_new_run);

/// Removes every checkpoint but those of two numbers.
void keep_checkpoints(const std::string& folder, std::int64_t before, std::int64_t newest);

/// Makes names in the folder durable; false with errno when that fails.
[[nodiscard]] bool sync_folder(const std::string& folder);

}  // namespace lightrail
