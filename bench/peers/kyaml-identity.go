// A KRM function that changes nothing, built on kyaml as functions in Go are: what reading and writing a list costs there.
package main

import (
	"log"
	"os"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
)

func main() {
	unchanged := framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil })
	if err := framework.Execute(unchanged, &kio.ByteReadWriter{Reader: os.Stdin, Writer: os.Stdout, KeepReaderAnnotations: true}); err != nil {
		log.Fatal(err)
	}
}
