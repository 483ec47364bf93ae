import {createHash, hash} from 'node:crypto';
import {existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Script} from 'node:vm';

// Commands start here: `node scripts/start.js build/main.ts --check` calls the `main` of that source with what follows. Sources and their
// packages are compiled once for as long as they stay the same, instead of one by one at each start, into node_modules/.cache, which
// may be deleted at any time; what V8 made of them in a run is kept beside.

const DIGEST_BYTES = 32;
/** A run that takes no longer, as for help, needs few functions: what V8 made of those is not worth keeping. */
const SHORT_MS = 200;

const project = fileURLToPath(new URL('..', import.meta.url));
const cache = join(project, 'node_modules/.cache/frozen-snapshots');
const [source, ...args] = process.argv.slice(2);
const own = join(cache, digestOfCode());
const compiled = join(own, `${source.replaceAll('/', '-')}.cjs`);
const machineCode = `${compiled}.v8`;
const {script, main} = (await compiledCode()) ?? (await sources());
// Builds are remembered beside the code that made them; where that could not be kept, neither are they.
const memory = script && join(own, 'builds');
const began = performance.now();
process.exitCode = await main(args, undefined, memory);
if (script && script.cachedDataRejected !== false && performance.now() - began > SHORT_MS) keepMachineCode();

/** What the source exports, compiled; undefined where nothing can be kept, or where what was kept is damaged: that is removed. */
async function compiledCode() {
  try {
    if (!existsSync(compiled)) await (await import('./start/compile.js')).compile({project, source, cache, compiled});
    const script = new Script(readFileSync(compiled, 'latin1'), {filename: compiled, cachedData: readMachineCode()});
    const module = {exports: {}};
    const require = createRequire(import.meta.url);
    script.runInThisContext()(module, module.exports, require, compiled, own);
    return {script, main: module.exports.main};
  } catch {
    forget();
    return undefined;
  }
}

function forget() {
  try {
    rmSync(own, {recursive: true, force: true});
  } catch {
    // Nothing can be kept, nor removed.
  }
}

/** The same from its sources, which are compiled at each start. */
async function sources() {
  (await import('tsx/esm/api')).register();
  return import(new URL(source, new URL('..', import.meta.url)));
}

/** SHA-256 of everything that makes the commands what they are: their place, their sources, their packages, and Node. */
function digestOfCode() {
  const sources = ['build', 'paywall', 'scripts'].flatMap(folder =>
    readdirSync(join(project, folder), {recursive: true, withFileTypes: true})
      .filter(entry => entry.isFile() && /\.(ts|js|css)$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name)),
  );
  const digest = createHash('sha256').update(`${project}\0${process.version}\0`);
  for (const file of [...sources.sort(), join(project, 'package-lock.json')]) {
    digest.update(`${file}\0`).update(readFileSync(file)).update('\0');
  }
  return digest.digest('hex');
}

/** What V8 made of the script, where it is whole. */
function readMachineCode() {
  try {
    const bytes = readFileSync(machineCode);
    const code = bytes.subarray(DIGEST_BYTES);
    return hash('sha256', code, 'buffer').equals(bytes.subarray(0, DIGEST_BYTES)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps what V8 made of the functions that this run needed. */
function keepMachineCode() {
  const code = script.createCachedData();
  try {
    writeFileSync(`${machineCode}.${process.pid}`, Buffer.concat([hash('sha256', code, 'buffer'), code]));
    renameSync(`${machineCode}.${process.pid}`, machineCode);
  } catch {
    // The next start is slower.
  }
}
