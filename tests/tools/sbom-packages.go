// sbom-packages prints what Trivy's reader of an SBOM hands to its lookup of vulnerabilities: the system, then each package
// of it by the name of its source package, then the packages of languages.
// Usage: sbom-packages FILE
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/aquasecurity/trivy/pkg/sbom/cyclonedx"
	reader "github.com/aquasecurity/trivy/pkg/sbom/io"
	"github.com/aquasecurity/trivy/pkg/types"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var bom cyclonedx.BOM
	if err := bom.UnmarshalJSON(data); err != nil {
		log.Fatal(err)
	}
	var found types.SBOM
	if err := reader.NewDecoder(bom.BOM).Decode(context.Background(), &found); err != nil {
		log.Fatal(err)
	}
	system := found.Metadata.OS
	if system == nil {
		log.Fatal("no system is named")
	}
	fmt.Println(system.Family, system.Name)
	for _, list := range found.Packages {
		for _, one := range list.Packages {
			fmt.Println(system.Family, one.SrcName, one.SrcVersion)
		}
	}
	for _, list := range found.Applications {
		for _, one := range list.Packages {
			fmt.Println(list.Type, one.Name, one.Version)
		}
	}
}
