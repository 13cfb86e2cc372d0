"""Colours and line styles of every picture: Matplotlib drawings and plots, the player of pages, and glTF.

This is the only file of ``view`` with colours. Drawers take them by role from the active theme, `current`. The argument `theme=` of
`draw`, `animate` and `report` activates a theme for one picture, ``with tm.themes.use("dark"):`` for all pictures of a block.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytrammel._util.colors import checked_color, hex_color, mixed, rgb
from pytrammel._util.messages import short
from pytrammel.errors import ModelError

CYCLES = ("body", "path", "curve")
"""Roles with several colours, which bodies, paths and curves take in turn."""
SYMBOLS = ("joint", "spring", "damper", "contact")
"""Roles of symbols that have no colour unless the user sets one: lines are then in ink, surfaces in steel."""
ARROWS = {
    "load": "force", "force": "force", "moment": "moment", "reaction": "reaction", "reaction-moment": "reaction",
    "velocity": "velocity", "acceleration": "acceleration",
}  # fmt: skip
"""Role of each kind of arrow."""
DASHES = ("-", "--", "-.", ":")
PART_WIDTHS = {
    "face": 1.4, "edge": 1.6, "fine": 0.8, "paper": 1.3, "line": 1.4, "hatch": 0.7, "ink": 0.0, "steel": 1.0, "accent": 1.9,
    "bar": 1.4, "groove": 1.4,
}  # fmt: skip
"""Line widths of drawings by the style of a part [pt]."""
CURVE_WIDTH = 1.6  # width of curves in plots [pt]
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C2E")
"""Okabe and Ito's colour-blind-safe set, with an olive for yellow, which is lost on white."""
_SPEEDS = ("#3b1f8c", "#2c6fbb", "#1f9e89", "#8fc93a", "#f6c945", "#f2662e")
_NAMES = ("name", "line_width", "dashed", "heat_map", "level_map", "signed_map", "night")


