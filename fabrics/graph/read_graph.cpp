#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/scenario/scenario.hpp"
#include "fabrics/children.hpp"
#include "fabrics/graph/graph.hpp"

namespace lightrail {

namespace {

bool parse_number(std::string_view text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size();
}

Describe<Graph> graph_table() {
  Describe<Graph> table;
  table.field("allow-unreachable", &Graph::may_be_unreachable, "accepts pairs of NICs without a path");
  return table;
}

class GraphReader {
 public:
  GraphReader(const Element& element, std::uint32_t cluster_nics, SystemBuilder& builder)
      : element_(element), cluster_nics_(cluster_nics), builder_(builder) {}

  Graph read() {
    graph_.place = element_.error("");
    graph_table().parse(element_, graph_, builder_.errors());
    for (const Element& child : element_.children) {
      child.is_read = true;
      if (child.name != "link" && child.name != "routes") read_node(child);
    }
    for (const Element* link : element_.children_named("link")) read_link(*link);
    for (const Element* routes : element_.children_named("routes")) read_routes(*routes);
    return std::move(graph_);
  }

 private:
  void fail(const Attribute& attribute, const std::string& what) {
    builder_.errors().add({attribute.file, attribute.line, what});
  }
  const Attribute* required(const Element& element, const char* name) {
    const Attribute* attribute = element.find(name);
    if (!attribute)
      builder_.errors().add(
          element.error(fmt::format("<{}> lacks the required attribute '{}'", element.name, name)));
    return attribute;
  }

  /// The kind of component an element of the graph stands for; "" and an error when it is none.
  std::string kind_of(const Element& child) {
    if (child.name == "component") {
      const Attribute* kind = required(child, "kind");
      return kind ? kind->value : "";
    }
    if (child.name == "storage-server") return "storage";
    if (builder_.kinds().find(child.name)) return child.name;
    std::vector<std::string> known = builder_.kinds().names();
    known.insert(known.end(), {"component", "link", "routes", "storage-server"});
    const std::string near = did_you_mean(child.name, known);
    builder_.errors().add(
        child.error(fmt::format("unknown element <{}> in <graph>{}", child.name,
                                near.empty() ? "" : fmt::format(" (did you mean <{}>?)", near))));
    return "";
  }

  void read_node(const Element& child) {
    GraphNode node;
    node.element = &child;
    node.kind = kind_of(child);
    if (node.kind.empty()) return;
    const Attribute* name = required(child, "name");
    if (!name) return;
    node.name = name->value;
    if (node.name.find(':') != std::string::npos)
      return fail(*name, fmt::format("component name '{}' has a ':'", node.name));
    std::uint32_t number = 0;
    if (cluster_nic(node.name, number) ||
        !index_.emplace(node.name, static_cast<std::uint32_t>(graph_.nodes.size())).second)
      return fail(*name, fmt::format("a component '{}' exists already", node.name));
    const std::optional<Part> part = builder_.part(node.kind, child);
    if (part) node.part = *part, node.role = part->role;
    if (node.role == DeviceRole::gateway)
      return fail(*name, "a gateway has its place in <users>, not in a <graph>");
    if (part) check_routing(child, builder_.spec_of(*part), false, builder_.errors());
    if (part) check_planes(child, builder_.spec_of(*part));
    if (part && part->is_ocs()) node.circuits = circuits_of(child);
    graph_.nodes.push_back(std::move(node));
  }

  /// A GPU of a graph has one link to its NVSwitch, a NIC one to its fabric.
  void check_planes(const Element& child, const Spec& spec) {
    if (fabric_ports_of(spec) > 1)
      fail(*child.find("name"),
           "NICs of two ports are for a <fabric> with dual-tor; in a <graph> a NIC has one");
    const DeviceTraits* traits = traits_of(spec);
    if (traits && !traits->plane_shares().empty())
      fail(child.find("plane-hash") ? *child.find("plane-hash") : *child.find("name"),
           "planes with links of their own are for a <cluster>; here one link joins a GPU to its nvswitch "
           "(expected plane-hash=\"packet\")");
  }

  bool cluster_nic(const std::string& name, std::uint32_t& number) const {
    return name.starts_with("nic") && parse_number(std::string_view(name).substr(3), number) &&
           number < cluster_nics_ && name == fmt::format("nic{}", number);
  }

  /// "leaf0:3" -> node and port.
  bool read_end(const Element& link, const char* which, GraphEnd& end) {
    const Attribute* attribute = required(link, which);
    if (!attribute) return false;
    const std::size_t colon = attribute->value.rfind(':');
    if (colon == std::string::npos ||
        !parse_number(std::string_view(attribute->value).substr(colon + 1), end.port))
      return fail(*attribute,
                  fmt::format("<link> attribute '{}': invalid port '{}' (expected component:number)", which,
                              attribute->value)),
             false;
    const std::string name = attribute->value.substr(0, colon);
    if (!find_node(name, end.node)) {
      std::vector<std::string> known;
      for (const auto& [other, index] : index_) known.push_back(other);
      const std::string near = did_you_mean(name, known);
      return fail(*attribute, fmt::format("<link> attribute '{}': no component '{}'{}", which, name,
                                          near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near))),
             false;
    }
    const GraphNode& node = graph_.nodes[end.node];
    const std::uint32_t limit = port_limit(node);
    if (end.port >= limit)
      return fail(*attribute, fmt::format("<link> attribute '{}': {} '{}' has no port {} ({} ports: 0 to {})",
                                          which, node.kind, node.name, end.port, limit, limit - 1)),
             false;
    if (!used_.emplace(end.node, end.port).second)
      return fail(*attribute, fmt::format("<link> attribute '{}': port {} of '{}' is used twice", which,
                                          end.port, node.name)),
             false;
    return true;
  }

