// Says, for each list, which URLs golang.org/x/net/http/httpproxy would send directly: the package that containerd,
// Flux and others use, and of which net/http carries a copy.
//
// stdin: [{"no_proxy": "...", "urls": ["...", ...]}, ...]; stdout: [[true, ...], ...], true = direct. Nothing is sent.
package main

import (
	"encoding/json"
	"log"
	"net/url"
	"os"

	"golang.org/x/net/http/httpproxy"
)

type question struct {
	NoProxy string   `json:"no_proxy"`
	URLs    []string `json:"urls"`
}

func main() {
	log.SetFlags(0)
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		log.Fatal(err)
	}
	answers := make([][]bool, 0, len(questions))
	for _, asked := range questions {
		answers = append(answers, direct(asked))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

func direct(asked question) []bool {
	config := httpproxy.Config{
		HTTPProxy:  "http://proxy.invalid:3128",
		HTTPSProxy: "http://proxy.invalid:3128",
		NoProxy:    asked.NoProxy,
	}
	choose := config.ProxyFunc()
	answers := make([]bool, 0, len(asked.URLs))
	for _, text := range asked.URLs {
		parsed, err := url.Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		proxy, err := choose(parsed)
		if err != nil {
			log.Fatal(err)
		}
		answers = append(answers, proxy == nil)
	}
	return answers
}
