#!/usr/bin/env python3
"""Find house words and riddles in prose: documentation, docstrings, comments, messages, names and commit subjects.

    voice_lint.py PATH ...                     # files or folders (*.md, *.rst, *.py)
    voice_lint.py --counts PATH ...            # only the table of counts
    voice_lint.py --commits main..HEAD PATH    # subjects of commits as well (in the current repository)
    voice_lint.py --rule V03 --rule V07 PATH   # selected rules;  --scope message  selected kinds of text
    voice_lint.py --max 120 PATH               # exit status 1 if there are more than 120 findings
    voice_lint.py                              # the folders and the maximum of [tool.voice] in pyproject.toml (make lint)
    voice_lint.py --lower                      # write the count into pyproject.toml if it has fallen
    voice_lint.py --list                       # the rules

Each finding reads `file:line: RULE scope "match" -> suggestion`. Code spans, formulas and fields of f-strings are not read. A line that
ends with `voice: ok` (a comment, or `<!-- voice: ok -->`) is passed over, as are folders of generated pages (`docs/made`, `_build`).
No dependencies; Python 3.11 or newer.
The maximum is in pyproject.toml only, and only falls: after texts have improved, lower it in the same commit.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SETTINGS = Path(__file__).parents[1] / "pyproject.toml"
PROSE = "doc docstring comment message"
ALL = PROSE + " heading commit"


class Rule(NamedTuple):
    code: str
    title: str
    scopes: str
    pattern: str
    suggestion: str
    flags: int = re.IGNORECASE


VERBS = "|".join(
    """
    Accept Add Adjust Align Allow Annotate Apply Assemble Avoid Batch Benchmark Build Bump Cache Cap Change
    Check Clarify Clean Close Compare Compile Compute Consolidate Convert Copy Correct Count Cover Create Cut Declare
    Define Delete Deprecate Derive Describe Detect Differentiate Disable Document Don't Do Draw Drop Enable Enforce Ensure
    Evaluate Exclude Expand Explain Export Expose Extend Extract Factor Fall Find Fix Format Generate Guard Group
    Handle Hide Honour Identify Ignore Implement Import Improve Include Increase Infer Initialise Inline Install Integrate Interpolate
    Introduce Invert Keep Label Limit Linearise Link List Load Locate Lower Make Map Mark Mask Match
    Measure Mention Merge Migrate Minimise Mirror Modify Move Name Normalise Omit Open Optimise Pack Parallelise Parse
    Pass Pin Plot Port Prefer Prepare Preserve Prevent Print Process Project Propagate Provide Publish Put Raise
    Read Rebuild Reclassify Record Reduce Refactor Refine Regenerate Register Reject Release Relax Remove Rename Render Reorder
    Reorganise Repair Replace Report Require Reset Resolve Restore Restrict Return Reuse Revise Rewrite Round Run Sample
    Save Scale Search Select Separate Set Share Shorten Show Silence Simplify Skip Solve Sort Specialise Speed
    Split Start Stop Store Stream Support Suppress Swap Switch Synthesise Tag Test Tidy Tighten Trace Track
    Translate Treat Trim Truncate Try Tune Turn Type Unify Unpin Update Upgrade Use Validate Vectorise Verify
    Warn Weight Widen Wrap Write
    """.split()
)

# fmt: off
RULES = [
    # --- sentences without a subject of the field ---
    Rule("V01", "what-clause as subject", "docstring comment heading", r"(?:\A|(?<=:\x20)|(?<=;\x20))What\b(?! if\b)(?![^.]*\?)", "name the noun: 'Remaining margin', 'Conversion report', 'Limitations'"),
    Rule("V02", "comment without a subject", "comment", r"\A(?:of|by|per|in|at|up to|below|beyond|from|before|after|for) (?!example|now|details|more|each\b|backward|compat|testing|python|mypy|numba|windows)[a-z]", "start with the noun and its reference: 'Tolerance relative to the model size'"),
    Rule("V03", "fraction without its name", "comment", r"\A(?:(?:root of the|half the|largest|smallest) )?shares? of\b", "'fraction of …', after the name of the quantity: 'Bounce threshold: fraction of the fastest impact'"),
    Rule("V04", "'the same' as summary", "summary", r"\AThe same\b", "name the function and the difference: 'Batched version of `f`'"),
    Rule("V05", "whether / how / where as summary", "summary", r"\A(?:Whether|How|Where|When|Why)\b(?![^.]*\?)", "'Return True if …'; the noun: 'Number of …', 'Position of …', 'Reason for …'"),
    Rule("V06", "pronoun for a noun left out", PROSE, r"\b(?:those|that) of\b(?! course)", "repeat the noun"),
    # --- personified code ---
    Rule("V10", "code that says", ALL, r"\b(?:says?(?! whether you)|saying|said)\b", "states, reports, specifies; in messages: give, specify"),
    Rule("V11", "'is told'", ALL, r"\b(?:is|are|was|were|be|been|being) told\b|\btells?\b(?! (?:us|you|git|pip|the (?:compiler|user|reader))\b)|\btold (?:by|from|apart|in)\b", "is reported, is detected, is distinguished from; indicates"),
    Rule("V12", "code with a mind", PROSE + " commit", r"\b(?:knows|remembers?|notices|sees|hears?|heard|feels?|felt|doubts?|minds|forgets?|wants|bears?|promises?|helps out|stands in|comes? from nowhere)\b", "detects, stores, reads, handles, depends on, is reliable"),
    Rule("V13", "code that asks or answers", ALL, r"\b(?:asks?|answers?|answered|answering)\b", "calls, requests; returns, raises, response"),
    Rule("V14", "'sentence'", ALL, r"\bsentences?\b", "message (error message, warning)"),
    Rule("V15", "'refused'", ALL, r"\brefus(?:e|es|ed|al|als|ing)\b", "raises `ModelError`; is rejected; is not supported"),
    Rule("V16", "nobody, whatever, whoever", ALL, r"\b(?:nobody|somebody|anybody|whoever|whatever|everybody)\b", "name the user, the argument or the value; 'regardless of'"),
    Rule("V17", "'nothing' as subject or complement", ALL, r"\bnothing\b", "positive form: 'every event is located', 'no results', 'empty'"),
    # --- negation and leftovers ---
    Rule("V20", "'is no X'", ALL, r"(?<!\bthere\x20)\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|greater\b|larger\b|smaller\b|fewer\b|better\b|need\b|such\b|way\b)[a-z]+", "'is not a X'; for numbers 'is not finite'"),
    Rule("V21", "'is left'", PROSE + " commit", r"\b(?:is|are|was|were|what) left\b(?! (?:unchanged|untouched|as an?|to the (?:user|reader|caller)|of the|hand))", "remaining, residual, remainder; is omitted"),
    Rule("V22", "'leave … out'", "message doc docstring", r"\b(?:leave|leaves|leaving)\b[^.;]{0,50}\bout\b|\bleft out\b", "remove; omit; is omitted"),
    # --- words of the house ---
    Rule("V30", "'of its own', 'by itself'", ALL, r"\bof (?:its|their|one's|our|his) own\b|\bby (?:itself|themselves)\b", "separate; automatically; alone"),
    Rule("V31", "'by turns', 'anew', 'at once'", ALL, r"\bby turns\b|\banew\b|\bat once\b|\bagain and again\b|\bonce more\b", "alternately; again; immediately; simultaneously"),
    Rule("V32", "'goes on', 'goes with', 'pays'", ALL, r"\b(?:go|goes|going|went) (?:on|with|back)\b(?! to\b)|\bpays?\b(?! (?:attention|off))|\btakes? over\b", "continues; is compatible with; saves time; propagates backwards"),
    Rule("V33", "'beside', 'behind' an event", ALL, r"\bbeside\b|\bbehind (?:(?:an?|the|each|every|all) )?(?:events?|breaks?|corners?|kinks?|contacts?|impacts?|jumps?|it|them|each other)\b", "next to, compared with, in addition to; after"),
    Rule("V34", "rest for equilibrium", ALL, r"\b(?:positions?|points?|places?) of rest\b|\b(?:a|an|every|each|such a|no|any|stable|neutral|unstable|all|several|other) rests?\b|\brests\b(?! (?:on|with)\b)", "equilibrium; 'at rest' only for zero velocity; 'remaining' for the rest of"),
    Rule("V35", "'drawn' for the design configuration", PROSE, r"\bas drawn\b|\bdrawn (?:pose|position|place|length|value|angle|one|state|distance)s?\b", "design (initial) configuration, initial value"),
    Rule("V36", "'instant'", ALL, r"\binstants?\b", "output time, time step, time"),
    Rule("V37", "impact and friction words", ALL, r"\bblows?\b(?! up)|\b(?:lets?|letting) go\b|\b(?:friction|what slides)[^.;]{0,40}\bcatch(?:es)?\b|\bslip off\b", "impact; slips (breaks away); sticks"),
    Rule("V38", "the books", PROSE, r"\bthe books\b|\bbooked\b", "energy balance; accounted as; for literature: the textbook by name"),
    Rule("V39", "in play, in force, at hand, made ready", ALL, r"\bin (?:play|force)\b|\bat hand\b|\b(?:made|make|makes|making) ready\b", "active; current; prepared, compiled"),
    Rule("V40", "'row' for constraint equation", PROSE, r"\b(?:redundant|dependent|independent|active|acting|held|velocity|constraint) rows?\b|\brows? (?:of constraints?|acts?|holds?|carry|carries|that (?:act|hold|only push))\b", "constraint equation ('row' only for matrices and tables)"),
    Rule("V41", "'counts as'", PROSE, r"\bcounts? as\b|\bthat counts?\b", "is treated as; is regarded as"),
    Rule("V42", "'as it is', 'as they are'", ALL, r"\bas (?:it|they) (?:is|are|was|were)\b(?! (?:not|the|a|an|now|used|called)\b)", "unchanged"),
    Rule("V43", "'looked at', 'looked after'", ALL, r"\blook(?:s|ed|ing)? (?:at|after|through)\b(?! the (?:docs|documentation|example))", "evaluated, checked, searched"),
    Rule("V44", "adjoint and sensitivity riddles", PROSE + " commit", r"\bpull(?:s|ed)? at\b|\bgone back over\b|\b(?:leap|leaps)\b", "adjoint propagates to; reverse pass; jump (saltation)"),
    Rule("V45", "freedoms, pieces, verbs, cards", ALL, r"\bfreedoms\b|\b(?:in|into|of) pieces\b|\beach piece\b|\bverbs?\b|\b(?:graphics |a )cards?\b", "degrees of freedom; segments; analyses; GPU"),
    Rule("V46", "wanted, asked for, wished", PROSE, r"\bwanted\b|\bwish(?:es|ed)?\b", "requested, required, desired"),
    Rule("V47", "corner of a formula", PROSE + " commit", r"\bcorners? of (?:a )?(?:formulas?|laws?|curves?)\b|\bbehind (?:a |the )?corners?\b", "kink, discontinuity"),
    Rule("V48", "numbers for values or parameters", PROSE, r"\bnumbers (?:of (?:its|their) own|in force|at hand)\b|\bin numbers\b", "values, parameters, numerically"),
    # --- rhythm ---
    Rule("V50", "two or more semicolons in a sentence", "doc docstring comment commit", "", "one idea per sentence, at most one semicolon"),
    Rule("V51", "sentence over 40 words", "doc docstring", "", "split: 25 words or fewer"),
    Rule("V52", "closing 'too'", ALL, r", too(?=[.,;:]|$)", "also, before the verb"),
    # --- headings, commits, names ---
    Rule("V60", "heading without a search term", "heading", r"^(?:Let\b.*|(?:Drive|Change|Read|Look at|Shake) it|Words|The books|Where [^?]*|When [^?]*|In which [^?]*|One idea|Can it move\?)$", "noun phrase with the term a reader searches for"),
    Rule("V70", "commit subject is not imperative", "commit", r"^(?!(?:Merge|Revert|(?:feat|fix|docs|perf|test|refactor|build|ci|chore|style)(?:\([^)]*\))?!?:|" + VERBS + r")\b)", "start with an imperative verb: 'Report non-finite forces in equilibrium'", 0),
    Rule("V71", "commit subject over 72 characters", "commit", r"^.{73,}$", "72 characters or fewer; the reason goes into the body"),
    Rule("V80", "name from a question, a participle or a filler", "name", r"(?:^|_)(?:said|told|asked|awaited|wanted|wishes|fewer|doubts|beginnings|anew|singly|looked|passed|trouble|meetings|nearby|followed|others|densely|straight|holds|pace|due|seats|anyway|somewhere|nobody|what|way|ask|alone)(?:_|$)", "noun for data, verb for functions, term of the field (glossary.md)"),
]

# fmt: on
SPEAKS = re.compile(r"(?:Error|Warning|warn|error|warn_of\w*|refused|unknown|NoRest|NotFast)$")
MASK = re.compile(
    r"`+[^`\n]*`+|\$[^$\n]*\$|\{[^{}\n]*\}|https?://\S+|'[^'\n]{1,40}'(?!\w)|\"[^\"\n]{1,40}\"|\]\([^)\n]*\)"
)


SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|$)|$(?![\s\S]))", re.DOTALL)
MEASURED = {  # rules that measure a sentence instead of matching a pattern
    "V50": lambda sentence: sentence.count(";") >= 2,
    "V51": lambda sentence: len(re.findall(r"[A-Za-z§][\w§'’-]*", sentence)) > 40,
}


class Unit(NamedTuple):
    path: str
    line: int
    scope: str
    text: str


def masked(text: str) -> str:
    """Code, formulas and links replaced by blanks of the same length; line breaks stay."""
    return MASK.sub(lambda m: "§" * len(m.group()), text)


def markdown(path: Path, text: str) -> Iterator[Unit]:
    block: list[str] = []
    start, fence = 0, ""

    def done() -> Iterator[Unit]:
        if block:
            yield Unit(str(path), start, "doc", "\n".join(block))
            block.clear()

    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if fence or bare.startswith(("```", "~~~", "$$")):
            opens = re.match(r"(`{3,}|~{3,}|\$\$)", bare)
            if not fence and opens:
                fence = "" if opens.group() == "$$" and bare.endswith("$$") and len(bare) > 2 else opens.group()
            elif fence and (bare.startswith(fence) or (fence == "$$" and bare.endswith("$$"))):
                fence = ""
            yield from done()
            continue
        if line.startswith(("    ", "\t")) and not block:
            continue
        if bare.startswith("#"):
            yield from done()
            yield Unit(str(path), number, "heading", bare.lstrip("# "))
        elif bare.startswith("|"):
            yield from done()
            for cell in bare.strip("|").split("|"):
                if re.search(r"[A-Za-z]{3}", cell):
                    yield Unit(str(path), number, "doc", cell.strip())
        elif not bare or re.match(r"([-*+]|\d+\.)\s", bare) or bare.startswith((":::", ".. ", "<")):
            yield from done()
            if re.match(r"([-*+]|\d+\.)\s", bare):
                start = number
                block.append(bare.lstrip("-*+0123456789. "))
        else:
            if not block:
                start = number
            block.append(line.strip())
    yield from done()


def entries(doc: str, line: int, path: str) -> Iterator[Unit]:
    """Summary, paragraphs and argument entries of a docstring."""
    block: list[str] = []
    start, scope = line, "summary"
    for number, raw in enumerate([*doc.splitlines(), ""], line):
        entry = re.match(r"\s+(\*{0,2}\w[\w, *]*)(?: \([^)]*\))?: (?=\S)", raw)
        if not raw.strip() or entry or raw.lstrip().startswith((">>>", "- ", "* ")):
            if block:
                yield Unit(path, start, scope, "\n".join(block))
                scope = "docstring"
            block = []
            if entry:
                block, start = [raw[entry.end() :].strip()], number
            elif raw.lstrip().startswith(("- ", "* ")):
                block, start = [raw.strip()[2:]], number
            continue
        if not block:
            start = number
        block.append(raw.strip())


def spoken(node: ast.expr) -> str:
    """Text of a string expression with its fields in braces."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "{…}" for v in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        return spoken(node.left) + (spoken(node.right) if isinstance(node.op, ast.Add) else "")
    if isinstance(node, ast.IfExp):
        return spoken(node.body) + " … " + spoken(node.orelse)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return spoken(node.func.value)
    return ""


