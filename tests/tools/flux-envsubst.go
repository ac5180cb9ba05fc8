// Replaces the variables of a text as Flux's kustomize-controller does after a build (`postBuild`), with the package that
// it uses: github.com/fluxcd/pkg/envsubst, called as varSubstitution of github.com/fluxcd/pkg/kustomize calls it.
//
// stdin: a manifest; environment: the variables; stdout: the manifest. A variable that is missing is empty.
package main

import (
	"io"
	"log"
	"os"

	"github.com/fluxcd/pkg/envsubst"
)

func main() {
	log.SetFlags(0)
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	replaced, err := envsubst.Eval(string(text), func(name string) (string, bool) { return os.Getenv(name), true })
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.WriteString(os.Stdout, replaced); err != nil {
		log.Fatal(err)
	}
}
