// Command cluster-class judges a ClusterClass as Cluster API does: with its webhooks, and with its engine for inline patches.
//
// stdin: {"class": ClusterClass, "cluster": Cluster, "templates": {"name": template}}, of v1beta1 or v1beta2; any number of them.
// stdout: for each a line {"errors": [...], "nodes": {"controlPlane" or a worker group: its template once it is patched}}.
//
// The name of its module lies under that of Cluster API, so that it may import what is internal there.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	hooks "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	"sigs.k8s.io/cluster-api/feature"
	"sigs.k8s.io/cluster-api/internal/controllers/topology/cluster/patches/inline"
	patchvariables "sigs.k8s.io/cluster-api/internal/controllers/topology/cluster/patches/variables"
	"sigs.k8s.io/cluster-api/internal/topology/variables"
	"sigs.k8s.io/cluster-api/internal/webhooks"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
	"sigs.k8s.io/yaml"
)

type question struct {
	Class     json.RawMessage            `json:"class"`
	Cluster   json.RawMessage            `json:"cluster"`
	Templates map[string]json.RawMessage `json:"templates"`
}

type answer struct {
	Errors []string                   `json:"errors"`
	Nodes  map[string]json.RawMessage `json:"nodes"`
}

// node is one sort of nodes of the Cluster: where it is held, the name of its template, and its own variables.
type node struct {
	name, template string
	holder         hooks.HolderReference
	variables      []hooks.Variable
}

func main() {
	if err := feature.MutableGates.Set("ClusterTopology=true,MachinePool=true"); err != nil {
		panic(err)
	}
	questions, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked question
		if err := questions.Decode(&asked); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		given := answer{Errors: []string{}, Nodes: map[string]json.RawMessage{}}
		if err := judge(context.Background(), asked, &given); err != nil {
			given.Errors = append(given.Errors, err.Error())
		}
		if err := answers.Encode(given); err != nil {
			panic(err)
		}
	}
}

func judge(ctx context.Context, asked question, given *answer) error {
	class, cluster := &clusterv1.ClusterClass{}, &clusterv1.Cluster{}
	if err := read(asked.Class, &clusterv1beta1.ClusterClass{}, class); err != nil {
		return err
	}
	if err := read(asked.Cluster, &clusterv1beta1.Cluster{}, cluster); err != nil {
		return err
	}
	if _, err := (&webhooks.ClusterClass{}).ValidateCreate(ctx, class); err != nil {
		return err
	}
	definitions, names := defined(class)
	topology := &cluster.Spec.Topology
	filled, errs := variables.DefaultClusterVariables(topology.Variables, definitions, field.NewPath("variables"))
	errs = append(errs, variables.ValidateClusterVariables(ctx, filled, nil, definitions, field.NewPath("variables"))...)
	for i := range topology.Workers.MachineDeployments {
		own := topology.Workers.MachineDeployments[i].Variables.Overrides
		errs = append(errs, variables.ValidateMachineVariables(ctx, own, nil, definitions, field.NewPath("overrides"))...)
	}
	for i := range topology.Workers.MachinePools {
		own := topology.Workers.MachinePools[i].Variables.Overrides
		errs = append(errs, variables.ValidateMachineVariables(ctx, own, nil, definitions, field.NewPath("overrides"))...)
	}
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	topology.Variables = filled
	global, err := patchvariables.Global(*topology, cluster, names)
	if err != nil {
		return err
	}
	nodes, err := nodesOf(class, topology, names)
	if err != nil {
		return err
	}
	for _, one := range nodes {
		template, found := asked.Templates[one.template]
		if !found {
			continue
		}
		if given.Nodes[one.name], err = patched(ctx, class, global, one, template); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
	}
	return nil
}

// read is strict: a field that the version does not know is an error.
func read(raw json.RawMessage, old conversion.Convertible, hub conversion.Hub) error {
	meta := struct {
		APIVersion string `json:"apiVersion"`
	}{}
	if err := json.Unmarshal(raw, &meta); err != nil {
		return err
	}
	if !strings.HasSuffix(meta.APIVersion, "/v1beta1") {
		return yaml.UnmarshalStrict(raw, hub)
	}
	if err := yaml.UnmarshalStrict(raw, old); err != nil {
		return err
	}
	return old.ConvertTo(hub)
}

