import {fromBER, GeneralizedTime, Integer, Primitive, Sequence, type BaseBlock} from 'asn1js';

/** A day. An authority with a larger accuracy measures no time. */
const MOST_SECONDS = 86_400;
/** Of `millis` and `micros` (RFC 3161, 2.4.2). */
const MOST_PART = 999;

/**
 * The accuracy of a `TSTInfo` in milliseconds, rounded up; 0 if it names none. Reads the bytes themselves, because pkijs takes a number of more
 * than four bytes for 0. Throws an `Error` if the accuracy is negative or out of its range.
 */
export function accuracyIn(info: ArrayBuffer): number {
  const members = membersOf(fromBER(info).result);
  const at = members.findIndex(member => member instanceof GeneralizedTime) + 1;
  const [seconds, millis, micros] = partsOf(members[at]);
  if (!isWithin(seconds, MOST_SECONDS)) throw new Error(`its accuracy is not 0 to ${MOST_SECONDS} seconds`);
  if (!isWithin(millis, MOST_PART) || !isWithin(micros, MOST_PART))
    throw new Error(`its accuracy has milliseconds or microseconds that are not 0 to ${MOST_PART}`);
  return seconds * 1000 + millis + Math.ceil(micros / 1000);
}

/** Seconds, milliseconds and microseconds. */
function partsOf(accuracy: BaseBlock | undefined): [number, number, number] {
  const parts: [number, number, number] = [0, 0, 0];
  if (!(accuracy instanceof Sequence)) return parts;
  for (const member of membersOf(accuracy)) {
    const isTagged = member instanceof Primitive && member.idBlock.tagClass === CONTEXT;
    const place = isTagged ? member.idBlock.tagNumber + 1 : 0;
    if (!(isTagged || member instanceof Integer) || place > 2)
      throw new Error('its accuracy has a member of another kind');
    parts[place] = numberIn((member as Integer).valueBlock.valueHexView);
  }
  return parts;
}

const CONTEXT = 3;

function membersOf(value: unknown): readonly BaseBlock[] {
  return value instanceof Sequence ? value.valueBlock.value : [];
}

/** The number that the content of an INTEGER of any length is; a large one is only about right. */
export function numberIn(bytes: Uint8Array): number {
  const magnitude = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return (bytes[0] ?? 0) < 128 ? magnitude : magnitude - 256 ** bytes.length;
}

function isWithin(number: number, most: number): boolean {
  return number >= 0 && number <= most;
}
