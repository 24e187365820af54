#include "app/create/decide_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/catalogue/find_entry.hpp"
#include "app/plan/fit.hpp"
#include "engine/scenario/units.hpp"
#include "engine/scenario/xml_file.hpp"
#include "workloads/generate/training/model_figures.hpp"
#include "workloads/import/recognise_trace.hpp"
#include "workloads/import/trace_formats.hpp"
#include "workloads/import/trace_gpu.hpp"
#include "workloads/program/collective_names.hpp"

namespace lightrail {
namespace {

using Names = std::vector<std::string>;

constexpr std::int64_t reserve_bytes = 4ll << 30;  // of a GPU's memory, as lightrail plan leaves it to others
constexpr double weights_share = 0.6;              // of a GPU's memory, so that keys and values have room
constexpr std::uint32_t most_stages = 8;           // a token passes them one after the other

[[noreturn]] void fail(const std::string& what) {
  throw InputErrors(InputError{"", 0, "new: " + what});
}

/// "dgx_h100" of "servers/dgx_h100".
std::string leaf_of(const std::string& entry) {
  return entry.substr(entry.rfind('/') + 1);
}

void require(const char* option, const std::string& given, const Names& known) {
  if (std::find(known.begin(), known.end(), given) == known.end())
    fail(fmt::format("option --{}: {}", option, invalid_choice(given, known)));
}

class Decider {
 public:
  Decider(const NewOptions& options, const std::string& path, const Catalogue& catalogue,
          const ChildIdentities& identities, const AlgorithmRegistry& algorithms)
      : options_(options),
        path_(path),
        catalogue_(catalogue),
        identities_(identities),
        algorithms_(algorithms) {
    made_.name = std::filesystem::path(path).stem().string();
  }

  NewScenario decide() {
    decide_workload();
    decide_server();
    decide_size();
    decide_network();
    if (made_.workload == "training") decide_plan();
    if (made_.workload == "inference") decide_replicas();
    return made_;
  }

 private:
  void decide_workload() {
    made_.workload = !options_.workload.empty() ? options_.workload
                     : !options_.trace.empty()  ? "trace"
                     : !options_.model.empty()  ? "training"
                                                : new_workloads().front();
    require("workload", made_.workload, new_workloads());
    const bool has_model = made_.workload == "training" || made_.workload == "inference";
    refuse("collective", options_.collective, made_.workload == "collective");
    refuse("model", options_.model, has_model);
    refuse("trace", options_.trace, made_.workload == "trace");
    if (made_.workload == "collective") decide_collective();
    if (has_model) decide_model();
    if (made_.workload == "trace") decide_trace();
  }

  void refuse(const char* option, const std::string& given, bool has_effect) const {
    if (!given.empty() && !has_effect)
      fail(fmt::format("option --{} has no effect on workload '{}'", option, made_.workload));
  }

  void decide_collective() {
    Names known;
    for (const auto& [name, type] : collective_names()) known.push_back(name);
    made_.collective = options_.collective.empty() ? "all-reduce" : options_.collective;
    require("collective", made_.collective, known);
  }

  void decide_model() {
    const std::string name = options_.model.empty() ? "llama3_8b" : options_.model;
    require("model", name, names_of_kind(catalogue_, "models"));
    made_.model = "models/" + name;
    ErrorList errors;
    Element element;
    const std::string file = catalogue_.file_of(made_.model, {}, errors);
    if (errors.is_empty() && read_xml_file(file, {}, element, errors))
      read_transformer(element, model_, errors);
    errors.throw_if_any();
  }

  void decide_trace() {
    namespace fs = std::filesystem;
    if (options_.trace.empty()) fail("workload 'trace' needs --trace FILE");
    const auto seen = recognise_trace(options_.trace);
    const std::string format =
        seen && seen->format == "lightrail" ? seen->format : recognise_traces({options_.trace}).format;
    if (format != "lightrail")
      fail(
          fmt::format("'{0}' is a trace of format {1} (lightrail trace import {0} --out FILE.h5 makes one to "
                      "replay)",
                      options_.trace, format));
    const Job job = read_own_trace(options_.trace);
    ranks_ = static_cast<std::uint32_t>(job.programs.program_of_gpu.size());
    made_.traced_gpu = job.capture.gpus;
    const fs::path trace(options_.trace), folder = fs::absolute(path_).parent_path();
    made_.trace =
        trace.is_absolute() ? options_.trace : fs::absolute(trace).lexically_relative(folder).string();
  }

  void decide_server() {
    const std::string traced = gpu_called(made_.traced_gpu, names_of_kind(catalogue_, "gpus"));
    made_.server = "servers/" + (!options_.server.empty() ? server_named(options_.server)
                                 : !traced.empty()        ? server_named(traced)
                                                          : "dgx_h100");
    server_ = read_whole(made_.server);
    made_.gpus = count("gpus"), made_.nics = count("nics");
    if (made_.traced_gpu.empty())
      made_.recorded_on = part("gpu");
    else if (!traced.empty())
      made_.recorded_on = "gpus/" + traced;
    const CatalogueEntry gpu = read_entry(catalogue_, part("gpu"), identities_);
    ErrorList errors;
    parse(gpu, "memory", memory_);
  }

