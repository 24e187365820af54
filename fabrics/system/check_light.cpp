#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabrics/graph/graph.hpp"

namespace lightrail {

namespace {

class LightChecker {
 public:
  LightChecker(const Graph& graph, SystemBuilder& builder) : graph_(graph), builder_(builder) {}

  void check() {
    for (const GraphLink& link : graph_.links) check_medium(link);
    std::size_t configurations = 1;
    for (const GraphNode& node : graph_.nodes)
      configurations = std::max(configurations, node.circuits.size());
    for (std::size_t c = 0; c < configurations; ++c) {
      const GraphPaths paths(graph_, c);
      for (const GraphLink& link : graph_.links)
        for (const GraphEnd end : {link.a, link.b})
          if (builder_.cable_at(link.cable).optics && !graph_.nodes[end.node].part.is_ocs())
            check_path(end, paths.follow(end), link);
    }
  }

 private:
  void check_medium(const GraphLink& link) {
    const Cable& cable = builder_.cable_at(link.cable);
    for (const GraphEnd end : {link.a, link.b}) {
      const GraphNode& node = graph_.nodes[end.node];
      if (!node.part.is_ocs()) continue;
      if (!cable.optics)
        return builder_.errors().add(link.element->error(
            fmt::format("<link> to optical switch '{}' must be optical, not {}", node.name, cable.medium)));
      builder_.check_circulators(node.part, link.cable, link.element->error(""));
    }
  }

  void check_path(GraphEnd from, const Hop& hop, const GraphLink& first) {
    if (!hop.is_lit) return;
    std::string path = fmt::format("{}:{}", graph_.nodes[from.node].name, from.port);
    std::vector<LightSpan> spans;
    for (std::size_t i = 0; i < hop.links.size(); ++i) {
      LightSpan span;
      span.fibre = builder_.cable_at(graph_.links[hop.links[i]].cable).optics.get();
      if (!span.fibre) return;  // refused by check_medium
      if (i < hop.passes.size()) {
        const GraphNode& ocs = graph_.nodes[hop.passes[i]];
        span.passes = ocs.name;
        span.passing_loss = ocs.part.passing_loss;
        path += " -> " + ocs.name;
      }
      spans.push_back(span);
    }
    path += fmt::format(" -> {}:{}", graph_.nodes[hop.end.node].name, hop.end.port);
    const LightBudget budget = light_budget(std::move(path), spans);
    // One budget for all paths with the same figures.
    const std::string text = budget.text();
    if (!seen_.insert(text.substr(text.find('\n'))).second) return;
    check_budget(budget, first.element->error(""), builder_.errors());
    builder_.keep_budget(budget);
  }

  const Graph& graph_;
  SystemBuilder& builder_;
  std::set<std::string> seen_;
};

}  // namespace

void check_light(const Graph& graph, SystemBuilder& builder) {
  LightChecker(graph, builder).check();
}

}  // namespace lightrail
