import {closeSync, openSync, writeFileSync} from 'node:fs';
import {fingerprintOf, type Fingerprint, type Text} from '../documents/text.ts';

/** How many characters are written at a time. */
const BATCH = 1 << 18;

/** Writes a file piece by piece, and tells what it is known by. Throws the system's error where it cannot be written. */
export function writeText(path: string, text: Text): Fingerprint {
  const file = openSync(path, 'w');
  try {
    let waiting = '';
    const fingerprint = fingerprintOf(text, piece => {
      waiting += piece;
      if (waiting.length < BATCH) return;
      writeFileSync(file, waiting);
      waiting = '';
    });
    writeFileSync(file, waiting);
    return fingerprint;
  } finally {
    closeSync(file);
  }
}
