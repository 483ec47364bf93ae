import type {OpenSite} from '../../paywall/site/open-site.ts';
import {refuseUnready} from '../../paywall/readiness/readiness.ts';
import {openSetup} from '../../paywall/readiness/setup.ts';
import {networkOf} from '../../shared/networks.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {gateSettings} from '../terminal/gate-settings.ts';

/**
 * Where the money of a deployment goes, in lines, with what is in doubt. Throws `InputError` where no sale could succeed, or
 * what is left of trying things out would take real money.
 *
 * @param host its name in the rules
 */
export async function paymentNotes({rules}: OpenSite, host: string): Promise<string[]> {
  if (host === 'github-pages') return [];
  const {setup} = await openSetup(rules, await gateSettings(process.env));
  // AWS settles by itself.
  const findings = await refuseUnready(host === 'aws' ? {...setup, facilitator: undefined} : setup);
  const {facilitator} = setup;
  const through =
    host === 'aws' ? 'AWS' : facilitator ? `the facilitator ${shownAddress(facilitator.url)}` : 'the gate itself';
  const payees = rules.payment.accepts.map(async ({network, pay_to}) => {
    const {name, isTest} = await networkOf(network);
    return `money goes to ${pay_to} on ${name} (${network}, ${isTest ? 'test' : 'real'} money), through ${through}`;
  });
  const doubts = findings.filter(({state}) => state === 'doubt');
  return [...(await Promise.all(payees)), ...doubts.map(({what, subject, words}) => `${what}: ${subject} ${words}`)];
}
