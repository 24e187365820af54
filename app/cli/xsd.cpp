#include "app/cli/xsd.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace lightrail {
namespace {

std::string escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

/// One of the choices, for editors to offer, or text with a ${variable}.
std::string choice_type(const std::vector<std::string>& choices) {
  std::string text = "<xs:simpleType><xs:union><xs:simpleType><xs:restriction base=\"xs:string\">";
  for (const std::string& c : choices) text += "<xs:enumeration value=\"" + escape(c) + "\"/>";
  return text +
         "</xs:restriction></xs:simpleType><xs:simpleType><xs:restriction base=\"xs:string\">"
         "<xs:pattern value=\".*[$][{].*\"/></xs:restriction></xs:simpleType></xs:union></xs:simpleType>";
}

std::string attribute_text(const ElementDoc& element, const ParameterDoc& p) {
  std::string doc = p.doc + (p.unit.empty() ? "" : " [" + p.unit + "]") +
                    (p.default_value.empty() ? "" : "; default " + p.default_value);
  if (const auto kinds = element.kinds.find(p.name); kinds != element.kinds.end())
    doc += fmt::format("; of kind {}", fmt::join(kinds->second, ", "));
  std::string text = "    <xs:attribute name=\"" + p.name + "\"";
  if (p.choices.empty()) text += " type=\"xs:string\"";
  text += "><xs:annotation><xs:documentation>" + escape(doc) + "</xs:documentation></xs:annotation>";
  if (!p.choices.empty()) text += choice_type(p.choices);
  return text + "</xs:attribute>\n";
}

/// Element names and the types that they have somewhere.
using Types = std::map<std::string, std::string>;

/// <source> holds words; <include> nothing; both may stand anywhere else.
std::string content_text(const ElementDoc& element, std::vector<std::string> children, const Types& types,
                         const Types& inner) {
  if (element.name == "doc" || element.name == "source" || element.name == "include") return "";
  children.insert(children.end(), {"include", "source"});
  std::string text = "    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n";
  for (const std::string& child : children) {
    const auto own = inner.find(element.name + "." + child);
    text += fmt::format("      <xs:element name=\"{}\" type=\"{}\"/>\n", child,
                        own != inner.end() ? own->second : types.at(child));
  }
  return text + "    </xs:choice>\n";
}

std::string type_text(const std::string& type, const ElementDoc& element, const std::string& content) {
  std::string text = fmt::format("  <xs:complexType name=\"{}\" mixed=\"true\">\n{}", type, content);
  std::set<std::string> present;
  for (const ParameterDoc& p : element.parameters) {
    present.insert(p.name);
    text += attribute_text(element, p);
  }
  for (const char* common : {"catalogue", "name", "role", "count"})
    if (!present.count(common))
      text += fmt::format("    <xs:attribute name=\"{}\" type=\"xs:string\"/>\n", common);
  if (element.takes_any) text += "    <xs:anyAttribute processContents=\"skip\"/>\n";
  return text + "  </xs:complexType>\n";
}

}  // namespace

std::string xsd_text(const std::vector<ElementDoc>& elements, const std::vector<InnerElementDoc>& inner,
                     const Places& places) {
  Types types, inner_types;
  for (const ElementDoc& e : elements) types[e.name] = e.name + ".type";
  for (const InnerElementDoc& e : inner) {
    const std::string path = e.parent + "." + e.element.name;
    inner_types[path] = path + ".type";
  }
  auto children_of = [&](const std::string& name) {
    const auto at = places.find(name);
    return at == places.end() ? std::vector<std::string>{} : at->second;
  };
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xs:schema "
      "xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n";
  for (const ElementDoc& e : elements) {
    text += fmt::format("  <xs:element name=\"{}\" type=\"{}\"/>\n", e.name, types[e.name]);
    text += type_text(types[e.name], e, content_text(e, children_of(e.name), types, inner_types));
  }
  for (const InnerElementDoc& e : inner)
    text += type_text(inner_types[e.parent + "." + e.element.name], e.element,
                      content_text(e.element, children_of(e.element.name), types, inner_types));
  return text + "</xs:schema>\n";
}

}  // namespace lightrail