@dataclass(frozen=True)
class Theme:
    """Colours and line styles by role; `replace` makes a variant.

    Example:
        >>> import pytrammel as tm
        >>> tm.themes.light.replace(spring="#c33").spring
        '#cc3333'

    Attributes:
        name: Name in messages and in the player's list of themes.
        body, path, curve: Colours of bodies, of paths of points, and of curves in plots, taken in turn.
        ground: Lines of the ground.
        stone: Surfaces of the ground in space.
        joint, spring, damper, contact: Colours of symbols; None for `ink` in the plane and `steel` in space. Bellows and torsion springs
            are springs, stops and friction are contacts.
        force, moment, reaction, velocity, acceleration: Arrows.
        accent: Drives, and controls of pages.
        paper, page, sky, wall: Backgrounds of a picture, a page, the top of a spatial page, and the walls of a spatial drawing.
        text: Titles and axis labels of Matplotlib figures.
        ink, soft: Lines and names; less important lines and names.
        steel, iron: Light and dark surfaces of symbols.
        grid, frame: Grid and frame of drawings.
        space_grid: Grid of spatial drawings.
        plot_grid, plot_frame: Grid and frame of plots.
        page_grid, page_axis, rule: Grid lines of a page, those through the origin, and edges of its controls.
        fixed: Area of the ground in the graph of joints.
        alert, warn, good, live: Singular places, limits, good ranges, and the mark of a live view.
        x_axis, y_axis, z_axis: Axes of body frames.
        speeds: Scale from slow to fast.
        heat_map, level_map, signed_map: Matplotlib's names of colour maps: objectives, levels, and values of both signs.
        line_width: Factor of all line widths.
        dashed: Whether each curve of a plot also has a separate dash pattern, for printing without colours.
    """

    name: str
    body: tuple[str, ...] = OKABE_ITO
    path: tuple[str, ...] = OKABE_ITO[3:] + OKABE_ITO[:3]
    curve: tuple[str, ...] = OKABE_ITO
    ground: str = "#66737f"
    stone: str = "#b4bec7"
    joint: str | None = None
    spring: str | None = None
    damper: str | None = None
    contact: str | None = None
    force: str = "#c8372d"
    moment: str = "#8a4fc4"
    reaction: str = "#b3488f"
    velocity: str = "#0f8a5f"
    acceleration: str = "#c47a00"
    accent: str = "#0b65a3"
    paper: str = "#ffffff"
    page: str = "#f3f5f7"
    sky: str = "#e9eff5"
    wall: str = "#f7fafc"
    text: str = "#000000"
    ink: str = "#22303c"
    soft: str = "#5f6f7d"
    steel: str = "#b9c3cc"
    iron: str = "#4a5661"
    grid: str = "#e3e9ee"
    frame: str = "#b8c2cb"
    space_grid: str = "#dde4ea"
    plot_grid: str = "#dfe5ea"
    plot_frame: str = "#9aa7b2"
    page_grid: str = "#e6ebf0"
    page_axis: str = "#c9d3dc"
    rule: str = "#d5dde4"
    fixed: str = "#e8edf1"
    alert: str = "#d1495b"
    warn: str = "#edae49"
    good: str = "#009E73"
    live: str = "#2ba84a"
    x_axis: str = "#d8404d"
    y_axis: str = "#2f9e44"
    z_axis: str = "#3676dd"
    speeds: tuple[str, ...] = _SPEEDS
    heat_map: str = "viridis"
    level_map: str = "YlGnBu"
    signed_map: str = "coolwarm"
    line_width: float = 1.0
    dashed: bool = False
    night: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        for each in dataclasses.fields(self):
            if each.name not in _NAMES:
                object.__setattr__(self, each.name, self._checked(each.name, getattr(self, each.name)))
        for key in ("name", "heat_map", "level_map", "signed_map"):
            if not isinstance(getattr(self, key), str) or not getattr(self, key):
                raise ModelError(f"theme: {key} is {short(getattr(self, key))}, but it must be a name. Use a text.")
        width: Any = self.line_width
        if isinstance(width, bool) or not isinstance(width, int | float) or not 0.0 < width <= 10.0:
            raise ModelError(
                f"theme {self.name!r}: line_width is {short(width)}, but it must be a factor above 0, at most 10. Use 1.0."
            )
        if not isinstance(self.dashed, bool):
            raise ModelError(f"theme {self.name!r}: dashed is {short(self.dashed)}. Use True or False.")
        object.__setattr__(self, "night", sum(rgb(self.paper)) < 1.5)

    def _checked(self, role: str, value: Any) -> Any:
        """The colours of a role as ``#rrggbb``."""
        label = f"{role} of theme {self.name!r}"
        if role in (*CYCLES, "speeds"):
            listed = (value,) if isinstance(value, str) else value
            least = 2 if role == "speeds" else 1
            if not isinstance(listed, Sequence) or len(listed) < least:
                raise ModelError(f"{label} is {short(value)}, but it must be a list of colors, at least {least}.")
            return tuple(hex_color(checked_color(each, f"color {k} of {label}")) for k, each in enumerate(listed, 1))
        if value is None and role in SYMBOLS:
            return None
        return hex_color(checked_color(value, label))

    def replace(self, **roles: Any) -> Theme:
        """Return a variant with other colours or line styles.

        Args:
            roles: New values by role, such as ``spring="#c33"``; ``body=`` takes one colour or a list. Colours are "#rgb", "#rrggbb" or
                names such as "tab:orange".
        """
        known = [each.name for each in dataclasses.fields(self) if each.init]
        for role in roles:
            if role not in known:
                near = difflib.get_close_matches(role, known, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"Use one of: {', '.join(known)}."
                raise ModelError(f"theme {self.name!r}: unknown role {role!r}; {hint}")
        return dataclasses.replace(self, **({"name": f"{self.name}, changed"} | roles))

    def __repr__(self) -> str:
        same = next((other for other in THEMES.values() if other == self), None)
        if same is not None:
            return f"<Theme {self.name!r}>"
        base = themes.dark if self.night else themes.light
        changed = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in dataclasses.fields(self)
            if each.init and each.name != "name" and getattr(self, each.name) != getattr(base, each.name)
        ]
        return short_list(f"<Theme {self.name!r}: ", changed)

    # --- what drawers ask for ---

    def colour(self, key: str | int, cycle: str = "body") -> str:
        """Colour ``#rrggbb`` of a place in a cycle, of a role, or of a colour that was given by the user."""
        if isinstance(key, int):
            colours: tuple[str, ...] = getattr(self, cycle)
            return colours[key % len(colours)]
        return hex_color(key) if key.startswith("#") or not hasattr(self, key) else str(getattr(self, key))

    def symbol(self, role: str) -> str | None:
        """Colour of a symbol's role where the theme sets one."""
        return getattr(self, role) if role else None

    def metal(self, role: str, *, dark: bool = False) -> str:
        """Colour of the surfaces of a symbol in space, light or dark."""
        own = self.symbol(role)
        if own is None:
            return self.iron if dark else self.steel
        return mixed(own, "#000000", 0.3) if dark else own

    def arrow(self, kind: str) -> str:
        """Colour of a kind of arrow."""
        return str(getattr(self, ARROWS[kind]))

    def shade(self, brightness: float) -> str:
        """Grey by its brightness on white paper, from 0 to 1; on dark paper from the paper's darkness to white."""
        return mixed("#000000", "#ffffff", brightness) if not self.night else mixed("#ffffff", self.paper, brightness)

    def line(self, colour: str) -> str:
        """Colour of a body's edges: lifted on dark paper."""
        return mixed(colour, "#ffffff", 0.22) if self.night else colour

    def tint(self, colour: str) -> tuple[float, float, float]:
        """Light fill of a body of a colour; components from 0 to 1."""
        share = 0.38 if self.night else 0.24
        r, g, b = (p + share * (c - p) for p, c in zip(rgb(self.paper), rgb(colour), strict=True))
        return r, g, b

    def data(self) -> dict[str, Any]:
        """All roles as plain data, for the player."""
        return dataclasses.asdict(self)


