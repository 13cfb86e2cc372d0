"""What the functions of formulas mean, in words: for the reference page and for help in Python."""

from __future__ import annotations

# per function how it is called in a text, and what it is
WORDS: dict[str, tuple[str, str]] = {
    "sin": ("sin(x)", "Sine; x in radians."),
    "cos": ("cos(x)", "Cosine; x in radians."),
    "tan": ("tan(x)", "Tangent; x in radians."),
    "asin": ("asin(x)", "Angle between -pi/2 and pi/2 whose sine is x; not a number outside of -1 to 1."),
    "acos": ("acos(x)", "Angle between 0 and pi whose cosine is x; not a number outside of -1 to 1."),
    "atan": ("atan(x)", "Angle between -pi/2 and pi/2 whose tangent is x."),
    "atan2": ("atan2(y, x)", "Angle of the point (x, y) between -pi and pi; for angles that count turns, measure an angle instead."),
    "sinh": ("sinh(x)", "Hyperbolic sine."),
    "cosh": ("cosh(x)", "Hyperbolic cosine."),
    "tanh": ("tanh(x)", "Hyperbolic tangent: a smooth sign; tanh(v/0.01) is a smooth direction of sliding."),
    "sqrt": ("sqrt(x)", "Square root; not a number below 0, and of infinite slope at 0."),
    "exp": ("exp(x)", "e to the power of x."),
    "log": ("log(x)", "Natural logarithm; not a number below 0."),
    "abs": ("abs(x)", "Size of x; a corner at 0."),
    "sign": ("sign(x)", "1, 0 or -1; jumps at 0."),
    "min": ("min(a, b)", "The smaller of two; a corner where they are equal."),
    "max": ("max(a, b)", "The larger of two; a corner where they are equal."),
    "mod": ("mod(x, period)", "x less whole periods, between 0 and the period; jumps at whole periods."),
    "step": ("step(x), step(x, x0, h0, x1, h1)", "With one argument 1 from x = 0 on, else 0. With five, as in Adams, h0 up to x0, "
             "h1 from x1 on, a cubic between."),
    "floor": ("floor(x)", "The largest whole number that is not above x; jumps at whole numbers."),
    "if": ("if(condition, a, b)", "a where the condition is not zero, else b; `where` in Python. Only the active branch is evaluated."),
    "uniform": ("uniform(u)", "Rise law: straight from 0 at u = 0 to 1 at u = 1; infinite acceleration at the ends."),
    "harmonic": ("harmonic(u)", "Rise law: half a cosine; the acceleration jumps at the ends."),
    "poly23": ("poly23(u)", "Rise law: cubic; the acceleration jumps at the ends."),
    "cycloidal": ("cycloidal(u)", "Rise law: a straight rise less a full sine; the acceleration is continuous."),
    "poly345": ("poly345(u)", "Rise law: polynomial of degree 5; the acceleration is continuous."),
    "poly4567": ("poly4567(u)", "Rise law: polynomial of degree 7; acceleration and jerk are continuous."),
    "modified_sine": ("modified_sine(u)", "Rise law: slow and fast sines joined, a low peak of torque; the acceleration is continuous."),
    "modified_trapezoid": ("modified_trapezoid(u)", "Rise law: a trapezoid with rounded corners, a low peak of acceleration."),
}  # fmt: skip
