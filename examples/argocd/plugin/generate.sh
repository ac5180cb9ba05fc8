#!/bin/sh
# What Argo CD runs in the folder of an Application: standard output gets manifests and nothing else, standard error is
# shown in the UI when this fails.
set -eu

# An administrator who sets INJECT_PROXY_CONFIG in the sidecar decides; its password need not be in any repository then.
config=${INJECT_PROXY_CONFIG:-${PARAM_CONFIG:-proxy.yaml}}

# PARAM_ONLY_0, PARAM_ONLY_1 ...: the items of the parameter `only`.
set -- "--config=$config"
number=0
while item=$(printenv "PARAM_ONLY_$number"); do
  set -- "$@" "--only=$item"
  number=$((number + 1))
done

# Not a pipe: where kustomize fails, an empty answer would make Argo CD remove everything.
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
kustomize build . >"$made/manifests.yaml"
test -s "$made/manifests.yaml" || { echo "kustomize built no manifest in this folder" >&2; exit 1; }
inject-proxy run "$@" - <"$made/manifests.yaml"