def short_list(head: str, items: Sequence[str]) -> str:
    """A repr with at most six items."""
    shown = ", ".join(items[:6])
    return f"{head}{shown}{f' and {len(items) - 6} more' if len(items) > 6 else ''}>"


_GREYS = ("#3a3a3a", "#8a8a8a", "#606060", "#b0b0b0")
THEMES = {
    "light": Theme("light"),
    "dark": Theme(
        "dark", ground="#8d9aa6", stone="#6f7c88", accent="#6fb7ec", paper="#141a21", page="#0d1116", sky="#1c252f", wall="#1a222b",
        text="#dde6ee", ink="#dde6ee", soft="#97a6b3", steel="#7c8994", iron="#56636f", grid="#202933", frame="#364350",
        space_grid="#2b3541", plot_grid="#26303a", plot_frame="#5b6976", page_grid="#202933", page_axis="#364350", rule="#2b3541",
        fixed="#2b3541",
        curve=("#4aa8e0", "#ff8a3d", "#2fc79a", "#e09bc3", "#f2b632", "#7cc8f2", "#b9b94a"),
    ),
    "print": Theme(
        "print", body=_GREYS, path=("#000000", "#707070", "#4a4a4a", "#9a9a9a"), curve=("#000000", "#707070", "#4a4a4a", "#9a9a9a"),
        ground="#000000", stone="#cccccc", force="#000000", moment="#000000", reaction="#555555", velocity="#444444",
        acceleration="#777777", accent="#000000", page="#ffffff", sky="#ffffff", wall="#ffffff", ink="#000000", soft="#333333",
        steel="#d0d0d0", iron="#404040", grid="#e6e6e6", frame="#808080", space_grid="#d8d8d8", plot_grid="#e0e0e0",
        plot_frame="#606060", page_grid="#e6e6e6", page_axis="#b0b0b0", rule="#c0c0c0", fixed="#ececec", alert="#000000",
        warn="#8a8a8a", good="#d0d0d0", live="#000000", x_axis="#000000", y_axis="#606060", z_axis="#a0a0a0",
        speeds=("#d8d8d8", "#000000"), heat_map="gray", level_map="Greys", signed_map="gray", line_width=1.15, dashed=True,
    ),
}  # fmt: skip
"""All themes by name."""
_active: contextvars.ContextVar[Theme | None] = contextvars.ContextVar("theme", default=None)


