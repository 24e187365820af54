#include "engine/sync/buffer_circle.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace lightrail {
namespace {

/// A place on the way from where the search began, and the edges of it that are still to be followed.
struct Step {
  BufferPlace place{};
  std::size_t next = 0, end = 0;
};

}  // namespace

std::vector<BufferPlace> find_circle(std::vector<BufferEdge> edges) {
  std::sort(edges.begin(), edges.end());
  const auto step_at = [&](const BufferPlace& place) {
    const auto [first, last] =
        std::equal_range(edges.begin(), edges.end(), BufferEdge{place, {}},
                         [](const BufferEdge& x, const BufferEdge& y) { return x.from < y.from; });
    return Step{place, static_cast<std::size_t>(first - edges.begin()),
                static_cast<std::size_t>(last - edges.begin())};
  };
  enum class Mark : std::uint8_t { on_way, done };
  std::map<BufferPlace, Mark> marks;
  for (const BufferEdge& begin : edges) {
    if (marks.contains(begin.from)) continue;
    std::vector<Step> way{step_at(begin.from)};
    marks[begin.from] = Mark::on_way;
    while (!way.empty()) {
      Step& last = way.back();
      if (last.next == last.end) {
        marks[last.place] = Mark::done;
        way.pop_back();
        continue;
      }
      const BufferPlace to = edges[last.next++].to;
      const auto mark = marks.find(to);
      if (mark == marks.end()) {
        marks[to] = Mark::on_way;
        way.push_back(step_at(to));
      } else if (mark->second == Mark::on_way) {
        std::vector<BufferPlace> circle;
        const auto first =
            std::find_if(way.begin(), way.end(), [&](const Step& step) { return step.place == to; });
        for (auto step = first; step != way.end(); ++step) circle.push_back(step->place);
        return circle;
      }
    }
  }
  return {};
}

}  // namespace lightrail
