import {closeSync, openSync, writeFileSync} from 'node:fs';
import {fingerprintOf, type Fingerprint, type Text} from '../compose/text.ts';

/** Writes a file piece by piece, and tells what it is known by. Throws the system's error where it cannot be written. */
export function writeText(path: string, text: Text): Fingerprint {
  const file = openSync(path, 'w');
  try {
    return fingerprintOf(text, piece => {
      writeFileSync(file, piece);
    });
  } finally {
    closeSync(file);
  }
}