  bool find_node(const std::string& name, std::uint32_t& node) {
    if (auto it = index_.find(name); it != index_.end()) return node = it->second, true;
    std::uint32_t number = 0;
    if (!cluster_nic(name, number)) return false;
    node = static_cast<std::uint32_t>(graph_.nodes.size());
    index_.emplace(name, node);
    GraphNode nic;
    nic.name = name;
    nic.kind = "nic";
    nic.role = DeviceRole::nic;
    nic.local = number;
    graph_.nodes.push_back(std::move(nic));
    return true;
  }

  [[nodiscard]] std::uint32_t port_limit(const GraphNode& node) const {
    if (!node.element) return 1;  // the other ports of a cluster's NIC are in use
    if (node.role == DeviceRole::gpu) return 3;
    return node.part.radix ? node.part.radix : 4096;
  }

  void read_link(const Element& link) {
    GraphLink out;
    out.element = &link;
    const bool has_from = read_end(link, "from", out.a), has_to = read_end(link, "to", out.b);
    const std::optional<std::uint32_t> cable = builder_.cable(link);
    if (!has_from || !has_to || !cable) return;
    out.cable = *cable;
    if (out.a.node == out.b.node)
      return builder_.errors().add(
          link.error(fmt::format("<link> joins '{}' to itself", graph_.nodes[out.a.node].name)));
    graph_.links.push_back(out);
  }

  /// <routes of="leaf0" ports="0:0 1:1 4:8-15,24"/>: what is for which NICs leaves by which port.
  void read_routes(const Element& element) {
    const Attribute *of = required(element, "of"), *ports = required(element, "ports");
    if (!of || !ports) return;
    GraphRoutes routes;
    routes.element = &element;
    const auto node = index_.find(of->value);
    if (node == index_.end() || graph_.nodes[node->second].role != DeviceRole::packet_switch)
      return fail(*of, fmt::format("<routes> attribute 'of': no switch '{}'", of->value));
    routes.node = node->second;
    std::istringstream words(ports->value);
    for (std::string word; words >> word;)
      if (std::string problem = read_route(word, routes); !problem.empty())
        return fail(*ports, fmt::format("<routes> attribute 'ports': {}", problem));
    graph_.routes.push_back(std::move(routes));
  }

  /// "4:8-15,24": "" or what is wrong.
  std::string read_route(const std::string& word, GraphRoutes& routes) {
    const std::size_t colon = word.find(':');
    std::uint32_t port = 0;
    std::vector<std::uint32_t> nics;
    if (colon == std::string::npos || !parse_number(std::string_view(word).substr(0, colon), port))
      return fmt::format("invalid route '{}' (expected port:NICs, such as 4:8-15,24)", word);
    if (!used_.contains({routes.node, port}))
      return fmt::format("port {} of '{}' has no link", port, graph_.nodes[routes.node].name);
    if (!parse_nics(std::string_view(word).substr(colon + 1), nics))
      return fmt::format("invalid route '{}' (expected port:NICs, such as 4:8-15,24)", word);
    for (const std::uint32_t nic : nics) {
      const auto to = index_.find(fmt::format("nic{}", nic));
      if (to == index_.end() || graph_.nodes[to->second].role != DeviceRole::nic)
        return fmt::format("no link joins nic{}", nic);
      if (!routes.port_to.emplace(to->second, port).second) return fmt::format("nic{} has two routes", nic);
    }
    return "";
  }

  /// "8-15,24".
  bool parse_nics(std::string_view text, std::vector<std::uint32_t>& nics) const {
    while (!text.empty()) {
      const std::string_view part = text.substr(0, text.find(','));
      text.remove_prefix(std::min(part.size() + 1, text.size()));
      const std::size_t dash = part.find('-');
      std::uint32_t from = 0, to = 0;
      if (!parse_number(part.substr(0, dash), from)) return false;
      to = from;
      if (dash != std::string_view::npos && !parse_number(part.substr(dash + 1), to)) return false;
      if (to < from || to - from > graph_.nodes.size()) return false;
      for (std::uint32_t nic = from; nic <= to; ++nic) nics.push_back(nic);
    }
    return !nics.empty();
  }

  const Element& element_;
  const std::uint32_t cluster_nics_;
  SystemBuilder& builder_;
  Graph graph_;
  std::map<std::string, std::uint32_t> index_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> used_;
};

}  // namespace

std::vector<ParameterDoc> graph_documentation() {
  return graph_table().documentation();
}

Graph read_graph(const Element& element, std::uint32_t cluster_nics, SystemBuilder& builder) {
  return GraphReader(element, cluster_nics, builder).read();
}

}  // namespace lightrail
