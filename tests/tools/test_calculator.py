"""The calculator by the texts that it is given: what people and small models write."""

import re
import threading
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent.config import Settings
from agent.tools.registry import ToolContext, get_tools
from agent.tools.result import ToolResult

(CALCULATOR,) = [t for t in get_tools("python") if t.name == "calculator"]
CONTEXT = ToolContext(Settings(), Path(), stop=threading.Event())


def calculate(expression: str) -> ToolResult:
    return CALCULATOR.run(CALCULATOR.args(expression=expression), CONTEXT)


def first_line(expression: str) -> str:
    result = calculate(expression)
    assert result.ok, result.for_model()
    return result.text.splitlines()[0]


def remark(expression: str) -> str:
    return "\n".join(calculate(expression).text.splitlines()[1:])


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2^10", "1024"),
        ("2**10", "1024"),
        ("2^-1", "0.5"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^3^2", "512"),
        ("1000*(1.05)^10", "1628.894626777442"),
        ("10%", "0.1"),
        ("100 * 10%", "10"),
        ("10 % 3", "1"),
        ("17.5% of 240", "42"),
        ("17.5 percent of 240", "42"),
        ("5 % of 20", "1"),
        ("100 - 20%", "80"),
        ("50 + 10% + 5%", "57.75"),
        ("10% + 20%", "0.3"),
        ("100/10%", "1000"),
        ("(10+5)%", "0.15"),
        ("1,000 + 250", "1250"),
        ("1,234,567.5 * 2", "2469135"),
        ("$1,234.50 + $65.50", "1300"),
        ("3 × 4 ÷ 6", "2"),
        ("5! = 120", "120"),
        ("17*23 = 1,000", "391"),
        ("3 x 4", "12"),
        ("10x10", "100"),
        (r"3 \times 4", "12"),
        ("5 − 7", "-2"),
        ("√144", "12"),
        ("√√16", "2"),
        ("√(9+16)", "5"),
        ("5²+12²", "169"),
        ("5²³", "11920928955078125"),
        ("5⁻²", "0.04"),
        ("2(3+4)", "14"),
        ("(1+2)(3+4)", "21"),
        ("5!", "120"),
        ("2^3!", "64"),
        ("-5!", "-120"),
        ("100!/98!", "9900"),
        ("factorial of 5", "120"),
        ("log10(1000)", "3"),
        ("0.1+0.2", "0.3"),
        ("0.1^2", "0.01"),
        ("sqrt(2)^2", "2"),
        ("12 + 8 =", "20"),
        ("12 + 8 = ?", "20"),
        ("=SUM(1, 2)", "3"),
        ("LCM(2, 5)", "10"),
        ("gcd(12, 18)", "6"),
        ("15 mod 4", "3"),
        ("mod(15, 4)", "3"),
        ("-7 % 3", "2"),
        ("7 // 2", "3"),
        ("factorial(20)", "2432902008176640000"),
        ("max(3,7,5)-min(3,7,5)", "4"),
        ("max(100,200)", "200"),
        ("sum([1, 2, 3])", "6"),
        ("mean(1, 2, 4.5)", "2.5"),
        ("median(4, 1, 3, 2)", "2.5"),
        ("round(2.5)", "3"),
        ("round(-0.125, 2)", "-0.13"),
        ("round(1234, -2)", "1200"),
        ("floor(-2.5)", "-3"),
        ("comb(52, 5)", "2598960"),
        ("perm(5, 2)", "20"),
        ("math.sqrt(16)", "4"),
        ("square root of 16", "4"),
        ("3 squared plus 4 squared", "25"),
        ("2 to the power of 5", "32"),
        ("2 raised to the power of 5", "32"),
        ("3 x √4", "6"),
        ("10 divided by 4", "2.5"),
        ("6.02×10^23 * 2", "1204000000000000000000000"),
        ("1.5e3", "1500"),
        (".5 + 007", "7.5"),
        ("2/3*3", "2"),
        ("1/3", "0.333333333333"),
        ("10^-30", "1e-30"),
        ("0.1^400", "1e-400"),
        ("sin(30°)", "0.5"),
        ("sin(pi)", "0"),
        ("hypot(3, 4)", "5"),
        ("log(8, 2)", "3"),
        ("What is 17*23?", "391"),
        ("calculate 3 + 4 please", "7"),
        ("what is the value of 3+4?", "7"),
        ("What's 3*4", "12"),
        ("Result: -5 + 3", "-2"),
        ("`3+4`", "7"),
        ("print(2+3)", "5"),
        ("+".join(["1"] * 2000), "2000"),
    ],
)
def test_value_alone_on_the_first_line(expression: str, value: str) -> None:
    assert first_line(expression) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2π", 6.283185307),
        ("60.8^0.023", 1.099081208),
        ("pow(27, 0.23)", 2.134094594),
        ("sqrt(2)/2", 0.7071067812),
        ("log(100)", 4.605170186),
        ("ln 100", 4.605170186),
        ("42.195/1.609344", 26.21875746),
        ("e^2", 7.389056099),
        ("1.000001^1000000", 2.718280469),
        ("1/7^50", 5.560297122e-43),
    ],
)
def test_irrational_and_long_values_have_twelve_digits(expression: str, value: float) -> None:
    text = first_line(expression)
    assert float(text) == pytest.approx(value, rel=1e-9)
    assert len(text.split("e")[0].replace(".", "").lstrip("0")) <= 12


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("What is 17*23?", "understood as 17*23"),
        ("2(3+4)", "understood as 2*(3+4)"),
        ("6/2(1+2)", "understood as 6/2*(1+2)"),
        ("2π", "understood as 2*pi"),
        ("10 % 3", "understood as 10 mod 3"),
        ("√√16", "understood as sqrt(sqrt(16))"),
        ("100 - 20%", "20% is taken of 100"),
        ("log(100)", "natural logarithm (base e); log10 has base 10"),
        ("sin(2)", "the angle is in radians; write 90° for degrees"),
        ("1/3", "exactly 1/3"),
        ("factorial(1000)", "rounded: the whole number has 2568 digits"),
        ("17*23", ""),
        ("3 × 4 ÷ 6", ""),
        ("1,000 + 250 =", ""),
        ("LCM(2, 5)", ""),
        ("17.5% of 240", ""),
        ("15 mod 4", ""),
        ("sin(30°)", ""),
        ("cos(pi/3)", ""),
        ("log(8, 2)", ""),
    ],
)
def test_says_what_it_understood_only_where_that_is_in_doubt(expression: str, said: str) -> None:
    assert remark(expression) == said


