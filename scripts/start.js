import {createHash} from 'node:crypto';
import {existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Script} from 'node:vm';

// Commands start here: `node scripts/start.js scripts/build.ts --check` calls the `main` of that source with what follows. Sources and their
// packages are compiled once for as long as they stay the same, instead of one by one at each start, into node_modules/.cache, which
// may be deleted at any time; what V8 made of them in a run is kept beside. Neither is run without its digest.

const DIGEST_BYTES = 32;
/** A run that takes no longer, as for help, needs few functions: what V8 made of those is not worth keeping. */
const SHORT_MS = 200;

const project = fileURLToPath(new URL('..', import.meta.url));
const cache = join(project, 'node_modules/.cache/frozen-snapshots');
const [source, ...args] = process.argv.slice(2);
const code = digestOfCode();
const own = join(cache, code);
const compiled = join(own, `${source.replaceAll('/', '-')}.cjs`);
const {script, digest, main} = (await compiledSource()) ?? (await asItIs());
const began = performance.now();
// Builds are remembered beside the code that made them; where that could not be kept, neither are they.
process.exitCode = await main(args, script && {memory: join(own, 'builds')});
if (script && performance.now() - began > SHORT_MS) keepWhatWasLearned();

/** What the source exports, compiled; undefined where nothing can be kept, or where what was kept is damaged: that is removed. */
async function compiledSource() {
  try {
    if (!existsSync(compiled)) await compile();
    const {digest, bytes} = unsealed(compiled);
    const cachedData = existsSync(`${compiled}.v8`) ? unsealed(`${compiled}.v8`, digest).bytes : undefined;
    const script = new Script(bytes.toString('utf8'), {filename: compiled, cachedData});
    const module = {exports: {}};
    script.runInThisContext()(module, module.exports, createRequire(import.meta.url), compiled, own);
    return {script, digest, main: module.exports.main};
  } catch {
    forget(compiled, `${compiled}.v8`);
    return undefined;
  }
}

/** The same from its sources, which are compiled at each start. */
async function asItIs() {
  (await import('tsx/esm/api')).register();
  return import(new URL(source, new URL('..', import.meta.url)));
}

/** Throws where it cannot be kept, or where sources were edited meanwhile. */
async function compile() {
  const {compiledText, makeRoom} = await import('./start/compile.js');
  const text = await compiledText(project, source);
  if (digestOfCode() !== code) throw new Error('sources were edited');
  makeRoom(cache, own);
  seal(compiled, text);
}

/** Keeps what V8 made of the functions that this run needed; nothing that was made while sources were edited. */
function keepWhatWasLearned() {
  if (digestOfCode() !== code) forget(own);
  else if (script.cachedDataRejected !== false) {
    try {
      seal(`${compiled}.v8`, script.createCachedData(), digest);
    } catch {
      // The next start is slower.
    }
  }
}

/** Writes a file with a digest of its bytes, and of what it belongs to. Throws where it cannot be written. */
function seal(file, bytes, of = '') {
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, Buffer.concat([digestOf(of, bytes), bytes]));
    renameSync(unfinished, file);
  } catch (error) {
    forget(unfinished);
    throw error;
  }
}

/** The bytes of a sealed file, and their digest. Throws where it is not whole. */
function unsealed(file, of = '') {
  const sealed = readFileSync(file);
  const [digest, bytes] = [sealed.subarray(0, DIGEST_BYTES), sealed.subarray(DIGEST_BYTES)];
  if (!digestOf(of, bytes).equals(digest)) throw new Error(`${file} is damaged`);
  return {digest, bytes};
}

function digestOf(of, bytes) {
  return createHash('sha256').update(of).update(bytes).digest();
}

function forget(...paths) {
  try {
    for (const path of paths) rmSync(path, {recursive: true, force: true});
  } catch {
    // Nothing can be kept, nor removed.
  }
}

/** SHA-256 of everything that makes the commands what they are: their place, their sources, the packages installed, and Node. */
function digestOfCode() {
  const sources = ['build', 'paywall', 'scripts', 'shared'].flatMap(folder =>
    readdirSync(join(project, folder), {recursive: true, withFileTypes: true})
      .filter(entry => /\.(ts|js|css)$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name)),
  );
  const settings = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'tsconfig.json'];
  const digest = createHash('sha256').update(`${project}\0${process.version}\0`);
  for (const file of [...sources.sort(), ...settings.map(name => join(project, name))]) {
    // A link is what it leads to.
    if (!statSync(file, {throwIfNoEntry: false})?.isFile()) continue;
    digest.update(`${file}\0`).update(readFileSync(file)).update('\0');
  }
  return digest.digest('hex');
}
