import type {OpenSite} from '../../paywall/site/open-site.ts';
import {requirePreflight} from '../../paywall/preflight/preflight.ts';
import {openSetup} from '../../paywall/preflight/setup.ts';
import {networkOf} from '../../shared/networks.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import type {GateSettings} from '../terminal/gate-settings.ts';

/**
 * Returns lines with the payees of a deployment and the warnings of its preflight. Throws `InputError` if no sale could succeed or real
 * money would be lost.
 *
 * @param host its name in the rules
 */
export async function paymentNotes({rules}: OpenSite, host: string, settings: GateSettings): Promise<string[]> {
  const {setup} = await openSetup(rules, settings);
  // AWS settles payments itself.
  const results = await requirePreflight(host === 'aws' ? {...setup, facilitator: undefined} : setup);
  const {facilitator} = setup;
  const through =
    host === 'aws' ? 'AWS' : facilitator ? `the facilitator ${shownAddress(facilitator.url)}` : 'the gate itself';
  const payees = rules.payment.accepts.map(async ({network, pay_to}) => {
    const {name, isTest} = await networkOf(network);
    return `money goes to ${pay_to} on ${name} (${network}, ${isTest ? 'test' : 'real'} money), through ${through}`;
  });
  const warnings = results.filter(({state}) => state === 'warning');
  return [
    ...(await Promise.all(payees)),
    ...warnings.map(({kind, subject, message}) => `${kind}: ${subject} ${message}`),
  ];
}
