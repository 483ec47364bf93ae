import {join} from 'node:path';
import {readiness} from '../../paywall/readiness/readiness.ts';
import {realMoneyFaults} from '../../paywall/readiness/real-money.ts';
import {openSetup} from '../../paywall/readiness/setup.ts';
import {payToFault} from '../../paywall/site/pay-to.ts';
import {describeFault} from '../../shared/fault.ts';
import {RULES_FILE} from '../../shared/paths.ts';
import {gateSettings} from '../terminal/gate-settings.ts';
import {textIfThere} from './bounded-file.ts';
import {MAX_SITE_BYTES} from './bounds.ts';
import {failed, passed, unchecked, type Check} from './check.ts';
import {rulesIn} from './rule-checks.ts';

/**
 * Whether facilitator and chain let a sale of the publisher's own site succeed, by its rules and the environment. No check
 * where its rules are at fault, which others tell.
 *
 * @param root the folder of the site
 * @param target what is verified, if not the site below `root`: nothing is asked of any other than its own origin
 */
export async function readinessChecks(root: string, target?: string): Promise<Check[]> {
  const text = await textIfThere(join(root, RULES_FILE), MAX_SITE_BYTES).catch(() => undefined);
  const rules = text === undefined ? '' : rulesIn(text);
  if (typeof rules === 'string' || (await payToFault(rules))) return [];
  if (target !== undefined && !(URL.canParse(target) && new URL(target).origin === new URL(rules.base_url).origin))
    return [];
  const {setup} = await openSetup(rules, await gateSettings(process.env));
  const [faults, findings] = await Promise.all([realMoneyFaults(setup.rules, setup), readiness(setup)]);
  const money = faults.map(fault => failed('real money', fault.field ?? fault.file, describeFault(fault)));
  return money.concat(
    findings.map(({state, what, subject, words}) => {
      if (state === 'doubt') return unchecked(what, subject, `it ${words}`);
      return state === 'fine' ? passed(what, subject, words) : failed(what, subject, words);
    }),
  );
}
