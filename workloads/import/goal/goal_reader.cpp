#include "workloads/import/goal/goal_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/import/ahead.hpp"
#include "workloads/import/gzip_file.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

namespace {

constexpr std::uint64_t max_ranks = 1 << 20;
constexpr std::size_t longest_line = 4096;
constexpr std::size_t nodes_at_once = 8192;                      // handed over from the thread that reads
constexpr std::int64_t longest_calc_ns = std::int64_t{1} << 52;  // 52 days

bool is_label(std::string_view text) {
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !is_letter(text[0])) return false;
  for (char c : text)
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_') return false;
  return true;
}

/// Node of each label. Labels that are a word and a number ("l1", "l2", ...), as all writers make them, take
/// 4 bytes each.
class Labels {
 public:
  void clear() {
    words_.clear();
    others_.clear();
  }
  /// False when the label is there already.
  bool add(std::string_view label, std::uint32_t node) {
    const auto [word, number] = split(label);
    std::vector<std::uint32_t>* nodes = number == none ? nullptr : nodes_of(word);
    if (nodes && number < 4 * nodes->size() + 1024) {
      if (number >= nodes->size()) nodes->resize(number + 1, none);
      if ((*nodes)[number] != none || (!others_.empty() && others_.contains(std::string(label))))
        return false;
      (*nodes)[number] = node;
      return true;
    }
    return others_.emplace(label, node).second;
  }
  [[nodiscard]] std::uint32_t find(std::string_view label) const {
    const auto [word, number] = split(label);
    if (number != none)
      for (const auto& [known, nodes] : words_)
        if (known == word && number < nodes.size() && nodes[number] != none) return nodes[number];
    if (others_.empty()) return none;
    auto it = others_.find(std::string(label));
    return it == others_.end() ? none : it->second;
  }
  static constexpr std::uint32_t none = 0xffffffff;

 private:
  static constexpr std::size_t most_words = 8;  ///< that are looked through; labels of others are in others_

  /// "r12" -> "r", 12; a number with leading zeros or too large is none.
  static std::pair<std::string_view, std::uint32_t> split(std::string_view label) {
    std::size_t at = label.size();
    while (at > 0 && label[at - 1] >= '0' && label[at - 1] <= '9') --at;
    if (at == label.size() || label.size() - at > 9 || (label[at] == '0' && at + 1 < label.size()))
      return {label, none};
    std::uint32_t number = 0;
    for (char c : label.substr(at)) number = 10 * number + static_cast<std::uint32_t>(c - '0');
    return {label.substr(0, at), number};
  }
  /// Null for a word too many.
  std::vector<std::uint32_t>* nodes_of(std::string_view word) {
    for (auto& [known, nodes] : words_)
      if (known == word) return &nodes;
    if (words_.size() == most_words) return nullptr;
    return &words_.emplace_back(word, std::vector<std::uint32_t>()).second;
  }
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> words_;
  std::unordered_map<std::string, std::uint32_t> others_;
};

class Reader {
 public:
  Reader(const std::string& path, std::function<void(std::uint32_t)> on_start,
         std::function<void(GoalRank&)> on_rank)
      : path_(path),
        file_(path),
        buffer_(1 << 18),
        on_start_(std::move(on_start)),
        on_rank_(std::move(on_rank)) {}

  void run() {
    while (next_line()) statement();
    if (!has_count_) fail("no 'num_ranks N' (expected a GOAL schedule)");
    if (is_inside_) fail(fmt::format("the block of rank {} does not end (expected '}}')", rank_.rank));
    if (next_rank_ != count_)
      fail(fmt::format("the file ends after rank {} of {}", next_rank_ == 0 ? 0 : next_rank_ - 1, count_));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputErrors(InputError{path_, static_cast<int>(line_), what});
  }

