// Says what the API server makes of custom resources: which fields it drops because the definition of their kind does
// not have them, and which values it refuses. Reads the definitions from the files of a folder, its argument, and a list
// of cases as JSON from standard input; prints a list of answers, null where no definition is of that kind and version.
package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	kinds "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// A case has an object, and what was there before if it is a change.
type asked struct {
	Object map[string]any `json:"object"`
	Old    map[string]any `json:"old"`
}

// Dropped has paths of fields, Refused what the API server says.
type answer struct {
	Dropped []string `json:"dropped"`
	Refused []string `json:"refused"`
}

type definition struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

func main() {
	definitions := map[kinds.GroupVersionKind]definition{}
	names, err := filepath.Glob(filepath.Join(os.Args[1], "*.yaml"))
	fatal(err)
	for _, name := range names {
		read(name, definitions)
	}
	var cases []asked
	fatal(json.NewDecoder(os.Stdin).Decode(&cases))
	answers := []*answer{}
	for _, one := range cases {
		answers = append(answers, judged(one, definitions))
	}
	fatal(json.NewEncoder(os.Stdout).Encode(answers))
}

func read(name string, definitions map[kinds.GroupVersionKind]definition) {
	text, err := os.ReadFile(name)
	fatal(err)
	crd := &v1.CustomResourceDefinition{}
	fatal(yaml.Unmarshal(text, crd))
	for _, version := range crd.Spec.Versions {
		if version.Schema == nil {
			continue
		}
		props := &apiextensions.JSONSchemaProps{}
		fatal(v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, props, nil))
		structural, err := schema.NewStructural(props)
		fatal(err)
		validator, _, err := validation.NewSchemaValidator(props)
		fatal(err)
		kind := kinds.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
		definitions[kind] = definition{structural, validator, cel.NewValidator(structural, true, celconfig.PerCallLimit)}
	}
}

func judged(one asked, definitions map[kinds.GroupVersionKind]definition) *answer {
	version, _ := one.Object["apiVersion"].(string)
	kind, _ := one.Object["kind"].(string)
	found, known := definitions[kinds.FromAPIVersionAndKind(version, kind)]
	if !known {
		return nil
	}
	result := &answer{[]string{}, []string{}}
	kept := runtime.DeepCopyJSON(one.Object)
	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	result.Dropped = append(result.Dropped, pruning.PruneWithOptions(kept, found.structural, true, options)...)
	errors := validation.ValidateCustomResource(nil, kept, found.validator)
	if one.Old != nil {
		errors = validation.ValidateCustomResourceUpdate(nil, kept, one.Old, found.validator)
	}
	if found.rules != nil {
		var old any
		if one.Old != nil {
			old = one.Old
		}
		more, _ := found.rules.Validate(context.Background(), field.NewPath(""), found.structural, kept, old, celconfig.RuntimeCELCostBudget)
		errors = append(errors, more...)
	}
	for _, one := range errors {
		result.Refused = append(result.Refused, one.Error())
	}
	return result
}

func fatal(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