func defined(class *clusterv1.ClusterClass) ([]clusterv1.ClusterClassStatusVariable, map[string]bool) {
	definitions, names := []clusterv1.ClusterClassStatusVariable{}, map[string]bool{}
	for _, one := range class.Spec.Variables {
		names[one.Name] = true
		definitions = append(definitions, clusterv1.ClusterClassStatusVariable{
			Name: one.Name,
			Definitions: []clusterv1.ClusterClassStatusVariableDefinition{
				{From: clusterv1.VariableDefinitionFromInline, Required: one.Required, Schema: one.Schema},
			},
		})
	}
	return definitions, names
}

func nodesOf(class *clusterv1.ClusterClass, topology *clusterv1.Topology, names map[string]bool) ([]node, error) {
	controlPlane := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"version": topology.Version}}}
	infrastructure := &unstructured.Unstructured{Object: map[string]any{}}
	infrastructure.SetName(class.Spec.ControlPlane.MachineInfrastructure.TemplateRef.Name)
	withoutReplicas := topology.ControlPlane
	withoutReplicas.Replicas = nil
	ofControlPlane, err := patchvariables.ControlPlane(&withoutReplicas, controlPlane, infrastructure, names)
	if err != nil {
		return nil, err
	}
	nodes := []node{{
		name:      "controlPlane",
		template:  class.Spec.ControlPlane.TemplateRef.Name,
		holder:    hooks.HolderReference{Kind: "Cluster", FieldPath: "spec.controlPlaneRef"},
		variables: ofControlPlane,
	}}
	for i := range topology.Workers.MachineDeployments {
		group := &topology.Workers.MachineDeployments[i]
		own, err := patchvariables.MachineDeployment(group, &clusterv1.MachineDeployment{}, nil, nil, names)
		if err != nil {
			return nil, err
		}
		for _, one := range class.Spec.Workers.MachineDeployments {
			if one.Class == group.Class {
				nodes = append(nodes, worker("MachineDeployment", group.Name, one.Bootstrap.TemplateRef.Name, own))
			}
		}
	}
	for i := range topology.Workers.MachinePools {
		group := &topology.Workers.MachinePools[i]
		own, err := patchvariables.MachinePool(group, &clusterv1.MachinePool{}, nil, nil, names)
		if err != nil {
			return nil, err
		}
		for _, one := range class.Spec.Workers.MachinePools {
			if one.Class == group.Class {
				nodes = append(nodes, worker("MachinePool", group.Name, one.Bootstrap.TemplateRef.Name, own))
			}
		}
	}
	return nodes, nil
}

func worker(kind, name, template string, own []hooks.Variable) node {
	holder := hooks.HolderReference{Kind: kind, FieldPath: "spec.template.spec.bootstrap.configRef"}
	return node{name: name, template: template, holder: holder, variables: own}
}

// patched applies the inline patches one after another, as the engine does.
func patched(
	ctx context.Context, class *clusterv1.ClusterClass, global []hooks.Variable, one node, template json.RawMessage,
) (json.RawMessage, error) {
	for i := range class.Spec.Patches {
		item := hooks.GeneratePatchesRequestItem{
			UID:             types.UID("1"),
			HolderReference: one.holder,
			Variables:       one.variables,
		}
		object, err := runtime.Decode(unstructured.UnstructuredJSONScheme, template)
		if err != nil {
			return nil, err
		}
		item.Object = runtime.RawExtension{Raw: template, Object: object}
		request := &hooks.GeneratePatchesRequest{Variables: global, Items: []hooks.GeneratePatchesRequestItem{item}}
		response, err := inline.NewGenerator(&class.Spec.Patches[i]).Generate(ctx, nil, request)
		if err != nil {
			return nil, err
		}
		for _, made := range response.Items {
			patch, err := jsonpatch.DecodePatch(made.Patch)
			if err != nil {
				return nil, err
			}
			if template, err = patch.Apply(template); err != nil {
				return nil, err
			}
		}
	}
	return template, nil
}
