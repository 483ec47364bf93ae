import {InputError} from '../../shared/fault.ts';
import type {Freeze} from './freezes.ts';
import {readJsonFile} from './json-file.ts';
import {compile, object, type Accepted} from './validator.ts';

const payload = object({
  sku: {type: 'string', pattern: '^[a-z0-9]+$', description: 'a product name: lower-case letters and digits'},
  http_status: {const: 402},
  settle_success: {const: false, description: 'false: a settlement is never claimed'},
});
const event = object({type: {const: 'payment_required'}, payload});

/** A frozen, unsigned event. `payment_required` is the only type (specification, Events). */
export type Event = Accepted<typeof event>;

const validate = compile<readonly Event[]>({type: 'array', items: event});

/** Reads the events of a freeze, in order. Throws `InputError` for events of another type. */
export function readEvents(freeze: Freeze): readonly Event[] {
  const [file] = freeze.files;
  if (file === undefined || freeze.files.length > 1 || file.endsWith('.gz') || freeze.format !== 'json') {
    const rule = 'is not one uncompressed JSON file, as a source of events must be';
    throw new InputError({code: 'FZ203', file: freeze.descriptor, field: 'resources[0]', rule});
  }
  return readJsonFile(freeze.root, file, validate, 'list');
}
