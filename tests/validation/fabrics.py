"""Target E8: what static routes leave of the bisection of a Clos network of 512 nodes.

P. Geoffray, T. Hoefler: Adaptive routing strategies for modern high performance networks (Hot Interconnects
2008): MPI_Sendrecv() of 1 MB between random pairs of nodes, on average over all pairs 38 % of what a pair
alone has.
"""


SCENARIO = "traffic/bisection.xml"


def effective_bisection_pct(run, settings):
    """Mean over the nodes of what a node's exchanges reach, over what the fastest pair does. Lines of nodes
    are shared by nobody, so some pair on one leaf has the rate of a pair alone."""
    ends = run(SCENARIO, **settings)["end_by_gpu_ps"].values()
    return 100 * min(ends) * sum(1 / end for end in ends) / len(ends)


def target_e8(run, short):
    """Mean of eight seeds, which draw the hashes; the short form has one."""
    runs = [{}] if short else [{"lockstep": 10, "--seed": seed} for seed in range(1, 9)]
    run.ahead(SCENARIO, runs)
    shares = [effective_bisection_pct(run, settings) for settings in runs]
    yield {"row": "static routes, random pairs, 512 nodes", "published": 38,
           "simulated": sum(shares) / len(shares), "unit": "%", "bound_pct": 100 * 4 / 38}


TARGETS = {"E8": target_e8}
