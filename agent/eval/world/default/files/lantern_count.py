"""How many lanterns are on the water after each minute of the evening."""

GATES = [5, 8, 3, 9, 4]


def step(afloat: int, minute: int) -> int:
    """One minute: new lanterns come through a gate, and some burn out."""
    afloat += GATES[minute % len(GATES)]
    if minute % 3 == 2:
        afloat -= afloat // 4
    if afloat > 60:
        afloat -= 17
    return afloat


def main() -> None:
    afloat = 0
    for minute in range(45):
        afloat = step(afloat, minute)
    print(afloat)


main()
