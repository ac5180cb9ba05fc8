# Asks Ruby's URI, for each list, which URLs it would send to the proxy.
#
# stdin: [{"no_proxy": "...", "urls": [...]}, ...]; stdout: [[true, ...], ...], true = direct. Nothing is sent and no
# name server is asked: a name resolves to nothing, but for localhost.
require "ipaddr"
require "json"
require "socket"
require "uri"

class << IPSocket
  def getaddress(host)
    return "127.0.0.1" if host == "localhost"
    IPAddr.new(host).to_s
  rescue IPAddr::Error
    raise SocketError, "no name server is asked"
  end
end

answers = JSON.parse($stdin.read).map do |question|
  env = { "http_proxy" => "http://proxy.invalid:3128", "no_proxy" => question["no_proxy"] }
  question["urls"].map { |url| URI.parse(url).find_proxy(env).nil? }
end
puts JSON.generate(answers)
