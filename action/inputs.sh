# shellcheck shell=bash disable=SC2034
# Reads `paths`, `config` and `arguments` of the action into arrays of these names; the steps of action.yml source it.
#
# A path becomes relative to the repository, and no part of it is a link: so it is the same file in a copy of the
# repository, and a run in the copy writes nowhere else.

# `-I`: neither the folder of a pull request, in which the steps run, nor a variable such as PYTHONPATH brings modules.
isolated_python() {
  "$RUNNER_TEMP/inject-proxy/bin/python" -I "$@"
}

inject_proxy() {
  isolated_python -m krm_fn "$@"
}

refuse() {
  echo "::error title=inject-proxy::$1"
  exit 2
}

lines() {
  sed '/^[[:space:]]*$/d' <<<"$1"
}

config=()
[[ -z $INPUT_CONFIG ]] || config=("--config=$INPUT_CONFIG")

mapfile -t arguments < <(lines "$INPUT_ARGUMENTS")
for argument in "${arguments[@]}"; do
  [[ $argument == -?* && $argument != -- ]] ||
    refuse "Each line of \`arguments\` must be one option with its value, such as \`--only=nodes\`; files are named in \`paths\`."
done

paths=()
mapfile -t named < <(lines "$INPUT_PATHS")
for path in "${named[@]}"; do
  relative=$(realpath --canonicalize-missing --relative-to=. -- "$path")
  [[ $relative != .. && $relative != ../* ]] ||
    refuse "\`paths\` must name files and folders of the repository, and no link that leads out of it."
  paths+=("./$relative")
done
