import type {RuleEntry} from '../../../shared/shapes.ts';
import type {Documents} from '../../site/documents.ts';

/** What the free sample says about the document, and where people read about the product. */
export interface SampleFacts {
  /** One sentence. */
  readonly reason?: string;
  readonly figures: Readonly<Record<string, unknown>>;
  /** The path of the product's page. */
  readonly page: string;
}

/** Reads the sample of a document. A sample of another snapshot, which a build is writing, has no figures. */
export async function sampleFacts({name, sample}: RuleEntry, asOf: string, documents: Documents): Promise<SampleFacts> {
  const [bytes, ownPage] = await Promise.all([documents.read(sample), documents.read(`/products/${name}.html`)]);
  const page = ownPage ? `/products/${name}.html` : `/#${name}`;
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
    return {}; // a sample that was edited by hand must not stop the sales of its document
  }
}

/** True for a number, the digits of one that JSON numbers cannot hold, and an object of such. */
function isFigure(value: unknown): boolean {
  if (typeof value === 'number') return true;
  if (typeof value === 'string') return /^-?\d+(\.\d+)?$/.test(value);
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isFigure);
}
