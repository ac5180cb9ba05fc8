/**
 * Compiles the Python code of an archive, with the Python that will run it: a browser needs half the time for the first run.
 * Then stores with each example what the commands print about it, which the page shows until it has run them itself.
 *
 * Usage: node compile.mjs PYODIDE ARCHIVE EXAMPLES, where PYODIDE is the folder of that package, and EXAMPLES examples.json.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, archive, examples] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${folder}/` });

python.FS.writeFile("/given.zip", new Uint8Array(readFileSync(archive)));
python.runPython(`
import compileall, py_compile, zipfile
from pathlib import Path

FIRST_TIME = (1980, 1, 1, 0, 0, 0)  # so that two builds are equal
with zipfile.ZipFile("/given.zip") as given:
    given.extractall("/code")
compileall.compile_dir(
    "/code", quiet=1, legacy=True, stripdir="/code", invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
)
with zipfile.ZipFile("/made.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
    for file in sorted(Path("/code").rglob("*")):
        if file.is_file() and file.suffix != ".py":
            name = file.relative_to("/code").as_posix()
            made.writestr(zipfile.ZipInfo(name, FIRST_TIME), file.read_bytes(), zipfile.ZIP_DEFLATED, 9)
`);
writeFileSync(archive, python.FS.readFile("/made.zip"));

python.pyimport("sys").path.append("/code");
const commands = python.pyimport("commands");
const data = JSON.parse(readFileSync(examples, "utf8"));
const last = ["--config", "proxy.yaml", "."];
for (const example of data.examples) {
  commands.write(python.toPy({ ...example.files, "proxy.yaml": example.config }));
  const [diff, findings] = [["run", "--diff", ...last], ["run", "--check", "--output", "sarif", ...last]].map((command) =>
    commands.run(python.toPy(command)).toJs({ dict_converter: Object.fromEntries }),
  );
  example.stored = { diff, findings };
}
writeFileSync(examples, JSON.stringify(data));
