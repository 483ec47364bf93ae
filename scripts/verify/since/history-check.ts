import type {Json} from '../../../build/kinds/kind.ts';
import {sha256} from '../../../shared/digest.ts';
import {encode} from '../../../shared/encode.ts';
import type {Entry} from '../../../shared/shapes.ts';
import {failed, passed, type Check} from '../check.ts';
import {isObject, readObject} from '../untrusted-json.ts';

/** Whether a history begins with the points of the one that was told before. */
export function historyCheck(subject: string, bytes: Uint8Array, {title, as_of, history}: Entry): Check {
  const value = readObject(subject, bytes);
  const points = Array.isArray(value['points']) ? (value['points'] as unknown[]) : [];
  const former = {...value, title, points: points.filter(point => isObject(point) && isUpTo(point, as_of))};
  return sha256(encode(former)) === history.sha256
    ? passed('since', subject, `begins as it was`)
    : failed('since', subject, `the history was rewritten: up to ${as_of} it is not what it was`);
}

function isUpTo(point: Json, as_of: string): boolean {
  return typeof point['as_of'] === 'string' && point['as_of'] <= as_of;
}
