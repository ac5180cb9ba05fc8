// Says which fields of an object, or of its change, the webhooks of products refuse: reads a list of cases as JSON from
// standard input, and prints a list of answers, null where no webhook here is of that kind and version.
package main

import (
	"context"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	kinds "k8s.io/apimachinery/pkg/runtime/schema"
	aws "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	"sigs.k8s.io/cluster-api-provider-aws/v2/feature"
	awswebhooks "sigs.k8s.io/cluster-api-provider-aws/v2/webhooks"
	azure "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	azurewebhooks "sigs.k8s.io/cluster-api-provider-azure/internal/webhooks"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// A case has an object, and what was there before if it is a change.
type asked struct {
	Object json.RawMessage `json:"object"`
	Old    json.RawMessage `json:"old"`
}

type webhook struct {
	object    func() runtime.Object
	validator admission.CustomValidator
}

var webhooks = map[kinds.GroupVersionKind]webhook{
	aws.GroupVersion.WithKind("AWSMachineTemplate"): {
		func() runtime.Object { return &aws.AWSMachineTemplate{} }, &awswebhooks.AWSMachineTemplate{}},
	azure.GroupVersion.WithKind("AzureManagedControlPlane"): {
		func() runtime.Object { return &azure.AzureManagedControlPlane{} }, &azurewebhooks.AzureManagedControlPlaneWebhook{}},
	azure.GroupVersion.WithKind("AzureManagedControlPlaneTemplate"): {
		func() runtime.Object { return &azure.AzureManagedControlPlaneTemplate{} }, &azurewebhooks.AzureManagedControlPlaneTemplateWebhook{}},
}

func main() {
	fatal(feature.MutableGates.Set("BootstrapFormatIgnition=true"))
	var cases []asked
	fatal(json.NewDecoder(os.Stdin).Decode(&cases))
	answers := [][]string{}
	for _, one := range cases {
		answers = append(answers, judged(one))
	}
	fatal(json.NewEncoder(os.Stdout).Encode(answers))
}

func judged(one asked) []string {
	var kind struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	fatal(json.Unmarshal(one.Object, &kind))
	found, known := webhooks[kinds.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)]
	if !known {
		return nil
	}
	object := found.object()
	fatal(json.Unmarshal(one.Object, object))
	ctx := admission.NewContextWithRequest(context.Background(), admission.Request{})
	var err error
	if len(one.Old) == 0 || string(one.Old) == "null" {
		_, err = found.validator.ValidateCreate(ctx, object)
	} else {
		old := found.object()
		fatal(json.Unmarshal(one.Old, old))
		_, err = found.validator.ValidateUpdate(ctx, old, object)
	}
	return fields(err)
}

// Each field that a webhook names, with its reason: the text of an error may hold the whole object.
func fields(err error) []string {
	found := []string{}
	if status, ok := err.(errors.APIStatus); ok && status.Status().Details != nil {
		for _, cause := range status.Status().Details.Causes {
			found = append(found, cause.Field+": "+string(cause.Type))
		}
	} else if err != nil {
		found = append(found, err.Error())
	}
	return found
}

func fatal(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
