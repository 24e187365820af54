#include <catch2/catch.hpp>

#include <string>

#include "tests/unit/fabrics/test_system.hpp"

using namespace lightrail;
using namespace lightrail::test;
using Catch::Contains;

namespace {
const std::string pcie = "<link role=\"pcie\" kind=\"pcie\" generation=\"4\"/>";
}

TEST_CASE("a scenario without anything is refused") {
  CHECK_THAT(problems(""),
             Contains(".xml:1: the scenario has no components (expected <cluster> or <graph>)"));
}

TEST_CASE("servers that nothing joins are refused") {
  CHECK_THAT(problems(cluster(2, 8, 8)),
             Contains("nothing joins the 2 servers (expected <fabric> or <graph>)"));
  CHECK_THAT(problems(cluster(2, 8, 8) + "<fabric kind=\"none\"/>"), Contains("nothing joins the 2 servers"));
  CHECK_THAT(problems(cluster(2, 8, 0) + fabric("kind=\"fat-tree\"", 8)),
             Contains("a server without NICs cannot be one of 2 servers"));
}

TEST_CASE("GPUs that nothing joins are refused") {
  CHECK_THAT(problems(cluster(1, 2, 0, "")),
             Contains("<server> has 2 GPUs that nothing joins (expected an <nvswitch>, or nics > 0)"));
}

TEST_CASE("an NVSwitch with fewer ports than GPUs is refused") {
  CHECK_THAT(problems(cluster(1, 8, 0, "<nvswitch ports=\"4\"/>")),
             Contains("<server> has 8 GPUs, but its <nvswitch> has 4 ports"));
}

TEST_CASE("missing parts of a server are named") {
  CHECK_THAT(problems("<cluster servers=\"1\"/>"), Contains("<cluster> lacks a <server>"));
  CHECK_THAT(problems("<cluster><server gpus=\"1\" nics=\"0\"><gpu/></server></cluster>"),
             Contains("<cluster> lacks the required attribute 'servers'"));
  CHECK_THAT(problems("<cluster servers=\"1\"><server gpus=\"1\" nics=\"0\"/></cluster>"),
             Contains("<server> lacks a <gpu>"));
  CHECK_THAT(problems("<cluster servers=\"1\"><server gpus=\"1\" nics=\"1\"><gpu/></server></cluster>"),
             Contains("<server> lacks a <nic>"));
  CHECK_THAT(problems("<cluster servers=\"1\"><server gpus=\"1\" nics=\"1\"><gpu/><nic/></server></cluster>"),
             Contains("<server> lacks a <link role=\"pcie\">"));
  CHECK_THAT(problems("<cluster servers=\"1\"><server gpus=\"1\" nics=\"0\"><gpu/><gpu/></server></cluster>"),
             Contains("<server> has 2 <gpu>, expected one"));
  CHECK_THAT(problems("<storage servers=\"1\"><nic/>" + pcie + "</storage>"),
             Contains("<storage> lacks a <storage-server>"));
}

TEST_CASE("roles of links are checked") {
  const auto server = [](const std::string& links) {
    return problems("<cluster servers=\"1\"><server gpus=\"1\" nics=\"1\"><gpu/><nic/>" + links +
                    "</server></cluster>");
  };
  CHECK_THAT(server("<link kind=\"pcie\" generation=\"4\"/>"),
             Contains("<link> lacks the required attribute 'role'"));
  CHECK_THAT(server("<link role=\"pcei\" kind=\"pcie\" generation=\"4\"/>"),
             Contains("<link> attribute 'role': invalid choice 'pcei'"));
  CHECK_THAT(server(pcie + pcie), Contains("<server> has two <link> of role 'pcie'"));
}

TEST_CASE("sizes that no id can hold are refused before anything is built") {
  CHECK_THAT(
      problems(cluster(1048576, 8, 8) + fabric("kind=\"fat-tree\"", 8)),
      Contains("8388608 GPUs, 0 hosts and 0 storage servers are 8388608 endpoints, more than 1048576"));
  CHECK_THAT(problems("<cluster servers=\"1000000000000000000\"/>"),
             Contains("<cluster> attribute 'servers'"));
  CHECK_THAT(problems(cluster(0, 8, 8)), Contains("'0' is out of range (1 ... 1048576)"));
  CHECK_THAT(problems(cluster(-1, 8, 8)), Contains("<cluster> attribute 'servers'"));
}

