import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {claims, digestFaults, rowFaults, textFaults} from '../../build/documents/invariants.ts';
import {NEVER_LISTED, NO_FETCH} from '../../build/documents/texts.ts';
import type {Json, Kind} from '../../build/kinds/kind.ts';
import {violationsOf} from '../../build/read/validator.ts';
import {unchecked, verdict, type Check} from './check.ts';

/** A sample or paid document with what it can be checked against. */
export interface Document {
  /** Its path, or the name of its file. */
  readonly subject: string;
  readonly value: Json;
  /** Absent where this program does not know the document's kind. */
  readonly kind: Kind | undefined;
  /** Absent where none was given or found. */
  readonly schema: Json | undefined;
}

/** Everything that can be said of a document by itself. */
export function examineDocument({subject, value, kind, schema}: Document): Check[] {
  return [
    ...(schema
      ? verdict('schema', subject, schemaFaults(schema, value), 'keeps its JSON Schema')
      : [unchecked('schema', subject, 'no schema is known')]),
    ...figureChecks(subject, value, kind),
    ...verdict('digest', subject, digestFaults(value), 'sha256 is that of its RFC 8785 form').filter(
      ({state}) => state === 'failed' || 'sha256' in value,
    ),
    ...verdict('claims', subject, claims(value), 'claims neither listing nor settlement'),
    ...textChecks(subject, value, kind),
  ];
}

function figureChecks(subject: string, value: Json, kind: Kind | undefined): Check[] {
  if (!kind)
    return [unchecked('figures', subject, 'they follow from rows that are not here, or its kind is not known')];
  const signed = kind.reads === 'events';
  const fine = signed ? 'every event carries its signature' : 'figures agree with one another';
  const faults = [...disagreementsIn(kind, value), ...rowFaults(value)];
  return verdict(signed ? 'signatures' : 'figures', subject, faults, fine);
}

/** A kind takes a document of its own shape for granted, and a stranger's schema may have let any through. */
export function disagreementsIn(kind: Kind, value: Json): string[] {
  try {
    return kind.disagreements(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return [`has not the shape of a document of the kind ${kind.name}`];
  }
}

function textChecks(subject: string, value: Json, kind: Kind | undefined): Check[] {
  if (value['reason'] === undefined && value['note'] === undefined) return [];
  const own = kind?.statements ?? [];
  const statements = {
    reason: [NEVER_LISTED, ...own],
    note: [NEVER_LISTED, NO_FETCH, String(value['as_of']), ...own],
  };
  return verdict('texts', subject, textFaults(value, statements), 'reason and note carry the required statements');
}

/** Why a value does not keep a schema: the first thing. A schema that cannot be compiled is a fault as well. */
export function schemaFaults(schema: Json, value: unknown): string[] {
  const ajv = new Ajv2020({verbose: true, strict: false, logger: false});
  addFormats.default(ajv);
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    return [`its JSON Schema is none: ${(error as Error).message}`];
  }
  if (validate(value)) return [];
  return violationsOf(validate).map(({path, rule}) => `${path.join('.') || 'the document'} ${rule}`);
}
