"""A report as one HTML page that needs no other file."""

import base64

from agent.eval.world.report import Report


def page(report: Report, earlier: Report | None = None) -> str:
    """The page, its plots inside; those show ``earlier`` too. Everything in it is escaped."""
    from jinja2 import Environment, PackageLoader

    from agent.eval.world.plots import right_by_group, seconds_over_calls

    reports = [each for each in (report, earlier) if each]
    plots = {
        "Right by category and level": right_by_group(reports),
        "Seconds over calls": seconds_over_calls(reports),
    }
    environment = Environment(
        loader=PackageLoader("agent.eval"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("world.html").render(
        report=report,
        plots={name: base64.b64encode(png).decode() for name, png in plots.items()},
    )
