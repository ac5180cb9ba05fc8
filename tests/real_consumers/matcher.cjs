// Asks undici or proxy-from-env, for each list, which URLs it would send to the proxy.
//
// argv: the package. stdin: [{"no_proxy": "...", "urls": [...]}, ...]; stdout: [[true, ...], ...], true = direct.
// Nothing is sent: undici's two agents are replaced by ones that say their name.
const matchers = {
  'proxy-from-env': (url) => require('proxy-from-env').getProxyForUrl(url) === '',
  undici: (url) => {
    const agent = new (require('undici').EnvHttpProxyAgent)()
    let direct
    for (const symbol of Object.getOwnPropertySymbols(agent)) {
      const name = symbol.description
      if (name === 'no proxy agent') agent[symbol].dispatch = () => { direct = true }
      if (name === 'http proxy agent') agent[symbol].dispatch = () => { direct = false }
    }
    agent.dispatch({ origin: url, path: '/', method: 'GET' }, {})
    return direct
  }
}

for (const name of Object.keys(process.env)) {
  if (/_proxy$/i.test(name)) delete process.env[name]
}
process.env.http_proxy = 'http://proxy.invalid:3128'
const questions = JSON.parse(require('fs').readFileSync(0, 'utf8'))
const answers = questions.map(({ no_proxy: list, urls }) => {
  process.env.no_proxy = list
  return urls.map((url) => matchers[process.argv[2]](url))
})
console.log(JSON.stringify(answers))
