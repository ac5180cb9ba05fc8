import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.Scanner;

/**
 * Asks Java's default ProxySelector which URLs it would send to the proxy.
 *
 * stdin: lines of "list TAB url TAB url ..."; stdout: a line for each, of "true" (direct) or "false". Nothing is sent.
 */
class Matcher {
    public static void main(String[] arguments) {
        System.setProperty("http.proxyHost", "proxy.invalid");
        System.setProperty("http.proxyPort", "3128");
        Scanner lines = new Scanner(System.in, "UTF-8");
        while (lines.hasNextLine()) {
            String[] cells = lines.nextLine().split("\t");
            System.setProperty("http.nonProxyHosts", cells[0].replace(',', '|'));
            StringBuilder answers = new StringBuilder();
            for (int index = 1; index < cells.length; index++) {
                Proxy proxy = ProxySelector.getDefault().select(URI.create(cells[index])).get(0);
                answers.append(proxy.type() == Proxy.Type.DIRECT).append(' ');
            }
            System.out.println(answers);
        }
    }
}
