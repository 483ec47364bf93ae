import type {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {z} from '@x402/core/schemas';
import {FORMATS} from '../../shared/paths.ts';
import {microsOf} from '../buy/money.ts';
import {mediaTypeOf} from '../buy/sold.ts';
import {isFine} from '../verify/check.ts';
import {commonMembers, answer, page, pageOf, priceOf, someOf} from './answer.ts';
import {offset} from './look-tools.ts';
import {uriOf} from './resources.ts';
import type {Shop} from './shop.ts';

const MOST_CHECKS = 50;

export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lower-case hexadecimal')
  .describe('the SHA-256 of the document');
const facts = {site: z.string(), name: z.string(), sha256: z.string(), price: z.string(), price_usd: z.number()};
const annotations = {readOnlyHint: true};

/** Adds `list_owned`, which reads only the folder of bought documents. */
export function addListOwned(server: McpServer, shop: Shop): void {
  server.registerTool(
    'list_owned',
    {
      annotations,
      description:
        'Lists the owned documents, newest first, and the interrupted purchases, which buy_document continues.',
      inputSchema: {offset},
      outputSchema: {
        ...commonMembers,
        documents: z.array(
          z.object({
            ...{uri: z.string(), title: z.string(), as_of: z.string(), ...facts},
            ...{product: z.string(), type: z.string()},
          }),
        ),
        unfinished: z.array(z.object({signed_at: z.string(), ...facts})),
        total: z.number(),
        next_offset: z.number().nullable(),
      },
    },
    ({offset}, request) =>
      answer(shop, request, async () => {
        const [owned, {open}] = await Promise.all([shop.owned(), shop.budgetStatus()]);
        const {some, ...rest} = someOf(owned, offset);
        return {
          documents: some.map(({site, name, product, format, title, as_of, price, sha256}) => ({
            ...{uri: uriOf(sha256), site, name, product, type: mediaTypeOf(FORMATS[format].type)},
            ...{title, as_of, ...priceOf(microsOf(price)), sha256},
          })),
          unfinished: open.map(({site, name, sha256, amount, signedAt}) => ({
            ...{site, name, sha256, ...priceOf(Number(amount)), signed_at: signedAt},
          })),
          ...rest,
        };
      }),
  );
}

/** Adds `read_document`, which returns the text of a bought document in pages. */
export function addReadDocument(server: McpServer, shop: Shop): void {
  server.registerTool(
    'read_document',
    {
      annotations,
      description: 'Reads an owned document in JSON or CSV. Parquet is not text, so the answer names its file.',
      inputSchema: {sha256, offset},
      outputSchema: {...commonMembers, sha256: z.string(), file: z.string(), ...page},
    },
    ({sha256, offset}, request) =>
      answer(shop, request, async () => {
        const {file, text} = await shop.text(sha256);
        return {sha256, file, ...pageOf(text, offset)};
      }),
  );
}

export function addVerifyDocument(server: McpServer, shop: Shop): void {
  server.registerTool(
    'verify_document',
    {
      annotations: {...annotations, openWorldHint: true},
      description:
        'Checks an owned document: its digest, schema, figures and signatures, and its bytes against the catalogue if its site still sells it.',
      inputSchema: {sha256},
      outputSchema: {
        ...commonMembers,
        ...{sha256: z.string(), ok: z.boolean(), for_sale: z.boolean()},
        checks: z.array(z.object({what: z.string(), state: z.string(), detail: z.string()})),
      },
    },
    ({sha256}, request) =>
      answer(shop, request, async signal => {
        const {isForSale, checks} = await shop.verify(sha256, signal);
        const shown = checks.slice(0, MOST_CHECKS).map(({what, state, detail}) => ({what, state, detail}));
        return {sha256, ok: isFine(checks), for_sale: isForSale, checks: shown};
      }),
  );
}
