import type {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {z} from '@x402/core/schemas';
import {InputError} from '../../shared/fault.ts';
import {microsOf} from '../buy/money.ts';
import {NETWORKS} from '../buy/networks.ts';
import {mediaTypeOf, soldOf, titleOf, type Sold} from '../buy/sold.ts';
import {entryOf} from '../verify/catalogue.ts';
import {commonMembers, answer, page, pageOf, priceOf, someOf} from './answer.ts';
import {uriOf} from './resources.ts';
import type {Shop} from './shop.ts';

const NOT_A_NAME = 'is not a name in list_products';

const product = z.string().regex(/^[a-z0-9]{1,243}$/, NOT_A_NAME);
export const name = z
  .string()
  .max(255)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*(\.(csv|parquet))?$/, NOT_A_NAME)
  .describe('the name of a product, or of a part or format of one, as in list_products');
export const offset = z.number().int().min(0).default(0).describe('next_offset of the previous answer');
const facts = {
  ...{name: z.string(), product: z.string(), title: z.string(), as_of: z.string()},
  ...{price: z.string(), price_usd: z.number(), type: z.string(), sha256: z.string(), bytes: z.number()},
};
const free = {annotations: {readOnlyHint: true, openWorldHint: true}};

/** Adds `list_products`, which reads the catalogue of the site. */
export function addListProducts(server: McpServer, shop: Shop): void {
  server.registerTool(
    'list_products',
    {
      ...free,
      description: `Lists the documents that ${shop.options.origin} sells, with date, price and SHA-256: first every product, then other formats and parts. With product, only the documents of that product.`,
      inputSchema: {product: product.optional().describe('the name of a product'), offset},
      outputSchema: {
        ...commonMembers,
        products: z.array(z.object({...facts, owned: z.boolean()})),
        total: z.number(),
        next_offset: z.number().nullable(),
      },
    },
    ({product, offset}, request) =>
      answer(shop, request, async signal => {
        const catalogue = await shop.catalogue(signal);
        const chosen = product === undefined ? catalogue.products : [entryOf(catalogue, product)];
        const sold = chosen.map(soldOf);
        const all = [...sold.flatMap(one => one.slice(0, 1)), ...sold.flatMap(one => one.slice(1))];
        const owned = new Set((await shop.owned()).map(({sha256}) => sha256));
        const {some, ...rest} = someOf(all, offset);
        return {
          products: some.map(one => ({
            ...factsOf(one),
            ...priceOf(microsOf(one.entry.price)),
            owned: owned.has(one.document.listed.sha256),
          })),
          ...rest,
        };
      }),
  );
}

/** Adds `read_free`, which downloads a free document and returns its text in pages. */
export function addReadFree(server: McpServer, shop: Shop): void {
  server.registerTool(
    'read_free',
    {
      ...free,
      description:
        'Reads a free document of a product: its sample, the JSON Schema of the sample or of the paid document, or the history of its figures.',
      inputSchema: {
        name: product.describe('the name of a product'),
        part: z.enum(['sample', 'sampleSchema', 'paidSchema', 'history']),
        offset,
      },
      outputSchema: {...commonMembers, name: z.string(), part: z.string(), ...page},
    },
    ({name, part, offset}, request) =>
      answer(shop, request, async signal => ({
        ...{name, part},
        ...pageOf(await shop.free(name, part, signal), offset),
      })),
  );
}

/** Adds `show_offer`, which requests the terms of a document without paying. */
export function addShowOffer(server: McpServer, shop: Shop): void {
  server.registerTool(
    'show_offer',
    {
      ...free,
      description:
        'Requests the terms of a document from the gate: its current price, payee and network, and whether buy_document would refuse it or ask the user.',
      inputSchema: {name},
      outputSchema: {
        ...commonMembers,
        ...facts,
        ...{network: z.string(), pay_to: z.string(), owned: z.string().nullable(), refused: z.string().nullable()},
        asks_person: z.boolean(),
      },
    },
    ({name}, request) =>
      answer(shop, request, async signal => {
        const {offer, owned, rewriteFaults, limitFaults} = await shop.look(name, signal);
        const faults = [...rewriteFaults, ...limitFaults];
        const {amount, network, payTo} = offer.terms.requirements;
        return {
          ...factsOf(offer),
          ...priceOf(Number(amount)),
          ...{network: NETWORKS[network] ?? network, pay_to: payTo, owned: owned ? uriOf(owned.sha256) : null},
          refused: faults.length > 0 ? new InputError(faults).message : null,
          asks_person: !owned && Number(amount) > shop.options.askAbove,
        };
      }),
  );
}

function factsOf({entry, document}: Sold) {
  const {name, type, listed} = document;
  const {sha256, bytes} = listed;
  const {name: product, as_of} = entry;
  return {name, product, title: titleOf({entry, document}), as_of, type: mediaTypeOf(type), sha256, bytes};
}