def python(path: Path, text: str) -> Iterator[Unit]:
    name = str(path)
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    if re.fullmatch(r"\w+", path.stem):
        yield Unit(name, 1, "name", path.stem)
    seen: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                yield from entries(first.value.value, first.lineno, name)
            if not isinstance(node, ast.Module):
                yield Unit(name, node.lineno, "name", node.name)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                yield Unit(name, a.lineno, "name", a.arg)
        call = node.exc if isinstance(node, ast.Raise) else node
        if isinstance(call, ast.Call) and id(call) not in seen:
            f = call.func
            called = f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""
            if isinstance(node, ast.Raise) or SPEAKS.search(called):
                seen.add(id(call))
                for part in (*call.args, *(k.value for k in call.keywords)):
                    said = spoken(part)
                    if len(re.findall(r"[A-Za-z]{2,}", said)) >= 3:
                        yield Unit(name, part.lineno, "message", said)
    yield from comments(name, text)


def comments(name: str, text: str) -> Iterator[Unit]:
    block: list[str] = []
    start, last = 0, -2
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError):
        return
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        body = token.string.lstrip("#: ").strip()
        if re.match(r"(?:fmt|noqa|type|pragma|ruff|mypy|pylint|!|-{3}|={3})", body):
            continue
        alone = not token.line[: token.start[1]].strip()
        if alone and token.start[0] == last + 1 and block:
            block.append(body)
        else:
            if block:
                yield Unit(name, start, "comment", "\n".join(block))
            block, start = [body], token.start[0]
        last = token.start[0] if alone else -2
    if block:
        yield Unit(name, start, "comment", "\n".join(block))


