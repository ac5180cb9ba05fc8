// Asks undici, proxy-from-env or a version of axios, for each list, which URLs it would send to the proxy.
//
// argv: the package, and the path of its matcher if it is axios. stdin: [{"no_proxy": "...", "urls": [...]}, ...]; stdout: [[true, ...], ...], true = direct.
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

for (const variable of Object.keys(process.env)) {
  if (/_proxy$/i.test(variable)) delete process.env[variable]
}
process.env.http_proxy = 'http://proxy.invalid:3128'
// What axios does in lib/adapters/http.js; its helper is in no entry point of the package.
const asAxios = (shouldBypassProxy) => (url) =>
  require('proxy-from-env').getProxyForUrl(url) === '' || shouldBypassProxy(url)

const questions = JSON.parse(require('fs').readFileSync(0, 'utf8'))
const answered = (matcher) => {
  const answers = questions.map(({ no_proxy: list, urls }) => {
    process.env.no_proxy = list
    return urls.map((url) => matcher(url))
  })
  console.log(JSON.stringify(answers))
}
const [, , name, helper] = process.argv
if (helper) import(helper).then((module) => answered(asAxios(module.default)))
else answered(matchers[name])
