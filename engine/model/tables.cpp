#include "engine/model/tables.hpp"

namespace lightrail {

const std::vector<TableSchema>& table_schemas() {
  constexpr auto i64 = ColumnType::int64;
  constexpr auto name = ColumnType::name;
  // The enumerators of workloads/program/program.hpp, in their order; a test compares the two.
  static const std::vector<std::string> op_kinds = {"compute",       "host",      "collective",
                                                    "send",          "recv",      "storage_read",
                                                    "storage_write", "host_copy", "marker"};
  static const std::vector<std::string> collectives = {
      "none", "all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all", "barrier"};
  static const std::vector<std::string> algorithms = {
      "auto_select", "ring",         "tree",      "nvls",   "nvls_tree",          "pat",    "direct",
      "pairwise",    "hierarchical", "full_mesh", "deepep", "deepep_low_latency", "collnet"};
  static const std::vector<std::string> protocols = {"auto_select", "ll", "ll128", "simple"};
  static const std::vector<TableSchema> all = {
      {"ops",
       {{"gpu", i64, "1", "endpoint id"},
        {"stream", i64, "1", "stream index of the GPU's program"},
        {"op", i64, "1", "index in the program"},
        {"name", name, "1", "kernel or operation"},
        {"kind", i64, "1", "what it is", op_kinds},
        {"iteration", i64, "1", "0, 1, ..."},
        {"t_start_ps", i64, "ps", "start on its stream"},
        {"t_end_ps", i64, "ps", "end"},
        {"dimension", i64, "1", "index into /summary dimensions; -1: none"},
        {"size_bytes", i64, "B", "payload of the operation"}},
       "what every recorded GPU executed"},
      {"messages",
       {{"from", i64, "1", "sending endpoint"},
        {"to", i64, "1", "receiving endpoint"},
        {"connection", i64, "1", "group kind, channel, phase: 8 bits each"},
        {"size_bytes", i64, "B", "payload"},
        {"t_start_ps", i64, "ps", "first byte at the receiver"},
        {"t_end_ps", i64, "ps", "last byte at the receiver"}},
       "messages between endpoints, at the receiver"},
      {"collectives",
       {{"gpu", i64, "1", "endpoint id"},
        {"group", i64, "1", "group kind"},
        {"collective", i64, "1", "which collective", collectives},
        {"algorithm", i64, "1", "chosen algorithm", algorithms},
        {"protocol", i64, "1", "chosen protocol", protocols},
        {"size_bytes", i64, "B", "nccl-tests' size"},
        {"t_start_ps", i64, "ps", "start on this GPU"},
        {"t_end_ps", i64, "ps", "end on this GPU"}},
       "collectives as each recorded GPU saw them"},
      {"link_use",
       {{"link", i64, "1", "directed link id"},
        {"interval", i64, "1", "number of the recording interval"},
        {"size_bytes", i64, "B", "payload put on the link in the interval"},
        {"t_busy_ps", i64, "ps", "serialisation time in the interval"}},
       "use of every directed link"},
      {"queue",
       {{"port", i64, "1", "output port"},
        {"lane", i64, "1", "virtual lane"},
        {"max_bytes", i64, "B", "largest backlog"},
        {"t_wait_ps", i64, "ps", "total wait of trains for the port or for credits"}},
       "backlog of output ports, totals of the run"},
      {"ocs",
       {{"port_in", i64, "1", ""},
        {"port_out", i64, "1", "-1: dark"},
        {"t_start_ps", i64, "ps", "light from"},
        {"t_end_ps", i64, "ps", "light until; -1: end of run"},
        {"size_bytes", i64, "B", "payload carried"},
        {"lost_bytes", i64, "B", "payload that met darkness"}},
       "circuits of optical switches"},
      {"storage",
       {{"from", i64, "1", "requesting endpoint"},
        {"is_write", i64, "1", "0 read, 1 write"},
        {"size_bytes", i64, "B", ""},
        {"t_start_ps", i64, "ps", "request at the server"},
        {"t_end_ps", i64, "ps", "last byte to or from the drives"}},
       "requests at storage servers"},
      {"power",
       {{"t_active_ps", i64, "ps", "time busy"},
        {"energy_pj", ColumnType::float64, "pJ", "energy of the run"}},
       "energy by component"},
      {"traffic",
       {{"gpu", i64, "1", "sending endpoint"},
        {"dimension", i64, "1", "index into /summary dimensions"},
        {"size_bytes", i64, "B", "payload sent"},
        {"messages", i64, "1", "messages sent"}},
       "payload by parallel dimension"},
      {"steps",
       {{"gpu", i64, "1", "endpoint id"},
        {"iteration", i64, "1", "0, 1, ..."},
        {"t_start_ps", i64, "ps", "first operation starts"},
        {"t_end_ps", i64, "ps", "last operation ends"},
        {"t_compute_ps", i64, "ps", "some kernel runs"},
        {"t_exposed_ps", i64, "ps", "communication runs and no kernel does"},
        {"t_idle_ps", i64, "ps", "neither"}},
       "one row a GPU and iteration"},
      {"traffic_matrix",
       {{"from", i64, "1", "sending endpoint"},
        {"to", i64, "1", "receiving endpoint"},
        {"size_bytes", i64, "B", "payload"}},
       "payload between endpoints, totals of the run, for recorded GPUs"},
  };
  return all;
}

}  // namespace lightrail