TEST_CASE("a fabric says what it lacks") {
  const std::string host = "<link role=\"host\" " + copper + "/>";
  CHECK_THAT(problems(cluster(2, 1, 1, "") + "<fabric/>"),
             Contains("<fabric> lacks the required attribute 'kind'"));
  CHECK_THAT(problems(cluster(2, 1, 1, "") + "<fabric kind=\"rail-optimized\"><switch ports=\"4\"/>" + host +
                      "</fabric>"),
             Contains("invalid choice 'rail-optimized'"));
  CHECK_THAT(problems(cluster(2, 1, 1, "") + "<fabric kind=\"fat-tree\">" + host + "</fabric>"),
             Contains("<fabric> lacks a <switch>"));
  CHECK_THAT(problems(cluster(2, 1, 1, "") + "<fabric kind=\"fat-tree\"><switch ports=\"4\"/></fabric>"),
             Contains("<fabric> lacks a <link role=\"host\">"));
  CHECK_THAT(
      problems(cluster(5, 1, 1, "") + "<fabric kind=\"fat-tree\"><switch ports=\"4\"/>" + host + "</fabric>"),
      Contains("<fabric> lacks a <link role=\"trunk\">"));
  CHECK_THAT(problems(cluster(1, 2, 0) + fabric("kind=\"fat-tree\"", 4)),
             Contains("<fabric> has no NICs to join"));
  CHECK_THAT(problems(cluster(2, 1, 1, "") + fabric("kind=\"fat-tree\"", 0)),
             Contains("<switch> has no ports"));
  CHECK_THAT(problems(cluster(2, 1, 1, "") + fabric("kind=\"fat-tree\"", 4) + fabric("kind=\"fat-tree\"", 4)),
             Contains("a second <fabric> for compute (expected one each for compute, storage and frontend)"));
}

TEST_CASE("a fabric that does not fit its switches is refused with the numbers") {
  CHECK_THAT(problems(cluster(9, 1, 1, "") + fabric("kind=\"single-switch\"", 8)),
             Contains("<fabric> does not fit: 9 NICs do not fit on one switch of 8 ports"));
  CHECK_THAT(problems(cluster(33, 1, 1, "") + fabric("kind=\"fat-tree\"", 8)),
             Contains("<fabric> does not fit: 9 leaves are more than a spine's 8 ports down can join"));
  CHECK_THAT(problems(cluster(33, 8, 8) + fabric("kind=\"rail-optimised\" servers-per-pod=\"40\"", 64)),
             Contains("a leaf of 40 NICs and 40 uplinks"));
  CHECK_THAT(problems(cluster(9, 8, 8) + fabric("kind=\"rail-optimised\" tiers=\"3\"", 8)),
             Contains("a spine of 8 ports, half of them down, cannot join a pod of 8 rails"));
}

TEST_CASE("attributes without effect are refused") {
  CHECK_THAT(problems(cluster(4, 2, 2) + fabric("kind=\"rail-optimised\" cores=\"2\"", 8)),
             Contains("<fabric> attribute 'cores' has no effect without tiers=\"3\""));
  CHECK_THAT(problems(cluster(4, 2, 2) + fabric("kind=\"rail-only\" spines=\"2\"", 8)),
             Contains("<fabric> attribute 'spines' has no effect with one tier"));
}

TEST_CASE("rail-only cannot attach storage") {
  CHECK_THAT(problems(cluster(2, 2, 2) + "<storage servers=\"1\"><storage-server/><nic/>" + pcie +
                      "</storage>" + fabric("kind=\"rail-only\"", 8)),
             Contains("<fabric kind=\"rail-only\"> cannot attach storage: nothing joins the rails"));
}

TEST_CASE("a fabric with too little light is refused") {
  const std::string dark =
      "<link role=\"host\" kind=\"optical\" rate=\"400 Gb/s\" length=\"10 m\" connectors=\"20\"><transceiver "
      "catalogue=\"optics/400g_dr4\"/></link>";
  CHECK_THAT(problems(cluster(2, 1, 1, "") + "<fabric kind=\"single-switch\"><switch ports=\"4\"/>" + dark +
                      "</fabric>"),
             Contains("the light margin is negative"));
}
