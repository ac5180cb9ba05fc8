// Reads user data as nodeadm does: a list of texts as JSON from standard input, and prints for each the variables that
// services of the node get, or why nodeadm does not take it.
package main

import (
	"encoding/json"
	"os"

	"github.com/awslabs/amazon-eks-ami/nodeadm/internal/configprovider"
)

type answer struct {
	Environment map[string]map[string]string `json:"environment,omitempty"`
	Error       string                       `json:"error,omitempty"`
}

func main() {
	var texts []string
	fatal(json.NewDecoder(os.Stdin).Decode(&texts))
	answers := []answer{}
	for _, text := range texts {
		answers = append(answers, read(text))
	}
	fatal(json.NewEncoder(os.Stdout).Encode(answers))
}

func read(text string) answer {
	config, err := configprovider.ParseMaybeMultipart([]byte(text))
	if err != nil {
		return answer{Error: err.Error()}
	}
	found := map[string]map[string]string{}
	for service, variables := range config.Spec.Instance.Environment {
		found[service] = variables
	}
	return answer{Environment: found}
}

func fatal(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
