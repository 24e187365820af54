"""Energy by kind of device, and what the network costs."""

import pandas as pd

from .. import style
from .topology import plural

MISSING = 'no energy was recorded: <output><table name="power"/></output>, which is on by default'

# (attribute of the summary, what it is, how it is written)
BILL = (("energy_per_step_j", "energy of a step, devices in use", style.format_energy),
        ("network_cost_usd", "cost of the network", lambda usd: f"{usd:,.0f} USD"),
        ("network_power_w", "power of the network, used or not", lambda w: f"{w:,.0f} W"),
        ("steps_per_s_per_musd", "steps a second for a million USD of network", "{:,.4g}".format))
MORE = (("network_pj_per_bit", "energy of a bit over the network", lambda pj: f"{pj:,.4g} pJ"),
        ("energy_j", "energy of the run", style.format_energy))


def energy(run):
    """DataFrame by kind of component: devices, energy_j, active (mean share of the run)."""
    rows = run.tables["power"] if "power" in run.tables else pd.DataFrame()
    if rows.empty:
        return pd.DataFrame()
    kinds = run.components["kind"].to_numpy()[rows["component"]]
    table = rows.groupby(kinds).agg(devices=("energy_pj", "size"), energy_j=("energy_pj", "sum"),
                                    active=("t_active_ps", "mean"))
    table["energy_j"] *= 1e-12
    table["active"] /= max(run.info.get("sim_end_ps", 0), 1)
    return table.sort_values("energy_j", ascending=False, kind="stable")


def section(run):
    table, summary = energy(run), run.summary
    bill = [(label, show(summary[name])) for name, label, show in (*BILL, *MORE) if name in summary]
    if table.empty and not bill:
        return {"missing": MISSING}
    total = table["energy_j"].sum() if len(table) else 0
    title = "What the network costs"
    if total > 0:
        title = f"{100 * table['energy_j'].iloc[0] / total:.0f} % of {style.format_energy(total)} is drawn by {plural(table.index[0], table['devices'].iloc[0])}"
    if "network_cost_usd" not in summary:
        bill.append(("cost of the network", "not known: the scenario has no <prices>"))
    return {"title": title, "detail": "devices that the catalogue gives a power to, switches only where they carried something; the whole run",
            "bill": bill, "kinds": [
                {"name": kind, "devices": int(row["devices"]), "share": row["energy_j"] / total if total else 0.0,
                 "energy": style.format_energy(row["energy_j"]), "active": f"{100 * row['active']:.0f} %"}
                for kind, row in table.iterrows()]}
