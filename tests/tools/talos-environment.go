// Says what Talos makes of patches: reads a list of cases as JSON from standard input, and prints for each the
// environment of the node and that of its API server.
package main

import (
	"encoding/json"
	"os"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
	"github.com/siderolabs/talos/pkg/machinery/constants"
)

// A case has the version that the object names ("v1.13"), and its strategic patches.
type asked struct {
	Version      string   `json:"version"`
	ControlPlane bool     `json:"controlPlane"`
	Patches      []string `json:"patches"`
}

type answer struct {
	Node      map[string]string `json:"node"`
	APIServer map[string]string `json:"apiServer"`
	Error     string            `json:"error,omitempty"`
}

func main() {
	var cases []asked
	fatal(json.NewDecoder(os.Stdin).Decode(&cases))
	answers := []answer{}
	for _, one := range cases {
		result, err := judged(one)
		if err != nil {
			result.Error = err.Error()
		}
		answers = append(answers, result)
	}
	fatal(json.NewEncoder(os.Stdout).Encode(answers))
}

func judged(one asked) (answer, error) {
	result := answer{Node: map[string]string{}, APIServer: map[string]string{}}
	contract, err := config.ParseContractFromVersion(one.Version)
	if err != nil {
		return result, err
	}
	input, err := generate.NewInput("prod", "https://10.20.0.10:6443", constants.DefaultKubernetesVersion, generate.WithVersionContract(contract))
	if err != nil {
		return result, err
	}
	role := machine.TypeWorker
	if one.ControlPlane {
		role = machine.TypeControlPlane
	}
	base, err := input.Config(role)
	if err != nil {
		return result, err
	}
	patches, err := configpatcher.LoadPatches(one.Patches)
	if err != nil {
		return result, err
	}
	output, err := configpatcher.Apply(configpatcher.WithConfig(base), patches)
	if err != nil {
		return result, err
	}
	made, err := output.Config()
	if err != nil {
		return result, err
	}
	for _, variables := range []map[string]string{made.Machine().Env(), made.Environment().Variables()} {
		for name, value := range variables {
			result.Node[name] = value
		}
	}
	if one.ControlPlane {
		for name, value := range made.Cluster().APIServer().Env() {
			result.APIServer[name] = value
		}
	}
	return result, nil
}

func fatal(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