@pytest.mark.parametrize(
    "expression",
    [
        *("9**9**9", "10^10^10", "factorial(10**9)", "5!!!", "1e999999999", "1e400*1e400*1e4000"),
        *("comb(10**9, 5*10**8)", "perm(10**9, 10**8)", "exp(1000)", "1e300*pi*1e300", "pi*1e400"),
        *("round(1.5, 10**9)", "2^(2^(2^100))", "(1/3)^(10^9)*0", "-2^99999"),
        pytest.param("(" * 10_000 + "1" + ")" * 10_000, id="10,000 brackets"),
        pytest.param("(" * 1_000 + "1" + ")" * 1_000, id="1,000 brackets"),
        pytest.param("1" * 1_000_000, id="1 MB"),
        pytest.param("1" * 3_000, id="3,000 digits"),
        pytest.param("9" * 4_400, id="more digits than int() takes"),
        pytest.param("-" * 3_999 + "1", id="unary chain"),
        pytest.param("√" * 800 + "1", id="root chain"),
        pytest.param("2**" * 1_300 + "2", id="power chain"),
        pytest.param(f"lcm({','.join(f'1e999+{i}' for i in range(300))})", id="growing lcm"),
    ],
)
def test_refuses_at_once_what_is_too_large(expression: str) -> None:
    error = calculate(expression).error
    assert error is not None
    assert error.kind == "too_large"
    assert len(error.message) < 200


