import {createHash} from 'node:crypto';
import {inputChunks} from '../disk/plain-file.ts';
import type {Digested} from './digest.ts';

const CHUNK_BYTES = 1 << 20;
const MARK = '\xef\xbb\xbf';
const KEEP = 'put the line "data/sources/** -text" into .gitattributes, and restore the file';
const TO_CRLF = `has CR LF line ends, and was frozen with LF, as git or an editor changes them: ${KEEP}`;
const TO_LF = `has LF line ends, and was frozen with CR LF, as git or an editor changes them: ${KEEP}`;

/** A file's bytes in strings (latin-1). */
type Texts = AsyncIterable<string>;

/** What git and editors do to files unasked: words for the file that came of it, and what undoes it. */
const EDITS: readonly (readonly [rule: string, undo: (texts: Texts) => Texts])[] = [
  [TO_CRLF, withLineFeeds],
  [TO_LF, withCarriageReturns],
  // CSV as RFC 4180 has it may hold line feeds within its values.
  [TO_CRLF, texts => betweenQuotes(texts, 1, text => text.replaceAll('\r\n', '\n'))],
  [TO_LF, texts => betweenQuotes(texts, 0, text => text.replaceAll('\n', '\r\n'))],
  ['has a line end at its end, and was frozen without, as an editor adds it: restore the file', withoutLastLineEnd],
  ['has no line end at its end, and was frozen with one, as an editor removes it: restore the file', withLastLineEnd],
  ['starts with a byte order mark, and was frozen without, as an editor adds it: restore the file', withoutMark],
  ['has no byte order mark, and was frozen with one, as an editor removes it: restore the file', withMark],
];

/**
 * Whether the files of a freeze have the recorded digest once an edit of all of them is undone, one that git or an editor makes
 * unasked. Returns the rule that a file breaks in words, or nothing.
 */
export async function silentEdit(root: string, {files, bytes, sha256}: Digested): Promise<string | undefined> {
  // Parquet and gzip are no text: there every edit is another one.
  if (files.some(file => /\.(gz|parquet)$/.test(file))) return undefined;
  for (const [rule, undo] of EDITS) {
    const hash = createHash('sha256');
    let size = 0;
    for (const file of files) {
      for await (const text of undo(textsOf(root, file))) {
        hash.update(text, 'latin1');
        size += text.length;
      }
    }
    if (size === bytes && hash.digest('hex') === sha256) return rule;
  }
  return undefined;
}

async function* textsOf(root: string, file: string): Texts {
  for await (const chunk of inputChunks(root, file, CHUNK_BYTES)) yield chunk.toString('latin1');
}

async function* withLineFeeds(texts: Texts): Texts {
  let held = '';
  for await (const chunk of texts) {
    const text = held + chunk;
    held = text.endsWith('\r') ? '\r' : '';
    yield text.slice(0, text.length - held.length).replaceAll('\r\n', '\n');
  }
  yield held;
}

async function* withCarriageReturns(texts: Texts): Texts {
  for await (const text of texts) yield text.replaceAll('\n', '\r\n');
}

/** Edits what stands between quotation marks, or outside of them: every other part, from part `first` on. */
async function* betweenQuotes(texts: Texts, first: 0 | 1, edit: (text: string) => string): Texts {
  let [held, part] = ['', 0];
  for await (const chunk of texts) {
    const text = held + chunk;
    held = text.endsWith('\r') ? '\r' : '';
    const parts = text.slice(0, text.length - held.length).split('"');
    yield parts.map((one, index) => ((part + index) % 2 === first ? edit(one) : one)).join('"');
    part += parts.length - 1;
  }
  yield held;
}

async function* withoutLastLineEnd(texts: Texts): Texts {
  let held = '';
  for await (const chunk of texts) {
    const text = held + chunk;
    held = text.slice(-2);
    yield text.slice(0, -2);
  }
  yield held.replace(/\r?\n$/, '');
}

async function* withLastLineEnd(texts: Texts): Texts {
  yield* texts;
  yield '\n';
}

async function* withoutMark(texts: Texts): Texts {
  let isFirst = true;
  for await (const text of texts) {
    yield isFirst && text.startsWith(MARK) ? text.slice(MARK.length) : text;
    isFirst = false;
  }
}

async function* withMark(texts: Texts): Texts {
  yield MARK;
  yield* texts;
}
