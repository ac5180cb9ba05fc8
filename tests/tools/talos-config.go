// Makes machine configurations as the Cluster API provider of Talos does: reads a list of cases as JSON from standard
// input, merges the patches of each, and prints who gets which variables.
package main

import (
	"encoding/json"
	"os"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
	"github.com/siderolabs/talos/pkg/machinery/config/validation"
)

// A case has the version of Talos, the type of the machine, JSON patches and strategic patches; or the type "none" and the
// configuration of its author, which is merged into a generated one here, so that it needs no certificates.
type asked struct {
	TalosVersion     string            `json:"talosVersion"`
	GenerateType     string            `json:"generateType"`
	Data             string            `json:"data"`
	ConfigPatches    []json.RawMessage `json:"configPatches"`
	StrategicPatches []string          `json:"strategicPatches"`
}

type answer struct {
	Services  map[string]string `json:"services"`
	APIServer map[string]string `json:"apiServer,omitempty"`
	Error     string            `json:"error,omitempty"`
}

// What a machine is validated for: one without a disk.
type inContainer struct{}

func (inContainer) String() string        { return "container" }
func (inContainer) RequiresInstall() bool { return false }
func (inContainer) InContainer() bool     { return true }

func main() {
	var cases []asked
	fatal(json.NewDecoder(os.Stdin).Decode(&cases))
	answers := []answer{}
	for _, one := range cases {
		found, err := answerTo(one)
		if err != nil {
			found.Error = err.Error()
		}
		answers = append(answers, found)
	}
	fatal(json.NewEncoder(os.Stdout).Encode(answers))
}

func answerTo(one asked) (answer, error) {
	if one.TalosVersion == "" {
		one.TalosVersion = "v1.12"
	}
	contract, err := config.ParseContractFromVersion(one.TalosVersion)
	fatal(err)
	input, err := generate.NewInput("prod", "https://10.20.0.10:6443", "1.33.0", generate.WithVersionContract(contract))
	fatal(err)
	if one.GenerateType == "none" {
		one.GenerateType = "controlplane"
		one.StrategicPatches = append([]string{one.Data}, one.StrategicPatches...)
	}
	kind, err := machine.ParseType(one.GenerateType)
	fatal(err)
	made, err := input.Config(kind)
	fatal(err)
	var patches []configpatcher.Patch
	if len(one.ConfigPatches) > 0 {
		text, err := json.Marshal(one.ConfigPatches)
		fatal(err)
		one.StrategicPatches = append([]string{string(text)}, one.StrategicPatches...)
	}
	for _, text := range one.StrategicPatches {
		patch, err := configpatcher.LoadPatch([]byte(text))
		if err != nil {
			return answer{}, err
		}
		patches = append(patches, patch)
	}
	out, err := configpatcher.Apply(configpatcher.WithConfig(made), patches)
	if err != nil {
		return answer{}, err
	}
	text, err := out.Bytes()
	if err != nil {
		return answer{}, err
	}
	got, err := configloader.NewFromBytes(text) // what the machine reads
	if err != nil {
		return answer{}, err
	}
	if _, err := got.Validate(inContainer{}, validation.WithLocal()); err != nil {
		return answer{}, err
	}
	services := map[string]string{}
	for name, value := range got.Machine().Env() {
		services[name] = value
	}
	for name, value := range got.Environment().Variables() {
		services[name] = value
	}
	found := answer{Services: services}
	if kind == machine.TypeControlPlane {
		found.APIServer = got.Cluster().APIServer().Env()
	}
	return found, nil
}

func fatal(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
