// Command admission-policy applies a MutatingAdmissionPolicy as the API server of Kubernetes does: with its admission plugin.
//
// stdin: {"policies": [the policy and its binding], "operation": "CREATE" or "UPDATE", "cluster": [Namespaces and
// ConfigMaps], "objects": [...]}. The objects are created or updated in that cluster, one after another.
// stdout: {"objects": [each of them afterwards], "errors": [...]}.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/client-go/discovery"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/openapi/openapitest"
)

type question struct {
	Policies  []json.RawMessage `json:"policies"`
	Operation string            `json:"operation"`
	Cluster   []json.RawMessage `json:"cluster"`
	Objects   []json.RawMessage `json:"objects"`
}

type answer struct {
	Objects []any    `json:"objects"`
	Errors  []string `json:"errors"`
}

// client is the fake client with the schemas of Kubernetes, which the fake one does not have.
type client struct{ *fake.Clientset }

type schemas struct{ discovery.DiscoveryInterface }

func (c client) Discovery() discovery.DiscoveryInterface { return schemas{c.Clientset.Discovery()} }
func (schemas) OpenAPIV3() openapi.Client                { return openapitest.NewEmbeddedFileClient() }

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	given, err := judge(ctx, asked)
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(given); err != nil {
		panic(err)
	}
}

func judge(ctx context.Context, asked question) (*answer, error) {
	plugin, err := newPlugin(ctx, asked)
	if err != nil {
		return nil, err
	}
	given := &answer{Objects: []any{}, Errors: []string{}}
	for _, raw := range asked.Objects {
		obj, err := typed(raw)
		if err != nil {
			return nil, err
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			return nil, err
		}
		admitted := &unstructured.Unstructured{Object: content}
		if err := admit(ctx, plugin, admitted, admission.Operation(asked.Operation)); err != nil {
			given.Errors = append(given.Errors, fmt.Sprintf("%s/%s: %v", admitted.GetKind(), admitted.GetName(), err))
		}
		after, err := admitted.MarshalJSON()
		if err != nil {
			return nil, err
		}
		if _, err := typed(after); err != nil {
			given.Errors = append(given.Errors, fmt.Sprintf("%s/%s: %v", admitted.GetKind(), admitted.GetName(), err))
		}
		given.Objects = append(given.Objects, json.RawMessage(bytes.TrimSpace(after)))
	}
	return given, nil
}

// newPlugin returns the plugin in a cluster that holds the policy, its binding and the other objects.
func newPlugin(ctx context.Context, asked question) (*mutating.Plugin, error) {
	var held []runtime.Object
	for _, raw := range append(append([]json.RawMessage{}, asked.Policies...), asked.Cluster...) {
		obj, err := typed(raw)
		if err != nil {
			return nil, err
		}
		held = append(held, obj)
	}
	api := client{fake.NewClientset(held...)}
	factory := informers.NewSharedInformerFactory(api, 0)
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)

	plugin, err := mutating.NewPlugin(nil)
	if err != nil {
		return nil, err
	}
	plugin.SetEnabled(true)
	plugin.SetExternalKubeClientSet(api)
	plugin.SetExternalKubeInformerFactory(factory)
	plugin.SetRESTMapper(mapper)
	plugin.SetDynamicClient(dynamicfake.NewSimpleDynamicClient(scheme.Scheme, held...))
	plugin.SetAuthorizer(authorizerfactory.NewAlwaysAllowAuthorizer())
	plugin.SetDrainedNotification(ctx.Done())
	if err := plugin.ValidateInitialization(); err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if !plugin.WaitForReady() {
		return nil, fmt.Errorf("the plugin is not ready")
	}
	return plugin, nil
}

// admit gives one object to the plugin, as long as the plugin has not read the schemas yet.
func admit(ctx context.Context, plugin *mutating.Plugin, obj *unstructured.Unstructured, operation admission.Operation) error {
	kind := obj.GroupVersionKind()
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	var old runtime.Object
	if operation == admission.Update {
		old = obj.DeepCopy()
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		attributes := admission.NewAttributesRecord(obj, old, kind, obj.GetNamespace(), obj.GetName(), resource,
			"", operation, nil, false, &user.DefaultInfo{Name: "test"})
		err := plugin.Admit(ctx, attributes, admission.NewObjectInterfacesFromScheme(scheme.Scheme))
		isEarly := err != nil && strings.Contains(err.Error(), "There can be a delay")
		if !isEarly || time.Now().After(deadline) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// typed returns an object as its Go type; a field that the type does not have is an error.
func typed(raw []byte) (runtime.Object, error) {
	var head struct{ APIVersion, Kind string }
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	obj, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(head.APIVersion, head.Kind))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(obj); err != nil {
		return nil, fmt.Errorf("%s: %w", head.Kind, err)
	}
	if policy, is := obj.(*admissionregistrationv1.MutatingAdmissionPolicy); is && policy.Spec.MatchConstraints != nil {
		setDefaults(policy.Spec.MatchConstraints)
	}
	if binding, is := obj.(*admissionregistrationv1.MutatingAdmissionPolicyBinding); is && binding.Spec.MatchResources != nil {
		setDefaults(binding.Spec.MatchResources)
	}
	return obj, nil
}

// setDefaults sets what the API server sets in a policy that it stores.
func setDefaults(resources *admissionregistrationv1.MatchResources) {
	if resources.NamespaceSelector == nil {
		resources.NamespaceSelector = &metav1.LabelSelector{}
	}
	if resources.ObjectSelector == nil {
		resources.ObjectSelector = &metav1.LabelSelector{}
	}
	if resources.MatchPolicy == nil {
		equivalent := admissionregistrationv1.Equivalent
		resources.MatchPolicy = &equivalent
	}
	for at := range resources.ResourceRules {
		if resources.ResourceRules[at].Scope == nil {
			all := admissionregistrationv1.AllScopes
			resources.ResourceRules[at].Scope = &all
		}
	}
}
