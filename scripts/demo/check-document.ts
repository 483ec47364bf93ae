import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import canonicalize from 'canonicalize';
import {createHash} from 'node:crypto';
import type {Listed} from '../../shared/shapes.ts';

/** One thing a buyer checks, with what was found. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Checks a bought document as a buyer would: its bytes, its shape and its own digest. */
export function checkDocument(bytes: Uint8Array, listed: Listed, schema: object): Check[] {
  const document = JSON.parse(new TextDecoder().decode(bytes)) as Readonly<Record<string, unknown>>;
  return [checkBytes(bytes, listed), checkSchema(document, schema), checkDigest(document)];
}

/** The bytes are those the catalogue announced. */
export function checkBytes(bytes: Uint8Array, listed: Listed): Check {
  const digest = sha256(bytes);
  const ok = digest === listed.sha256 && bytes.length === listed.bytes;
  return {name: 'bytes', ok, detail: `${bytes.length} bytes, SHA-256 ${digest}`};
}

function checkSchema(document: unknown, schema: object): Check {
  const ajv = new Ajv2020({allErrors: true, strict: false});
  addFormats.default(ajv);
  const ok = ajv.validate(schema, document);
  return {name: 'schema', ok, detail: ok ? 'valid by its JSON Schema, draft 2020-12' : ajv.errorsText()};
}

/** A document's `sha256` is that of the RFC 8785 form of its other members. */
function checkDigest({sha256: stated, ...rest}: Readonly<Record<string, unknown>>): Check {
  const digest = sha256(canonicalize(rest) ?? '');
  return {name: 'sha256', ok: digest === stated, detail: `RFC 8785 form has SHA-256 ${digest}`};
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
