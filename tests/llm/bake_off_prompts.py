"""What the bake-off asks: six of each kind of step, about invented things."""

from agent.tools.result import ToolError

ROUTES = (
    ("How many seats does the hall of Varnholt have?", "web_agent"),
    ("What is 18 % of 2,350?", "code_agent"),
    ("Who founded the Ostrel Quarterly?", "web_agent"),
    ("Write the word 'lanterns' backwards.", "code_agent"),
    ("In which year did the ferry Marlin's Rest first sail?", "web_agent"),
    ("Add up all whole numbers from 1 to 250.", "code_agent"),
)
_SEARCHING = ("web_search", "scrape_webpage", "wikipedia")
_COMPUTING = ("calculator", "python_repl")
ACTS = (
    ("How many seats does the hall of Varnholt have?", _SEARCHING, ("web_search", "wikipedia")),
    ("Who wrote the novel The Salt Ledger?", _SEARCHING, ("web_search", "wikipedia")),
    ("What does https://varnholt.example/fees say a visit costs?", _SEARCHING, ("scrape_webpage",)),
    ("What is 18 % of 2,350?", _COMPUTING, _COMPUTING),
    ("How many letters has the word 'counterweights'?", _COMPUTING, ("python_repl",)),
    ("A bus does 62 km in 45 minutes. How many km/h is that?", _COMPUTING, _COMPUTING),
)
READINGS = (
    (
        "How many seats does the hall of Varnholt have?",
        "https://varnholt.example/hall",
        "Varnholt Hall was opened in 1931. After the fire of 1958 it was rebuilt with 640 seats "
        "and an organ of 32 stops. Concerts are given from October to May.",
    ),
    (
        "Who wrote the novel The Salt Ledger?",
        "https://books.example/salt-ledger",
        "The Salt Ledger is a novel in three parts. It was written by Irma Dovrel and first "
        "printed by Hask & Sons, whose founder Otto Hask had refused it twice.",
    ),
    (
        "In which year did the ferry Marlin's Rest first sail?",
        "https://ferries.example/marlins-rest",
        "| Ship | Built | First crossing | Sold |\n|---|---|---|---|\n"
        "| Corrin | 1961 | 1962 | 1990 |\n| Marlin's Rest | 1973 | 1974 | 2003 |",
    ),
    (
        "What does a visit to the museum of Varnholt cost?",
        "https://varnholt.example/fees",
        "Opening hours: 10 to 17, closed on Mondays. A visit costs 8.50 crowns, for groups of ten "
        "or more 6 crowns a head. The garden is free.",
    ),
    (
        "Which river runs through the town of Ebbenlee?",
        "https://atlas.example/ebbenlee",
        "Ebbenlee lies at the foot of the Grey Shoulder, on both banks of the Tamsel. The nearest "
        "harbour is Quill, at the mouth of the Orrow.",
    ),
    (
        "How long is the tunnel under Mount Kessow?",
        "https://tunnels.example/kessow",
        "Works began in 1988. The tunnel is 7.3 km long and was opened to traffic in 1995; the "
        "older road over the pass takes 22 km.",
    ),
)
ERRORS = (
    (
        "Who founded the Ostrel Quarterly?",
        "web_search",
        {"query": "Ostrel Quarterly founder"},
        ToolError(kind="rate_limited", message="The search engines ask to wait."),
        ("wikipedia", "scrape_webpage"),
    ),
    (
        "How many seats does the hall of Varnholt have?",
        "wikipedia",
        {"query": "Hall of Varnholt"},
        ToolError(kind="not_found", message="Wikipedia has nothing on 'Hall of Varnholt'."),
        ("web_search", "wikipedia"),
    ),
    (
        "What does a visit to the museum of Varnholt cost?",
        "scrape_webpage",
        {"url": "https://varnholt.example/fees"},
        ToolError(kind="timeout", message="varnholt.example did not answer in 20 s."),
        ("web_search", "wikipedia"),
    ),
    (
        "How many letters has the word 'counterweights'?",
        "calculator",
        {"expression": "len(counterweights)"},
        ToolError(kind="invalid_args", message="'len' is no function of the calculator."),
        ("calculator", "python_repl"),
    ),
    (
        "How long is the tunnel under Mount Kessow?",
        "scrape_webpage",
        {"url": "https://tunnels.example/kessow"},
        ToolError(kind="blocked", message="tunnels.example refuses automatic readers."),
        ("web_search", "wikipedia"),
    ),
    (
        "Add up all whole numbers from 1 to 250.",
        "python_repl",
        {"code": "print(sum(range(251))"},
        ToolError(kind="crashed", message="line 1: '(' was never closed"),
        ("python_repl", "calculator"),
    ),
)
SUMS = (
    ("What is 18 % of 2,350?", "0.18*2350", "423"),
    ("What is 17*23?", "17*23", "391"),
    ("A bus does 62 km in 45 minutes. How many km/h is that?", "62/(45/60)", "82.6666666667"),
    ("Add 12.5, 7.25 and 30.", "12.5+7.25+30", "49.75"),
    ("How many hours are 3.5 days?", "3.5*24", "84"),
    ("What is the square root of 1,764?", "sqrt(1764)", "42"),
)
