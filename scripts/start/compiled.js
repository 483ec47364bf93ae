import {createHash} from 'node:crypto';
import {existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Script} from 'node:vm';

// Sources and their packages are compiled once for as long as they stay the same, instead of one by one at each start, into
// node_modules/.cache, which may be deleted at any time; what V8 made of them in a run is kept beside. Neither is run without its digest.

const DIGEST_BYTES = 32;

const project = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(project, 'node_modules/.cache/frozen-snapshots');

/**
 * What a source of the project exports, and, where it runs compiled, its script and a folder that belongs to this very code. With `keep`
 * what V8 made of its functions can be kept for the next run.
 */
export async function load(source) {
  const code = digestOfCode();
  const own = join(cache, code);
  const compiled = join(own, `${source.replaceAll('/', '-')}.cjs`);
  const loaded = await compiledSource(source, code, own, compiled);
  return loaded ?? {exports: await asItIs(source)};
}

/** The source, compiled; undefined where nothing can be kept, or where what was kept is damaged: that is removed. */
async function compiledSource(source, code, own, compiled) {
  try {
    if (!existsSync(compiled)) await compile(source, code, own, compiled);
    const {digest, bytes} = unsealed(compiled);
    const cachedData = existsSync(`${compiled}.v8`) ? unsealed(`${compiled}.v8`, digest).bytes : undefined;
    const script = new Script(bytes.toString('utf8'), {filename: compiled, cachedData});
    const module = {exports: {}};
    script.runInThisContext()(module, module.exports, createRequire(import.meta.url), compiled, own);
    return {exports: module.exports, own, keep: () => keepWhatWasLearned(script, digest, code, own, compiled)};
  } catch {
    forget(compiled, `${compiled}.v8`);
    return undefined;
  }
}

/** The same from its sources, which are compiled at each start. */
async function asItIs(source) {
  (await import('tsx/esm/api')).register();
  return import(new URL(source, new URL('../..', import.meta.url)));
}

/** Throws where it cannot be kept, or where sources were edited meanwhile. */
async function compile(source, code, own, compiled) {
  const {compiledText, makeRoom} = await import('./compile.js');
  const text = await compiledText(project, source);
  if (digestOfCode() !== code) throw new Error('sources were edited');
  makeRoom(cache, own);
  seal(compiled, text);
}

/** Keeps what V8 made of the functions that this run needed; nothing that was made while sources were edited. */
function keepWhatWasLearned(script, digest, code, own, compiled) {
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
      .filter(entry => /\.(ts|js|css|jsonc)$/.test(entry.name))
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
