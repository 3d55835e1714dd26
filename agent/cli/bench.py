"""``bench``: a whole benchmark, resumable at any instant; submitting is a command of its own."""

import argparse
import sys
from pathlib import Path
from typing import Any

from agent.cli.settings import load_settings


def add_parser(commands: Any) -> None:
    """Declare the command and its actions."""
    parser = commands.add_parser("bench", help="run, score and submit a benchmark")
    actions = parser.add_subparsers(required=True, metavar="ACTION")

    run = _action(actions, "run", "ask what is not answered yet, and keep each answer")
    run.add_argument("--limit", type=_positive, metavar="N", help="the first N tasks alone")
    run.add_argument("--only", nargs="+", default=[], metavar="TASK_ID")
    run.add_argument("--rerun", choices=("failed", "all"), default="nothing")
    run.add_argument("--workers", type=_positive, default=1, metavar="N", help="hosted models only")

    _action(actions, "status", "show what is answered")
    _action(actions, "score", "compare with the true answers, where they are known")

    submit = _action(actions, "submit", "send the answers to the course")
    submit.add_argument("--agent-code", default="", metavar="URL", help="where your code is public")
    submit.add_argument("--yes", action="store_true", help="send without asking")
    submit.add_argument("--again", action="store_true", help="although it may have arrived")

    attach = _action(actions, "attach", "give a task its file by hand")
    attach.add_argument("task_id", metavar="TASK_ID")
    attach.add_argument("path", type=_file, metavar="PATH")

    export = _action(actions, "export", "put a run into one zip")
    export.add_argument("path", type=Path, metavar="ZIP")
    import_ = _action(actions, "import", "take a run out of a zip")
    import_.add_argument("path", type=_file, metavar="ZIP")

    report = _action(actions, "report", "write a report as HTML, its plots as PNG")
    report.add_argument("folder", type=Path, metavar="FOLDER", help="where to write it")
    report.add_argument("--against", default="", metavar="SPEC", help="a model to compare with")

    _world(actions)


def _action(actions: Any, name: str, does: str) -> Any:
    """An action with the options that all of them share."""
    parser = actions.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")
    parser.add_argument(
        "--source", default="", help="a GAIA folder or a JSONL file; by default the course's API"
    )
    parser.add_argument("--user", default="", metavar="NAME", help="your Hugging Face user name")
    parser.add_argument("--model", default="", metavar="SPEC", help="such as ollama:llama3.2:3b")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_perform, action=name)
    return parser


def _world(actions: Any) -> None:
    """The offline world has questions of its own, and so other options."""
    parser = actions.add_parser(
        "world",
        help="measure a model in the offline world, again and again alike",
        description="Measure a model with the real tools in a small invented world that is served "
        "on this machine. Each run asks all its questions anew; one that was broken off goes on "
        "where it was, as long as neither world, model, settings nor program have changed.",
    )
    parser.add_argument("--dir", type=Path, metavar="DIR", help="a world of your own")
    parser.add_argument("--model", default="", metavar="SPEC", help="such as ollama:llama3.2:3b")
    parser.add_argument("--limit", type=_positive, metavar="N", help="the first N questions alone")
    parser.add_argument("--category", default="", metavar="C", help="those of one category alone")
    parser.add_argument("--level", default="", metavar="L", help="those of one level alone")
    parser.add_argument(
        "--half", choices=("odd", "even"), help="every second question of each category"
    )
    parser.add_argument(
        "--oracle",
        action="store_true",
        help="not the agent: one model call a question, with the evidence needed in the prompt",
    )
    parser.add_argument(
        "--out",
        type=_report,
        action="append",
        default=[],
        metavar="FILE",
        help="write the report as .json or .html; may be given twice",
    )
    parser.add_argument(
        "--against", type=_file, metavar="FILE.json", help="compare with an earlier report"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.set_defaults(run=_perform, action="world")


def _perform(arguments: argparse.Namespace) -> int:
    """Carry one action out; what it cannot do is a sentence on stderr."""
    from agent.cli.bench_actions import ACTIONS
    from agent.eval.errors import BenchmarkError
    from agent.eval.files import explain
    from agent.llm.names import ModelNameError

    settings = load_settings()
    try:
        return ACTIONS[arguments.action](arguments, settings)
    except (BenchmarkError, ModelNameError) as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(explain(error, Path(error.filename or settings.cache_dir)), file=sys.stderr)
    return 1


def _file(text: str) -> Path:
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return path


def _report(text: str) -> Path:
    path = Path(text)
    if path.suffix not in (".json", ".html"):
        raise argparse.ArgumentTypeError("a report ends in .json or .html")
    return path


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value