def commits(span: str) -> Iterator[Unit]:
    out = subprocess.run(
        ["git", "log", "--no-merges", "--format=%h%x09%s", span], capture_output=True, text=True, check=True
    ).stdout
    for line in out.splitlines():
        key, _, subject = line.partition("\t")
        yield Unit(f"commit {key}", 1, "commit", subject)


def units(paths: list[Path]) -> Iterator[tuple[Unit, list[str]]]:
    files: list[Path] = []
    for path in paths:
        found = [path] if path.is_file() else sorted(path.rglob("*"))
        files += [
            p
            for p in found
            if p.suffix in (".md", ".rst", ".py")
            and p.is_file()
            and not any(
                part.startswith((".", "_build", "build", "made")) and part not in (".", "..") for part in p.parts
            )
        ]
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines()
        for unit in (python if path.suffix == ".py" else markdown)(path, text):
            yield unit, lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--counts", action="store_true", help="print only the table of counts")
    parser.add_argument("--rule", action="append", default=[], help="only this rule (repeatable)")
    parser.add_argument(
        "--scope",
        action="append",
        default=[],
        help="only this scope: doc, heading, docstring, comment, message, name, commit",
    )
    parser.add_argument("--commits", metavar="RANGE", help="subjects of these commits as well")
    parser.add_argument("--max", type=int, metavar="N", help="exit with status 1 if there are more findings than this")
    parser.add_argument("--list", action="store_true", help="print the rules")
    parser.add_argument("--lower", action="store_true", help="lower the maximum in pyproject.toml to the count")
    options = parser.parse_args()
    if not options.paths:
        settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))["tool"]["voice"]
        options.paths = [SETTINGS.parent / path for path in settings["paths"]]
        options.max = settings["max-findings"] if options.max is None else options.max
        options.counts = True
    elif options.lower:
        parser.error("--lower counts the folders of pyproject.toml: do not pass paths")
    if options.list:
        for rule in RULES:
            print(f"{rule.code}  {rule.title:44s} [{rule.scopes}]  -> {rule.suggestion}")
        return 0
    rules = [
        (r, set(r.scopes.split()), re.compile(r.pattern.replace(" ", r"\s+"), r.flags))
        for r in RULES
        if not options.rule or r.code in options.rule
    ]
    found: Counter[tuple[str, str]] = Counter()
    read: Counter[str] = Counter()
    every: list[tuple[Unit, list[str]]] = list(units(options.paths))
    if options.commits:
        every += [(unit, []) for unit in commits(options.commits)]
    for unit, lines in every:
        scope = "docstring" if unit.scope == "summary" else unit.scope
        if options.scope and scope not in options.scope:
            continue
        read[scope] += 1
        text = unit.text if unit.scope == "name" else masked(unit.text)
        for rule, scopes, pattern in rules:
            if unit.scope not in scopes and scope not in scopes:
                continue
            matches = (
                pattern.finditer(text)
                if rule.pattern
                else (m for m in SENTENCE.finditer(text) if MEASURED[rule.code](m.group()))
            )
            for match in matches:
                line = unit.line + text.count("\n", 0, match.start())
                if lines and 0 < line <= len(lines) and "voice: ok" in lines[line - 1]:
                    continue
                found[rule.code, scope] += 1
                if not options.counts:
                    quote = " ".join(unit.text[match.start() : match.end()].split())
                    quote = quote if len(quote) <= 60 else quote[:57] + "..."
                    print(f'{unit.path}:{line}: {rule.code} {scope} "{quote}" -> {rule.suggestion}')
    scopes = [s for s in ("doc", "heading", "docstring", "comment", "message", "name", "commit") if read[s]]
    total = sum(found.values())
    print(f"\n{'rule':50s}" + "".join(f"{s:>11s}" for s in scopes) + f"{'all':>8s}")
    for rule, _, _ in rules:
        row = [found[rule.code, s] for s in scopes]
        if any(row):
            print(f"{rule.code + '  ' + rule.title:50s}" + "".join(f"{n or '':>11}" for n in row) + f"{sum(row):>8}")
    print(
        f"{'findings':50s}"
        + "".join(f"{sum(n for (_, t), n in found.items() if t == s):>11}" for s in scopes)
        + f"{total:>8}"
    )
    print(f"{'texts read':50s}" + "".join(f"{read[s]:>11}" for s in scopes) + f"{sum(read.values()):>8}")
    print(
        f"{'findings per 100 texts':50s}"
        + "".join(f"{100 * sum(n for (_, t), n in found.items() if t == s) / read[s]:>11.1f}" for s in scopes)
    )
    if options.max is not None and total > options.max:
        print(
            f"voice: {total} findings; the maximum is {options.max}. Correct new texts ('tools/voice_lint.py FILE').",
            file=sys.stderr,
        )
        return 1
    if options.max is not None and total < options.max:
        print(f"voice: {total} findings; the maximum is {options.max}. Lower it with 'tools/voice_lint.py --lower'.")
        if options.lower:
            lower(total)
    return 0


def lower(total: int) -> None:
    """Write a smaller maximum into pyproject.toml."""
    text = SETTINGS.read_text(encoding="utf-8")
    SETTINGS.write_text(re.sub(r"(?m)^max-findings = \d+", f"max-findings = {total}", text), encoding="utf-8")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader of a pipe (head) has closed it
        sys.stderr.close()
