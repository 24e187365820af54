#include "engine/scenario/write_xml.hpp"

#include <algorithm>
#include <vector>

namespace lightrail {

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\t':
        out += "&#9;";
        break;
      case '\r':
        out += "&#13;";
        break;
      default:
        out += c;
    }
  return out;
}

void write(const Element& element, std::size_t level, std::string& out) {
  const std::string indent(2 * level, ' ');
  out += indent + "<" + element.name;
  std::vector<const Attribute*> attributes;
  for (const Attribute& a : element.attributes) attributes.push_back(&a);
  std::sort(attributes.begin(), attributes.end(), [](auto* a, auto* b) { return a->name < b->name; });
  for (const Attribute* a : attributes) out += " " + a->name + "=\"" + escaped(a->value) + "\"";
  if (element.children.empty()) {
    out += "/>\n";
    return;
  }
  out += ">\n";
  for (const Element& child : element.children)
    // A sweep varies variables, of which a resolved tree has none left.
    if (level > 0 || child.name != "sweep") write(child, level + 1, out);
  out += indent + "</" + element.name + ">\n";
}

}  // namespace

std::string write_xml(const Element& root) {
  std::string out;
  write(root, 0, out);
  return out;
}

}  // namespace lightrail
