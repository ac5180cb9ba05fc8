// Prints what containerd makes of a folder like /etc/containerd/certs.d: for each registry that is asked, the hosts in
// the order in which containerd asks them. Usage: containerd-hosts FOLDER REGISTRY...
package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/containerd/containerd/v2/core/remotes/docker"
	"github.com/containerd/containerd/v2/core/remotes/docker/config"
)

type host struct {
	URL          string `json:"url"`
	Pull         bool   `json:"pull"`
	Resolve      bool   `json:"resolve"`
	Push         bool   `json:"push"`
	Certificates int    `json:"certificates"`
}

// added counts the certificates that are trusted besides those of the system.
func added(client *http.Client) int {
	transport, ok := client.Transport.(*http.Transport)
	if !ok || transport.TLSClientConfig.RootCAs == nil {
		return 0
	}
	system, err := x509.SystemCertPool()
	if err != nil {
		log.Fatal(err)
	}
	return len(transport.TLSClientConfig.RootCAs.Subjects()) - len(system.Subjects())
}

func main() {
	hosts := config.ConfigureHosts(context.Background(), config.HostOptions{HostDir: config.HostDirFromRoot(os.Args[1])})
	answers := map[string][]host{}
	for _, registry := range os.Args[2:] {
		asked, err := hosts(registry)
		if err != nil {
			log.Fatal(err)
		}
		for _, one := range asked {
			answers[registry] = append(answers[registry], host{
				URL:          one.Scheme + "://" + one.Host + one.Path,
				Pull:         one.Capabilities.Has(docker.HostCapabilityPull),
				Resolve:      one.Capabilities.Has(docker.HostCapabilityResolve),
				Push:         one.Capabilities.Has(docker.HostCapabilityPush),
				Certificates: added(one.Client),
			})
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}
