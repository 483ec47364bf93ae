import type {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {z} from '@x402/core/schemas';
import {microsOf} from '../buy/money.ts';
import {NETWORKS} from '../buy/networks.ts';
import {always, answer, page, pageOf, priceOf} from './answer.ts';
import {uriOf} from './resources.ts';
import type {Shop} from './shop.ts';

const PRODUCTS_AT_ONCE = 50;

export const name = z
  .string()
  .regex(/^[a-z0-9]{1,243}$/)
  .describe('the name of a product, as list_products gives it');
export const offset = z.number().int().min(0).default(0).describe('next_offset of the answer before');
const priced = {price: z.string(), price_usd: z.number()};
const free = {annotations: {readOnlyHint: true, openWorldHint: true}};

/** The tools that pay nothing and read the site. */
export function addLookTools(server: McpServer, shop: Shop): void {
  const {origin} = shop.options;
  server.registerTool(
    'list_products',
    {
      ...free,
      description: `Lists what ${origin} sells, with date, price and SHA-256.`,
      inputSchema: {offset},
      outputSchema: {
        ...always,
        products: z.array(
          z.object({
            ...{name: z.string(), title: z.string(), as_of: z.string(), ...priced},
            ...{sha256: z.string(), bytes: z.number(), owned: z.boolean()},
          }),
        ),
        total: z.number(),
        next_offset: z.number().nullable(),
      },
    },
    ({offset}, request) =>
      answer(shop, request, async signal => {
        const {products} = await shop.catalogue(signal);
        const owned = new Set((await shop.owned()).map(({sha256}) => sha256));
        const end = offset + PRODUCTS_AT_ONCE;
        return {
          products: products.slice(offset, end).map(({name, title, as_of, price, paid: {sha256, bytes}}) => ({
            ...{name, title, as_of, ...priceOf(microsOf(price)), sha256, bytes, owned: owned.has(sha256)},
          })),
          total: products.length,
          next_offset: end < products.length ? end : null,
        };
      }),
  );
  server.registerTool(
    'read_free',
    {
      ...free,
      description:
        'Reads a free document of a product: its sample, the JSON Schema of the sample or of the paid document, or the history of its figures.',
      inputSchema: {name, part: z.enum(['sample', 'sampleSchema', 'paidSchema', 'history']), offset},
      outputSchema: {...always, name: z.string(), part: z.string(), ...page},
    },
    ({name, part, offset}, request) =>
      answer(shop, request, async signal => ({
        ...{name, part},
        ...pageOf(await shop.free(name, part, signal), offset),
      })),
  );
  server.registerTool(
    'show_offer',
    {
      ...free,
      description:
        'Asks the gate for the terms of a document: what it costs now, who is paid on which network, and whether buy_document would refuse it or ask the person.',
      inputSchema: {name},
      outputSchema: {
        ...always,
        ...{name: z.string(), title: z.string(), as_of: z.string(), ...priced, sha256: z.string(), bytes: z.number()},
        ...{network: z.string(), pay_to: z.string(), owned: z.string().nullable(), refused: z.string().nullable()},
        asks_person: z.boolean(),
      },
    },
    ({name}, request) =>
      answer(shop, request, async signal => {
        const {offer, owned, rewritten, tooDear} = await shop.look(name, signal);
        const {title, as_of, paid} = offer.entry;
        const {amount, network, payTo} = offer.terms.requirements;
        return {
          ...{name, title, as_of, ...priceOf(Number(amount)), sha256: paid.sha256, bytes: paid.bytes},
          ...{network: NETWORKS[network] ?? network, pay_to: payTo, owned: owned ? uriOf(owned.sha256) : null},
          refused: (rewritten ?? tooDear)?.message ?? null,
          asks_person: !owned && Number(amount) > shop.options.askAbove,
        };
      }),
  );
}