  /// A server of that name; else the one with most GPUs of that name, or of one that begins so.
  [[nodiscard]] std::string server_named(const std::string& given) const {
    const Names all = new_servers(catalogue_, identities_);
    if (std::find(all.begin(), all.end(), given) != all.end()) return given;
    Names known = all;
    std::string best;
    std::uint32_t most = 0;
    for (const std::string& name : all) {
      const CatalogueEntry entry = read_entry(catalogue_, "servers/" + name, identities_);
      for (const EntryPart& p : entry.parts) {
        const std::string gpu = p.part == "gpu" ? leaf_of(p.entry) : "";
        std::uint32_t gpus = 0;
        if (gpu.empty()) continue;
        parse(entry, "gpus", gpus);
        known.push_back(gpu);
        if ((gpu == given || gpu.rfind(given + "_", 0) == 0) && gpus > most) best = name, most = gpus;
      }
    }
    if (!best.empty()) return best;
    std::sort(known.begin() + static_cast<std::ptrdiff_t>(all.size()), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    const Names gpus = names_of_kind(catalogue_, "gpus");
    if (std::find(gpus.begin(), gpus.end(), given) != gpus.end())
      fail(fmt::format(
          "option --server: no server of the catalogue has the GPU '{}' (name it inside <server>, as "
          "docs/guides.md does)",
          given));
    fail("option --server: " + invalid_choice(given, known));
  }

  /// An entry with what it starts from.
  [[nodiscard]] CatalogueEntry read_whole(const std::string& name) const {
    CatalogueEntry entry = read_entry(catalogue_, name, identities_);
    if (entry.base.empty()) return entry;
    const CatalogueEntry base = read_whole(entry.base);
    entry.values.insert(entry.values.end(), base.values.begin(), base.values.end());
    entry.parts.insert(entry.parts.end(), base.parts.begin(), base.parts.end());
    return entry;
  }

  template <class T>
  static void parse(const CatalogueEntry& entry, const std::string& name, T& value) {
    for (const EntryValue& v : entry.values)
      if (v.part.empty() && v.name == name) {
        if (const std::string problem = parse_value(v.value, value); !problem.empty())
          throw InputErrors(InputError{entry.file, 0, fmt::format("attribute '{}': {}", name, problem)});
        return;
      }
    throw InputErrors(InputError{entry.file, 0, fmt::format("new: entry '{}' has no {}", entry.name, name)});
  }

  [[nodiscard]] std::uint32_t count(const std::string& name) const {
    std::uint32_t value = 0;
    parse(server_, name, value);
    return value;
  }

  [[nodiscard]] std::string part(const std::string& name) const {
    for (const EntryPart& p : server_.parts)
      if (p.part == name) return p.entry;
    throw InputErrors(
        InputError{server_.file, 0, fmt::format("new: entry '{}' names no <{}>", server_.name, name)});
  }

  void decide_size() {
    made_.fabric = options_.fabric.empty() ? new_fabrics().front() : options_.fabric;
    require("fabric", made_.fabric, new_fabrics());
    if (made_.workload == "trace" && ranks_ < made_.gpus)
      made_.gpus = ranks_, made_.nics = std::min(ranks_, made_.nics);
    const std::uint32_t usual = made_.workload == "trace" ? (ranks_ + made_.gpus - 1) / made_.gpus
                                : made_.fabric == "none"  ? 1
                                                          : 4;
    made_.servers = options_.servers > 0 ? options_.servers : usual;
    if (made_.servers * made_.gpus < ranks_)
      fail(fmt::format("the trace has {} ranks, {} servers have {} GPUs", ranks_, made_.servers,
                       made_.servers * made_.gpus));
  }

  void decide_network() {
    if (made_.fabric == "none") {
      if (options_.is_ethernet) fail("option --ethernet has no effect on fabric 'none'");
      return;
    }
    BitRate rate{};
    parse(read_entry(catalogue_, part("nic"), identities_), "port-rate", rate);
    made_.parts = network_parts(rate, options_.is_ethernet);
    std::uint32_t ports = 0;
    parse(read_entry(catalogue_, made_.parts.switch_entry, identities_), "ports", ports);
    // A leaf gives half of its ports to NICs, and two tiers have as many leaves as a spine has ports.
    const std::uint64_t all = std::uint64_t{made_.servers} * made_.nics,
                        two_tiers = std::uint64_t{ports} * ports / 2;
    constexpr std::uint32_t gpus_of_a_tray = 4;  // of racks: the NIC of each is on a rail of its own
    if (made_.fabric == "rail-optimised" && made_.nics > 8) made_.rails = gpus_of_a_tray;
    if (made_.fabric == "rail-only")
      made_.tiers = made_.servers <= ports ? 1 : made_.servers <= two_tiers ? 2 : 3;
    else
      made_.tiers = all <= two_tiers ? 2 : 3;
  }

  /// The batch gives every GPU a sequence, so that any number of replicas divides it.
  void decide_plan() {
    const std::uint32_t gpus = made_.servers * made_.gpus;
    PlanSpace space;
    space.gpus = gpus, space.domain = made_.gpus;
    space.layers = model_.layers, space.experts = model_.experts;
    Element workload;
    workload.name = "workload";
    workload.set("kind", "training");
    workload.set("global-batch", std::to_string(gpus));
    double best = 0;
    std::int64_t nearest = 0;
    for (const PlanAttributes& plan : plan_candidates(space)) {
      const PlanFit fit = fit_plan(with_plan(workload, plan), model_, gpus, algorithms_);
      if (!fit.refused.empty()) continue;
      if (nearest == 0 || fit.memory_bytes < nearest) nearest = fit.memory_bytes;
      if (fit.memory_bytes > memory_.value - reserve_bytes) continue;
      if (made_.plan.empty() || fit.rough < best) made_.plan = plan, best = fit.rough;
    }
    if (made_.plan.empty()) refuse_model(gpus, nearest);
  }

  [[noreturn]] void refuse_model(std::uint32_t gpus, std::int64_t nearest) const {
    const double gib = 1ll << 30;
    fail(fmt::format("{} does not fit {} GPUs of {:.0f} GiB: {} (more --servers, or another --server)",
                     made_.model, gpus, static_cast<double>(memory_.value) / gib,
                     nearest == 0 ? "no plan suits the model and the GPUs"
                                  : fmt::format("the nearest plan needs {:.0f} GiB and {:.0f} to spare",
                                                static_cast<double>(nearest) / gib, reserve_bytes / gib)));
  }

  /// As few GPUs a replica as leave room for keys and values; of equally many the most tensor parallelism
  /// that stays within a server.
  void decide_replicas() {
    double weights = 0;
    for (const ModelPartParameters& p : model_parts(model_))
      weights += 2.0 * static_cast<double>(p.parameters);
    const std::uint32_t gpus = made_.servers * made_.gpus;
    const double room = weights_share * static_cast<double>(memory_.value);
    std::uint32_t fewest = 0;
    double nearest = weights;
    for (std::uint32_t tp = 1; tp <= gpus; tp *= 2)
      for (std::uint32_t pp = 1; splits(tp) && pp <= most_stages && tp * pp <= gpus; ++pp) {
        if (model_.layers % pp != 0) continue;
        nearest = std::min(nearest, weights / tp / pp);
        const bool is_fewer = fewest == 0 || tp * pp < fewest || (tp * pp == fewest && tp <= made_.gpus);
        if (weights / tp / pp <= room && is_fewer) fewest = tp * pp, made_.tp = tp, made_.pp = pp;
      }
    if (fewest == 0) refuse_model(gpus, static_cast<std::int64_t>(nearest / weights_share));
  }

  /// Heads and feed-forwards share alike.
  [[nodiscard]] bool splits(std::int64_t tp) const {
    const bool has_kv = model_.latent > 0 || model_.kv() % tp == 0 || tp % model_.kv() == 0;
    return has_kv && model_.heads % tp == 0 && model_.ffn % tp == 0 && model_.dense_ffn % tp == 0;
  }

  const NewOptions& options_;
  const std::string& path_;
  const Catalogue& catalogue_;
  const ChildIdentities& identities_;
  const AlgorithmRegistry& algorithms_;
  NewScenario made_;
  CatalogueEntry server_;
  Transformer model_;
  Bytes memory_{};           ///< of a GPU
  std::uint32_t ranks_ = 0;  ///< of the trace
};

}  // namespace

const std::vector<std::string>& new_workloads() {
  static const Names all{"collective", "training", "inference", "trace"};
  return all;
}

const std::vector<std::string>& new_fabrics() {
  static const Names all{"rail-optimised", "fat-tree",      "rail-only",
                         "dragonfly-plus", "single-switch", "none"};
  return all;
}

std::vector<std::string> new_servers(const Catalogue& catalogue, const ChildIdentities& identities) {
  Names names;
  for (const std::string& name : names_of_kind(catalogue, "servers")) {
    const auto parts = read_entry(catalogue, "servers/" + name, identities).parts;
    if (std::none_of(parts.begin(), parts.end(),
                     [](const EntryPart& p) { return p.part == "nic role=storage"; }))
      names.push_back(name);
  }
  return names;
}

std::vector<std::string> names_of_kind(const Catalogue& catalogue, const std::string& kind) {
  Names names;
  for (const std::string& entry : entries_of_kind(catalogue.entries(), kind)) names.push_back(leaf_of(entry));
  return names;
}

NewScenario decide_scenario(const NewOptions& options, const std::string& path, const Catalogue& catalogue,
                            const ChildIdentities& identities, const AlgorithmRegistry& algorithms) {
  return Decider(options, path, catalogue, identities, algorithms).decide();
}

}  // namespace lightrail
