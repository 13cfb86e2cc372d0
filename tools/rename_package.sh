#!/usr/bin/env bash
# Turns a checkout of main (with tools/rename.py) into the package pytrammel. Run in the repository root of a clean work tree:
#   tools/rename_package.sh [PYTHON]
# Needs ruff beside PYTHON (default .venv/bin/python). Stages everything, commits nothing. Prints what it left to a person.
set -euo pipefail
python=${1:-.venv/bin/python}
ruff=$(dirname "$python")/ruff
[ -z "$(git status --porcelain)" ] || { echo "the work tree is not clean"; exit 1; }
[ -d src/trammel ] || { echo "src/trammel is not here: nothing to do"; exit 0; }

git mv src/trammel src/pytrammel
rm -rf src/trammel # caches of bytecode

# the tool and its tests speak about both names; stored samples of formats keep the product's name
mapfile -t files < <(git ls-files -- ':!tools/rename*' ':!tests/unit/test_rename*' ':!tests/data/formats' | while read -r f; do
    [ -f "$f" ] && [ ! -L "$f" ] && { [ ! -s "$f" ] || grep -Iq . "$f"; } && echo "$f"; done)

# 1. by structure: imports, module paths, commands
table=$(mktemp --suffix=.toml)
commands=$(ls src/pytrammel/commands/*.py | xargs -n1 basename -s .py | sed 's/.*/"&"/' | paste -sd,)
cat > "$table" <<TABLE
rename = [
    {kind = "package", old = "trammel", new = "pytrammel"},
    {kind = "command", old = "trammel", new = "pytrammel", subcommands = [$commands, "COMMAND"]},
]
TABLE
"$python" tools/rename.py --table "$table" "${files[@]}" > "$table.log" || true
rm "$table"

# 2. the rest of the words: message prefix, caches, paths, distribution. What stays: the product's file formats, messages between pages,
#    the mechanism (elliptic trammel), local functions of tests named after the command
perl -pi -e '
    s/(?<![\w.])(?<!elliptic )(?<!Elliptic )(?<!"html", ")trammel(?!\w)(?! of Archimedes)(?!\()(?!: what)(?!": __version__)(?!"\) != __)(?!-(?:run|result|job|outcome)")(?! run in progress)/pytrammel/g;
    s/FORMAT = "pytrammel batch /FORMAT = "trammel batch /;
' "${files[@]}"
perl -pi -e 's/\b_trammel\b/_pytrammel/g' src/pytrammel/commands/completion.py

# 3. order of imports, line breaks
"$ruff" check --quiet --select I --fix . || true
"$ruff" format --quiet .

git add -A
echo "== old name that stays (look through):"
git grep -nIP '(?<![\w.])trammel(?!\w)' -- ':!tools/rename*' ':!tests/unit/test_rename*' ':!tests/data/formats' | grep -v 'test_commands_on_model_files.*trammel(' | cut -c1-170 || true
echo "== lint:"
"$ruff" check . --output-format concise || true
