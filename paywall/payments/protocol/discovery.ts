import {bazaarResourceServerExtension, declareDiscoveryExtension} from '@x402/extensions/bazaar';
import type {RuleEntry} from '../../../shared/shapes.ts';
import type {Documents} from '../../site/documents.ts';

/** The maximum size of the extension as JSON: the body of every 402 and every request to a facilitator contain it. */
const DISCOVERY_MAX_BYTES = 16_000;

/** The smallest form of the extension `bazaar`, for the header, where directories such as x402scan read how to request the document. */
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
 * Returns the x402 extension `bazaar`, from which facilitators compile their catalogues: the method, and the example and the schema of the
 * document if they fit.
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

/** Returns the document's schema without `$id` and `$schema`, which facilitators would fetch. */
async function outputSchema({schema}: RuleEntry, documents: Documents): Promise<Record<string, unknown> | undefined> {
  const bytes = await documents.read(schema);
  if (!bytes) return undefined;
  const parsed = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(parsed).filter(([key]) => key !== '$id' && key !== '$schema'));
}
