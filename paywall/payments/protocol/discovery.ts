import {bazaarResourceServerExtension, declareDiscoveryExtension} from '@x402/extensions/bazaar';
import type {RuleEntry} from '../../../shared/shapes.ts';
import type {Documents} from '../../site/documents.ts';

/** As JSON. A facilitator receives it with every payment, and the body of each 402 has it. */
const DISCOVERY_MAX_BYTES = 16_000;

/** The smallest form of the extension `bazaar`, for the header: directories such as x402scan want to read there how the document is requested. */
export const SMALLEST_DISCOVERY = {
  bazaar: {
    info: {input: {type: 'http', method: 'GET'}},
    schema: {
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {type: {const: 'http'}, method: {enum: ['GET']}, queryParams: {type: 'object'}},
          required: ['type', 'method'],
        },
      },
      required: ['input'],
    },
  },
};

/**
 * The extension `bazaar` of x402, from which facilitators make their catalogues: the method, and an example and the schema of the document
 * if they fit.
 */
export async function discoveryOf(rule: RuleEntry, documents: Documents): Promise<Record<string, unknown>> {
  const {example} = rule;
  const schema = example && (await outputSchema(rule, documents));
  const outputs = [...(example && schema ? [{example, schema}] : []), ...(example ? [{example}] : [])];
  const fits = (extension: unknown) => Buffer.byteLength(JSON.stringify(extension)) <= DISCOVERY_MAX_BYTES;
  return outputs.map(output => declaration({output})).find(fits) ?? declaration({});
}

function declaration(config: Parameters<typeof declareDiscoveryExtension>[0]): Record<string, unknown> {
  const {bazaar} = declareDiscoveryExtension(config);
  return {bazaar: bazaarResourceServerExtension.enrichDeclaration?.(bazaar, {method: 'GET', adapter: {}}) ?? bazaar};
}

/** The document's schema without its identity, which facilitators take for a reference to fetch. */
async function outputSchema({schema}: RuleEntry, documents: Documents): Promise<Record<string, unknown> | undefined> {
  const bytes = await documents.read(schema);
  if (!bytes) return undefined;
  const parsed = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(parsed).filter(([key]) => key !== '$id' && key !== '$schema'));
}