class Themes(Mapping[str, Theme]):
    """The themes of pictures, by name: ``tm.themes.dark``, ``tm.themes["dark"]``.

    Example:
        >>> import pytrammel as tm
        >>> list(tm.themes)
        ['light', 'dark', 'print']
    """

    @property
    def light(self) -> Theme:
        """Colours on white, the default of pictures in files."""
        return THEMES["light"]

    @property
    def dark(self) -> Theme:
        """Colours on a dark background."""
        return THEMES["dark"]

    @property
    def print(self) -> Theme:
        """Black and greys on white; curves differ by their dashes."""
        return THEMES["print"]

    def use(self, theme: Theme | str) -> contextlib.AbstractContextManager[None]:
        """Use a theme for all drawings, plots, diagrams and pages of a ``with`` block."""
        return using(checked_theme(theme))

    def __getitem__(self, name: str) -> Theme:
        return checked_theme(name)

    def __contains__(self, name: object) -> bool:
        return name in THEMES

    def __iter__(self) -> Iterator[str]:
        return iter(THEMES)

    def __len__(self) -> int:
        return len(THEMES)

    def __repr__(self) -> str:
        return f"<Themes {', '.join(THEMES)}>"


themes = Themes()


def checked_theme(theme: object) -> Theme:
    """Return the theme of a name, or the theme itself.

    Raises:
        ModelError: It is neither.
    """
    if isinstance(theme, Theme):
        return theme
    if isinstance(theme, str) and theme in THEMES:
        return THEMES[theme]
    near = difflib.get_close_matches(theme, THEMES, 1) if isinstance(theme, str) else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    known = ", ".join(map(repr, THEMES))
    raise ModelError(
        f"theme is {short(theme)}, which is not a theme.{hint} Use one of {known}, or a variant such as "
        "tm.themes.light.replace(spring='#c33')."
    )


@contextlib.contextmanager
def using(theme: object) -> Iterator[None]:
    """Activate a theme by name or value; None keeps the active one."""
    token = _active.set(_active.get() if theme is None else checked_theme(theme))
    try:
        yield
    finally:
        _active.reset(token)


def chosen() -> Theme | None:
    """Active theme; None where none was chosen, so that pages follow the reader's system."""
    return _active.get()


def current() -> Theme:
    """Active theme; light unless one was chosen."""
    return _active.get() or THEMES["light"]


def curve_colour(place: int) -> str:
    """Colour of a curve in plots, by its place."""
    return current().colour(place, "curve")


def page_themes() -> dict[str, Any]:
    """Themes that the reader of a page can choose, as plain data, and the name of the active theme.

    The name is "" where no theme was chosen: the page then follows the setting of its reader's system.
    """
    theme, offered = chosen(), [THEMES["light"], THEMES["dark"]]
    if theme is not None and theme not in offered:
        if theme.name in ("light", "dark"):
            theme = theme.replace(name=f"{theme.name}, changed")
        offered.append(theme)
    return {"themes": [each.data() for each in offered], "theme": "" if theme is None else theme.name}


def page_style() -> str:
    """CSS variables of the active theme, which the page's script replaces when its reader chooses another theme."""
    shown = {k: v for k, v in current().data().items() if isinstance(v, str) and v.startswith("#")}
    return ":root { " + " ".join(f"--{key}: {value};" for key, value in shown.items()) + " }\n"