  /// The words of the next line that has any, comments removed.
  bool next_line() {
    std::string_view line;
    while (read_line(line)) {
      words_.clear();
      const char *at = line.data(), *const end = at + line.size();
      while (at != end) {
        while (at != end && is_space(*at)) ++at;
        const char* const begin = at;
        while (at != end && !is_space(*at)) ++at;
        if (at != begin) words_.emplace_back(begin, static_cast<std::size_t>(at - begin));
      }
      if (!words_.empty()) return true;
    }
    return false;
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  /// The next line, valid until the one after it; false at the end of the file.
  bool read_line(std::string_view& line) {
    ++line_;
    const void* end = nullptr;
    while (!(end = std::memchr(buffer_.data() + next_, '\n', filled_ - next_))) {
      if (filled_ - next_ > longest_line) break;
      std::memmove(buffer_.data(), buffer_.data() + next_, filled_ - next_);
      filled_ -= std::exchange(next_, 0);
      const auto got =
          file_.sgetn(buffer_.data() + filled_, static_cast<std::streamsize>(buffer_.size() - filled_));
      if (got <= 0) break;
      filled_ += static_cast<std::size_t>(got);
    }
    if (!end && next_ == filled_) return false;
    const std::size_t size =
        (end ? static_cast<std::size_t>(static_cast<const char*>(end) - buffer_.data()) : filled_) - next_;
    if (size > longest_line) fail(fmt::format("a line of more than {} characters", longest_line));
    line = std::string_view(buffer_.data() + next_, size);
    next_ = std::min(filled_, next_ + size + 1);
    if (is_comment_ || line.find('/') != std::string_view::npos) line = without_comments(line);
    return true;
  }
  std::string_view without_comments(std::string_view line) {
    kept_.clear();
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string_view two = line.substr(i, 2);
      if (is_comment_) {
        if (two == "*/") is_comment_ = false, ++i, kept_ += ' ';
      } else if (two == "//") {
        break;
      } else if (two == "/*") {
        is_comment_ = true, ++i;
      } else {
        kept_ += line[i];
      }
    }
    return kept_;
  }

