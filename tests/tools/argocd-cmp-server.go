// Argo CD's server for config management plugins, and beside it what the repo-server does with it.
//
//	argocd-cmp-server --config-dir-path DIR     the server, as its own command; DIR holds plugin.yaml
//	argocd-cmp-server ask ADDRESS FOLDER [NAME=VALUE...]
//
// `ask` sends the folder of an Application to the server behind the socket ADDRESS, with the variables, and prints JSON: the
// manifests, or the error that the UI of Argo CD shows, and the parameters that the plugin announces.
package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	repoclient "github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/cmp"
)

type answer struct {
	Manifests  []string                            `json:"manifests"`
	Error      string                              `json:"error"`
	Parameters []*repoclient.ParameterAnnouncement `json:"parameters"`
}

func main() {
	if len(os.Args) < 2 || os.Args[1] != "ask" {
		if commands.NewCommand().Execute() != nil {
			os.Exit(1)
		}
		return
	}
	found, err := ask(os.Args[2], os.Args[3], os.Args[4:])
	if err != nil {
		found.Error = err.Error()
	}
	if json.NewEncoder(os.Stdout).Encode(found) != nil {
		os.Exit(1)
	}
}

// The deadline is the one of the repo-server, 60 seconds.
func ask(address, folder string, env []string) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	var found answer
	closer, client, err := apiclient.NewConfigManagementPluginClientSet(address).NewConfigManagementPluginClient()
	if err != nil {
		return found, err
	}
	defer closer.Close()
	announcements, err := client.GetParametersAnnouncement(ctx)
	if err != nil {
		return found, err
	}
	if err := cmp.SendRepoStream(ctx, folder, folder, announcements, env, nil); err != nil {
		return found, err
	}
	announced, err := announcements.CloseAndRecv()
	if err != nil {
		return found, err
	}
	found.Parameters = announced.GetParameterAnnouncements()
	manifests, err := client.GenerateManifest(ctx)
	if err != nil {
		return found, err
	}
	if err := cmp.SendRepoStream(ctx, folder, folder, manifests, env, nil); err != nil {
		return found, err
	}
	generated, err := manifests.CloseAndRecv()
	if err != nil {
		return found, err
	}
	found.Manifests = generated.GetManifests()
	return found, nil
}
