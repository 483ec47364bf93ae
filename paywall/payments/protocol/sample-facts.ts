import {paths} from '../../../shared/paths.ts';
import type {RuleEntry} from '../../../shared/shapes.ts';
import type {Documents} from '../../site/documents.ts';

/** The facts about a document in its free sample, and the product's page. */
export interface SampleFacts {
  /** One sentence about the snapshot. */
  readonly reason?: string;
  /** The members of the sample that are numbers. */
  readonly figures: Readonly<Record<string, unknown>>;
  /** The path of the product's page. */
  readonly page: string;
}

/** Reads the sample of a document. While a build is writing the sample of another snapshot, the figures are empty. */
export async function sampleFacts({name, sample}: RuleEntry, asOf: string, documents: Documents): Promise<SampleFacts> {
  const bytes = await documents.read(sample);
  const page = paths.page(name);
  const members = bytes ? membersIn(bytes) : {};
  if (members['as_of'] !== asOf) return {figures: {}, page};
  const {reason} = members;
  const figures = Object.fromEntries(Object.entries(members).filter(([, value]) => isFigure(value)));
  return {...(typeof reason === 'string' && {reason}), figures, page};
}

function membersIn(bytes: Uint8Array): Record<string, unknown> {
  try {
    return (JSON.parse(new TextDecoder().decode(bytes)) ?? {}) as Record<string, unknown>;
  } catch {
    return {}; // a sample that was edited by hand must not prevent sales of its document
  }
}

/** True for a number, for a text of digits (a number too large for JSON), and for an object of such values. */
function isFigure(value: unknown): boolean {
  if (typeof value === 'number') return true;
  if (typeof value === 'string') return /^-?\d+(\.\d+)?$/.test(value);
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isFigure);
}
