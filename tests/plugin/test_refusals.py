#!/usr/bin/python3
"""What plugins and scenarios with them do wrong, and how they are told.

usage: test_refusals.py BED
"""
import sys

from plugin_bed import PluginBed, check

PLAYERS = """
<scenario name="table tennis">
  <graph>
    <component kind="player" name="ann" rounds="{rounds}" serves="yes"/>
    <component kind="player" name="bob"/>
    <link from="ann:0" to="bob:0" kind="pcie" generation="5" lanes="16" latency="5 us"/>
  </graph>
</scenario>
"""
CLUSTER = """
<scenario name="dumbbell">
  <cluster servers="{servers}">
    <server gpus="1" nics="1">
      <gpu catalogue="gpus/h100_sxm"/><nic catalogue="nics/connectx7_400g"/><link role="pcie" catalogue="links/pcie_gen5_x16"/>
    </server>
  </cluster>
  <fabric kind="dumbbell"
          trunks="{trunks}">
    <switch ports="8" routing="{routing}"/>
    <link role="host" catalogue="links/ndr_copper"/>
    <link role="trunk" catalogue="links/ndr_copper"/>
  </fabric>
  <workload kind="ping" size="1 kB" {ping}/>
</scenario>
"""


def cluster(servers=2, trunks=1, routing="static", ping=""):
    return CLUSTER.format(servers=servers, trunks=trunks, routing=routing, ping=ping)


def main():
    bed = PluginBed(sys.argv[1])

    def refused(what, error, xml, *plugins):
        output = bed.run(xml, plugins=plugins, expect=2)
        check(what, error in output or output)

    both = ("dumbbell", "ping")
    bed.run(cluster(), plugins=both)
    # Plugins
    again = bed.plugin("dumbbell")
    refused("a name that is taken is refused with the plugin's file", f"error: {again}: two kinds of fabric are called 'dumbbell'",
            cluster(), "dumbbell", "dumbbell")
    refused("and so is one of a built-in kind", f"error: {bed.plugin('taken')}: component kind 'switch' is registered twice", cluster(),
            "taken")
    refused("a function that throws something else is a mistake of the plugin",
            f"error: {bed.plugin('throwing')}: cannot register its kinds (no racket)", cluster(), "throwing")
    output = bed.lightrail("run", "scenario.xml", "--plugin", "/lib/x86_64-linux-gnu/libm.so.6", expect=2)
    check("a shared object that is no plugin is refused", "is no plugin (it exports no 'lightrail_plugin_register')" in output)

    # Scenarios
    refused("a component's ranges are checked with file and line",
            "scenario.xml:4: <component> attribute 'rounds': '0' is out of range (1 ... 1000000)", PLAYERS.format(rounds=0), "pingpong")
    refused("a fabric's ranges too", "scenario.xml:9: <fabric> attribute 'trunks': '65' is out of range (1 ... 64)",
            cluster(trunks=65), *both)
    refused("an attribute that the fabric does not have", "scenario.xml:9: <fabric> has no attribute 'trunk' (did you mean 'trunks'?)",
            cluster().replace('trunks="1"', 'trunk="1"'), *both)
    refused("what the plugin itself refuses stands at its element",
            "scenario.xml:8: <fabric> kind 'dumbbell' does not fit: a switch has too few ports", cluster(trunks=8), *both)
    refused("a workload's mistake", "scenario.xml:14: <workload> attribute 'to': is the sender itself", cluster(ping='to="0"'), *both)
    refused("a GPU that a workload names and the system lacks", "<workload> kind 'ping': gpu 7 does not exist", cluster(ping='to="7"'), *both)

    # Without the plugin
    refused("an unknown component", "unknown kind of component 'player'", PLAYERS.format(rounds=1))
    refused("an unknown fabric", "scenario.xml:8: <fabric> attribute 'kind': invalid choice 'dumbbell' (one of none, single-switch,",
            cluster(), "ping")
    refused("an unknown workload", "scenario.xml:14: <workload> attribute 'kind': invalid choice 'ping' (one of trace, training,",
            cluster(), "dumbbell")
    refused("an unknown routing", "scenario.xml:10: <switch> attribute 'routing': invalid choice 'last-port' (one of static, ecmp,",
            cluster(routing="last-port"), *both)
    bed.run(cluster(routing="last-port"), plugins=("last_port", *both))

    # What is loaded
    output = bed.lightrail("describe", "plugin", plugins=("pingpong", "dumbbell"))
    for line in (f"  {bed.plugin('pingpong')}\n    component            player\n    table                hits\n",
                 f"  {bed.plugin('dumbbell')}\n    fabric               dumbbell\n"):
        check("describe plugin names every plugin with what it adds", line in output or output)
    check("describe plugin says how to write one", "void lightrail_plugin_register(lightrail::Registry& registry);" in
          bed.lightrail("describe", "plugin"))


main()