  [[nodiscard]] std::uint64_t number(std::string_view text, const char* what, std::uint64_t most) const {
    std::uint64_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc::result_out_of_range ||
        (code == std::errc{} && end == text.data() + text.size() && value > most))
      fail(fmt::format("{} {} is out of range (0 ... {})", what, text, most));
    if (code != std::errc{} || end != text.data() + text.size())
      fail(fmt::format("invalid {} '{}' (expected a number)", what, text));
    return value;
  }
  [[nodiscard]] std::string_view word(std::size_t i) const {
    return i < words_.size() ? words_[i] : std::string_view();
  }

  void statement() {
    if (word(0) == "num_ranks") return count();
    if (!has_count_) fail(fmt::format("'{}' before 'num_ranks N'", word(0)));
    if (word(0) == "rank" && !is_inside_) return open();
    if (!is_inside_) fail(fmt::format("'{}' outside of a rank (expected 'rank {} {{')", word(0), next_rank_));
    if (word(0) == "{" && words_.size() == 1 && !is_open_) return void(is_open_ = true);
    if (!is_open_) fail(fmt::format("'{}' before '{{' of rank {}", word(0), rank_.rank));
    if (word(0) == "}") return close();
    if (word(1) == "requires" || word(1) == "irequires") return edge();
    node();
  }

  void count() {
    if (has_count_) fail("a second 'num_ranks'");
    if (words_.size() != 2) fail("expected 'num_ranks N'");
    count_ = static_cast<std::uint32_t>(number(word(1), "number of ranks", max_ranks));
    if (count_ == 0) fail("number of ranks 0 is out of range (1 ...)");
    has_count_ = true;
    on_start_(count_);
  }

  void open() {
    std::string_view text = word(1);
    bool has_brace = word(2) == "{";
    if (!text.empty() && text.back() == '{') text.remove_suffix(1), has_brace = true;
    if (words_.size() > (word(2) == "{" ? 3u : 2u))
      fail(fmt::format("unexpected '{}' after 'rank'", word(2)));
    const std::uint64_t rank = number(text, "rank", max_ranks);
    if (rank != next_rank_ || rank >= count_)
      fail(next_rank_ == count_
               ? fmt::format("rank {}, but num_ranks is {}", rank, count_)
               : fmt::format("rank {} where rank {} is expected (in order, each once)", rank, next_rank_));
    rank_ = {};
    rank_.rank = next_rank_++;
    rank_.line = line_;
    labels_.clear();
    is_inside_ = true;
    is_open_ = has_brace;
  }

  void close() {
    if (words_.size() > 1) fail(fmt::format("unexpected '{}' after '}}'", word(1)));
    is_inside_ = false;
    on_rank_(rank_);
  }

  void edge() {
    if (words_.size() != 3) fail(fmt::format("expected 'label {} label'", word(1)));
    rank_.edges.push_back({find(word(0)), find(word(2)), line_, word(1) == "irequires"});
  }
  [[nodiscard]] std::uint32_t find(std::string_view label) const {
    const std::uint32_t node = labels_.find(label);
    if (node == Labels::none)
      fail(fmt::format("dangling dependency: label '{}' is not defined in rank {}", label, rank_.rank));
    return node;
  }

  void node() {
    std::size_t at = 0;
    if (word(0).back() == ':') {
      std::string_view label = word(0).substr(0, word(0).size() - 1);
      if (!is_label(label)) fail(fmt::format("invalid label '{}' (letters, digits and _)", label));
      if (!labels_.add(label, static_cast<std::uint32_t>(rank_.nodes.size())))
        fail(fmt::format("label '{}' is defined twice in rank {}", label, rank_.rank));
      at = 1;
    }
    GoalNode node;
    node.line = line_;
    if (word(at) == "calc") {
      node.kind = GoalNode::Kind::calc;
      if (word(at + 1).empty()) fail("calc without a duration");
      node.size = static_cast<std::int64_t>(number(word(at + 1), "duration", longest_calc_ns));
      at += 2;
    } else if (word(at) == "send" || word(at) == "recv") {
      const bool is_send = word(at) == "send";
      node.kind = is_send ? GoalNode::Kind::send : GoalNode::Kind::recv;
      std::string_view size = word(at + 1);
      if (size.size() < 2 || size.back() != 'b')
        fail(fmt::format("{} without a size (expected '{} <bytes>b {} <rank>')", word(at), word(at),
                         is_send ? "to" : "from"));
      size.remove_suffix(1);
      node.size = static_cast<std::int64_t>(number(size, "size", largest_operation_bytes));
      if (word(at + 2) != (is_send ? "to" : "from"))
        fail(fmt::format("expected '{}' instead of '{}'", is_send ? "to" : "from", word(at + 2)));
      node.peer = peer(word(at + 3), is_send);
      at += 4;
    } else {
      fail(fmt::format("unknown node kind '{}' (known: send, recv, calc, requires, irequires)", word(at)));
    }
    options(node, at);
    rank_.nodes.push_back(node);
  }

  [[nodiscard]] std::uint32_t peer(std::string_view text, bool is_send) const {
    if (!is_send && (text == "-1" || text == "4294967295"))
      fail("a receive from any rank (-1): which message it takes would depend on time; name the rank");
    const auto rank = static_cast<std::uint32_t>(number(text, "rank", 0xffffffff));
    if (rank >= count_) fail(fmt::format("rank {} does not exist (num_ranks is {})", rank, count_));
    return rank;
  }

  void options(GoalNode& node, std::size_t at) {
    const char* const names[] = {"tag", "cpu", "nic"};
    std::size_t next = node.kind == GoalNode::Kind::calc ? 1 : 0;
    const std::size_t end = node.kind == GoalNode::Kind::calc ? 2 : 3;
    for (; at < words_.size(); at += 2) {
      while (next < end && word(at) != names[next]) ++next;
      if (next == end)
        fail(fmt::format("unexpected '{}' (expected options in this order: {})", word(at),
                         end == 2 ? "cpu" : "tag, cpu, nic"));
      if (next == 0 && word(at + 1) == "-1")
        fail("a receive of any tag (-1): which message it takes would depend on time; name the tag");
      const std::uint64_t value = number(word(at + 1), names[next], next == 0 ? 0xfffffffe : 255);
      if (next == 0) node.tag = static_cast<std::uint32_t>(value);
      if (next == 1) node.cpu = static_cast<std::uint8_t>(value);
      if (next == 2) node.nic = static_cast<std::uint8_t>(value);
      ++next;
    }
  }

  std::string path_;
  GzipFile file_;
  std::vector<char> buffer_;
  std::size_t next_ = 0, filled_ = 0;  ///< into buffer_: what is not read yet
  std::function<void(std::uint32_t)> on_start_;
  std::function<void(GoalRank&)> on_rank_;
  std::string kept_;  ///< of a line with comments
  std::vector<std::string_view> words_;
  std::uint32_t line_ = 0, count_ = 0, next_rank_ = 0;
  bool has_count_ = false, is_inside_ = false, is_open_ = false, is_comment_ = false;
  GoalRank rank_;
  Labels labels_;
};

}  // namespace

void read_goal(const std::string& path, const std::function<void(std::uint32_t)>& on_start,
               const std::function<void(GoalRank&)>& on_rank) {
  // Lines are read on a thread of their own, which hands over many small ranks at once.
  struct Batch {
    std::optional<std::uint32_t> count;  ///< num_ranks, of the first batch
    std::vector<GoalRank> ranks;
  };
  const auto produce = [&](const std::function<void(Batch)>& give) {
    Batch batch;
    std::size_t nodes = 0;
    const auto hand_over = [&] {
      give(std::exchange(batch, {}));
      nodes = 0;
    };
    try {
      Reader(
          path, [&](std::uint32_t count) { batch.count = count; },
          [&](GoalRank& rank) {
            nodes += rank.nodes.size() + 1;
            batch.ranks.push_back(std::move(rank));
            if (nodes >= nodes_at_once) hand_over();
          })
          .run();
    } catch (const InputErrors&) {
      hand_over();  // a mistake before this one is told first
      throw;
    }
    hand_over();
  };
  consume_behind<Batch>(produce, [&](Batch batch) {
    if (batch.count) on_start(*batch.count);
    for (GoalRank& rank : batch.ranks) on_rank(rank);
  });
}

}  // namespace lightrail
