#include "workloads/generate/flows/flow_sizes.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include "workloads/job/job.hpp"

namespace lightrail {
namespace {

struct FileSpec {
  std::string file;
};

struct PointSpec {
  Bytes bytes{};
  double share = 0;
  SizeSpread spread = SizeSpread::even;
};

Describe<FileSpec> file_table() {
  return Describe<FileSpec>().field(
      "file", &FileSpec::file,
      "lines of a size in bytes and the percentage of flows that are no larger, in place of <size>s");
}

Describe<PointSpec> point_table() {
  using S = PointSpec;
  Describe<S> table;
  table.required("bytes", &S::bytes, "a size", Bytes{0}, Bytes{largest_operation_bytes})
      .required("share", &S::share, "of flows that are no larger", 0.0, 1.0)
      .choice(
          "spread", &S::spread,
          "of sizes between the one before and this one each is as likely as the others, or their logarithms "
          "are",
          {{"even", SizeSpread::even}, {"logarithmic", SizeSpread::logarithmic}});
  return table;
}

std::vector<SizeDistribution::Point> read_points(const Element& element, ErrorList& errors) {
  std::vector<SizeDistribution::Point> points;
  for (const Element* child : element.children_named("size")) {
    PointSpec spec;
    const std::size_t before = errors.size();
    point_table().parse(*child, spec, errors);
    if (errors.size() > before) return {};
    points.push_back({spec.bytes.value, spec.share, spec.spread});
  }
  if (const std::string problem = SizeDistribution::problem_of(points); !problem.empty())
    errors.add(element.error("<flow-sizes>: " + problem));
  return points;
}

}  // namespace

std::vector<ParameterDoc> flow_sizes_documentation() {
  return file_table().documentation();
}

std::vector<ParameterDoc> flow_size_documentation() {
  return point_table().documentation();
}

std::optional<SizeDistribution> read_flow_sizes(WorkloadContext& context) {
  const Element* element = context.element.child("flow-sizes");
  if (!element) {
    context.errors.add(context.element.error("<workload> kind 'flows' lacks its <flow-sizes>"));
    return std::nullopt;
  }
  FileSpec spec;
  const std::size_t before = context.errors.size();
  file_table().parse(*element, spec, context.errors);
  std::vector<SizeDistribution::Point> points;
  if (spec.file.empty()) {
    points = read_points(*element, context.errors);
  } else {
    if (!element->children_named("size").empty())
      context.errors.add(element->error("<flow-sizes> has a file and <size>s: it takes one of them"));
    const Attribute* file = element->find("file");
    try {
      points =
          read_size_file((std::filesystem::path(file->file).parent_path() / spec.file).lexically_normal());
    } catch (const InputErrors& problem) {
      for (const InputError& error : problem.errors()) context.errors.add(error);
    }
  }
  if (context.errors.size() > before) return std::nullopt;
  return SizeDistribution(std::move(points));
}

}  // namespace lightrail
