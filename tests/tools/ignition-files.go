// Prints the files that Ignition would write for a Container Linux Config on stdin: path -> mode, owner, text.
package main

import (
	"encoding/json"
	"io"
	"log"
	"net/url"
	"os"
	"strings"

	"github.com/flatcar/container-linux-config-transpiler/config"
)

type file struct {
	Mode  int    `json:"mode"`
	Owner string `json:"owner"`
	Text  string `json:"text"`
}

func main() {
	given, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	written, tree, report := config.Parse(given)
	ignition, more := config.Convert(written, "", tree)
	report.Merge(more)
	if len(report.Entries) > 0 {
		log.Fatal(report.String()) // Cluster API takes no warning either
	}
	files := map[string]file{}
	for _, one := range ignition.Storage.Files {
		_, escaped, _ := strings.Cut(one.Contents.Source, ",")
		text, err := url.PathUnescape(escaped)
		if err != nil {
			log.Fatal(err)
		}
		found := file{Mode: *one.Mode, Text: text}
		if one.User != nil && one.Group != nil {
			found.Owner = one.User.Name + ":" + one.Group.Name
		}
		files[one.Path] = found
	}
	if err := json.NewEncoder(os.Stdout).Encode(files); err != nil {
		log.Fatal(err)
	}
}
