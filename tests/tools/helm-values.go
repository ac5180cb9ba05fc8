// Merges values as Helm does: reads a list of cases as JSON from standard input, and prints what each chart gets.
package main

import (
	"encoding/json"
	"os"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/strvals"
)

// A case has the values.yaml of a chart, the values of an object, and what `--set` sets over them.
type asked struct {
	Defaults map[string]any `json:"defaults"`
	Values   map[string]any `json:"values"`
	Set      []string       `json:"set"`
}

func main() {
	var cases []asked
	fatal(json.NewDecoder(os.Stdin).Decode(&cases))
	answers := []map[string]any{}
	for _, one := range cases {
		if one.Values == nil {
			one.Values = map[string]any{}
		}
		for _, text := range one.Set {
			fatal(strvals.ParseInto(text, one.Values))
		}
		merged, err := chartutil.CoalesceValues(&chart.Chart{Metadata: &chart.Metadata{Name: "chart"}, Values: one.Defaults}, one.Values)
		fatal(err)
		answers = append(answers, merged.AsMap())
	}
	fatal(json.NewEncoder(os.Stdout).Encode(answers))
}

func fatal(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
