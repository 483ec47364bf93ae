import type {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {McpError, type RequestId} from '@modelcontextprotocol/sdk/types.js';
import {z} from '@x402/core/schemas';
import {InputError, refuse} from '../../shared/fault.ts';
import {printable} from '../../shared/printable.ts';
import {priceSchema} from '../../shared/price.ts';
import {dealOf, refuseChanged} from '../buy/consent.ts';
import {dollarsOf, microsOf} from '../buy/money.ts';
import type {Offer} from '../buy/offer.ts';
import {isNetwork, NETWORKS, networkOf} from '../buy/networks.ts';
import {factsIn} from '../buy/owned.ts';
import {commonMembers, answer} from './answer.ts';
import {name} from './look-tools.ts';
import {sha256} from './owned-tools.ts';
import {uriOf} from './resources.ts';
import type {Shop} from './shop.ts';

/** The user may be away. */
const PATIENCE_MS = 3_600_000;

/** Adds the only tool that pays. */
export function addBuyTool(server: McpServer, shop: Shop): void {
  const {askAbove, account} = shop.options;
  server.registerTool(
    'buy_document',
    {
      description: `Buys a document within the budget, once: a document that is already owned is not paid again, and an interrupted purchase continues. Pass the SHA-256, price, network and payee of show_offer; if one of them has changed, nothing is paid. The user is asked if the price is above ${dollarsOf(askAbove)}.`,
      annotations: {destructiveHint: true, idempotentHint: true, openWorldHint: true},
      inputSchema: {
        name,
        sha256,
        network: z
          .string()
          .refine(isNetwork, 'is not a network of show_offer')
          .describe('the network, as in show_offer'),
        pay_to: z.string().describe('the address that is paid, as in show_offer'),
        price: z
          .string()
          .regex(new RegExp(priceSchema.pattern), 'is not a price such as $0.02')
          .describe('the price, such as $0.02'),
      },
      outputSchema: {
        ...commonMembers,
        ...{kind: z.enum(['bought', 'owned', 'again']), name: z.string(), sha256: z.string(), uri: z.string()},
        ...{folder: z.string(), transaction: z.string().nullable()},
      },
    },
    ({name, sha256, price, network, pay_to: payTo}, request) =>
      shop.track(
        answer(shop, request, async signal => {
          const rule = 'is missing, because this server was started without one';
          if (!account) throw new InputError({code: 'FZ504', subject: 'The wallet', rule});
          const {offer, owned, rewriteFaults, limitFaults} = await shop.look(name, signal, networkOf(network));
          refuseChanged({sha256, payTo, network: networkOf(network), amount: String(microsOf(price))}, offer);
          const faults = [...rewriteFaults, ...limitFaults];
          const isDear = Number(offer.terms.requirements.amount) > askAbove;
          // Nothing is paid for an owned document, or for one that would be refused, so the user is not asked.
          if (isDear && !owned && faults.length === 0)
            await askUser(server, shop, offer, {signal, relatedRequestId: request.requestId});
          const shown = dealOf(offer);
          const agree = (now: Offer) => {
            refuseChanged(shown, now);
            refuse(faults);
          };
          const {kind, folder, transaction = null} = await shop.buy(name, shown.network, agree, signal);
          if (kind !== 'owned') server.sendResourceListChanged();
          // If the site changed meanwhile, an older purchase may have been continued, so the digest may differ.
          const bought = await factsIn(folder);
          return {kind, name, sha256: bought.sha256, uri: uriOf(bought.sha256), folder, transaction};
        }),
      ),
  );
}

/** Resolves if the user of the client agrees. The question contains only facts, because a title could be written to persuade. */
async function askUser(
  server: McpServer,
  shop: Shop,
  {url, entry, document, terms}: Offer,
  request: {readonly signal: AbortSignal; readonly relatedRequestId: RequestId},
): Promise<void> {
  const {origin, askAbove} = shop.options;
  const refused = (rule: string, fix?: string) =>
    new InputError({code: 'FZ604', url, field: 'price', value: entry.price, rule, fix});
  if (!server.server.getClientCapabilities()?.elicitation?.form)
    throw refused(
      `is above ${dollarsOf(askAbove)}, and this client cannot ask the user (it has no elicitation)`,
      'Ask the user to start the server with a larger --ask-above.',
    );
  const {network, payTo} = terms.requirements;
  const {left} = await shop.budgetStatus();
  const message = printable(
    `Buy ${document.name} of ${origin}, as of ${entry.as_of}, for ${entry.price} on ${NETWORKS[network] ?? network}, to ${payTo}? ${dollarsOf(left)} is left of the budget of today.`,
  );
  const requestedSchema = {
    type: 'object' as const,
    properties: {buy: {type: 'boolean' as const, title: `Pay ${entry.price}`}},
    required: ['buy'],
  };
  const asked = {...request, timeout: PATIENCE_MS};
  const {action, content} = await server.server
    .elicitInput({message, requestedSchema}, asked)
    .catch((cause: unknown) => {
      if (!(cause instanceof McpError)) throw cause;
      throw new InputError(refused(`was not approved: ${cause.message}`).faults, {cause});
    });
  if (action !== 'accept' || content?.['buy'] !== true) throw refused('was not approved by the user');
}