@pytest.mark.parametrize(
    "expression",
    [
        *("", "   ", "?", "of", "+", "()", "(5", "5)", "))((", "2 3", "1 000", "3 +", "* 3", "% 5"),
        *(
            "1,2",
            "1,00",
            "1,0000",
            "3,5",
            "max(1,000, 2)",
            "max(1,000.5)",
            "sqrt(1,024)",
            "abs()",
            "atan2(1)",
        ),
        *("y + 2", "x = 3", "2+3=x", "5 apples", "5 km * 3", "foo(3)", "one plus two", "e5"),
        *(
            "1/0",
            "0^-1",
            "0^-0.5",
            "5 mod 0",
            "tan(90°)",
            "sqrt(-1)",
            "(-8)^(1/3)",
            "log(0)",
            "acos(2)",
        ),
        *(
            "1.5!",
            "(-1)!",
            "gcd(1.5, 2)",
            "comb(5, -1)",
            "0x10",
            "1<<10**9",
            "5 & 3",
            "~5",
            "1 if 1",
        ),
        *("__import__('os').system('ls')", "(1).__class__", "'a'*9", '"a"', "lambda: 1", "5⁻", "½"),
        *(
            "1_000",
            "５+1",
            "ſqrt(4)",
            "١+1",
            "[x for x in (1,)]",
            "1;2",
            "y:=1",
            "{1}+{2:3}",
            "5 \x00",
        ),
    ],
)
def test_refuses_what_is_not_arithmetic(expression: str) -> None:
    error = calculate(expression).error
    assert error is not None
    assert error.kind == "invalid_args"
    assert error.message.endswith(".")


def test_the_description_offers_it_to_those_who_compute() -> None:
    result = CALCULATOR.invoke({"expression": "17 * 23"}, CONTEXT)
    assert (result.ok, result.text, result.untrusted) == (True, "391", False)


def test_power_binds_tighter_than_product_unlike_exclusive_or() -> None:
    assert first_line("3*2^2") == "12"
    assert float(first_line("1000*(1.05)^10")) == 1000 * 1.05**10


numbers = st.one_of(
    st.integers(0, 10**6).map(str),
    st.decimals(0, 1000, places=3, allow_nan=False, allow_infinity=False).map(str),
)


def combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.integers(0, 999), st.integers(0, 9)).map(lambda t: f"{t[0]}^{t[1]}"),
        inner.map(lambda text: f"(-{text})"),
    )


def reference(expression: str) -> Fraction:
    """The same expression, worked out by Python over exact fractions."""
    quoted = "".join(
        f"Fraction('{part}')" if part[0].isdigit() else part.replace("^", "**")
        for part in _parts(expression)
    )
    value = eval(quoted, {"Fraction": Fraction})
    return Fraction(value)


def _parts(expression: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?|[^\d]+", expression)


@given(st.recursive(numbers, combine, max_leaves=8))
@settings(deadline=1000, max_examples=400)
def test_agrees_with_exact_fractions(expression: str) -> None:
    try:
        expected = reference(expression)
    except ZeroDivisionError:
        assert not calculate(expression).ok
        return
    error = abs(Fraction(first_line(expression)) - expected)
    assert error <= abs(expected) / 10**11


@given(st.integers(-(10**30), 10**30), st.sampled_from("+-*"), st.integers(-(10**30), 10**30))
@settings(deadline=1000)
def test_whole_numbers_stay_exact(left: int, sign: str, right: int) -> None:
    expected = {"+": left + right, "-": left - right, "*": left * right}[sign]
    assert first_line(f"({left}) {sign} ({right})") == str(expected)


fragments = st.sampled_from(
    [
        *("0", "1", "9", "10", "1e9", "1e-9", ".5", "1,000", "+", "-", "*", "/", "//", "**", "^"),
        *("%", "!", "°", "(", ")", ",", "sqrt", "√", "log", "sin", "factorial", "lcm", "comb"),
        *("mod", "of", "pi", "e", "x", "×", "÷", "−", "²", "⁻¹", "=", "?", "What", "is", "please"),
        *("$", "'", ".", "<<", "round", "exp", "tan", "percent"),
    ]
)


@given(st.lists(fragments, max_size=60).map(" ".join) | st.text(max_size=200))
@example("9**9**9**9")
@example("exp(exp(exp(9)))")
@example("factorial 1,000")
@settings(deadline=1000, max_examples=600)
def test_any_text_ends_in_a_number_or_one_error(expression: str) -> None:
    result = calculate(expression)
    if result.ok:
        assert Decimal(result.text.splitlines()[0]).is_finite()
    else:
        assert result.error is not None
        assert result.error.kind in ("invalid_args", "too_large")
