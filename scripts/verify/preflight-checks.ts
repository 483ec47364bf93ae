import {preflight} from '../../paywall/preflight/preflight.ts';
import {realMoneyFaults} from '../../shared/real-money.ts';
import {openSetup} from '../../paywall/preflight/setup.ts';
import {payToFault} from '../../shared/pay-to.ts';
import {describeFault} from '../../shared/fault.ts';
import {gateSettings} from '../terminal/gate-settings.ts';
import {failed, passed, unchecked, type Check} from '../../buyer/verify/check.ts';
import {readRules} from '../../buyer/verify/rule-checks.ts';

/**
 * Runs the preflight of the publisher's own site. Returns no checks if the rules are invalid, which other checks report.
 *
 * @param root the folder of the site
 * @param target the URL or folder to verify, if it is not the site in `root`: no checks unless it has the same origin
 */
export async function preflightChecks(root: string, target?: string): Promise<Check[]> {
  const rules = await readRules(root).catch(() => undefined);
  if (!rules || (await payToFault(rules))) return [];
  if (target !== undefined && !(URL.canParse(target) && new URL(target).origin === new URL(rules.base_url).origin))
    return [];
  const {setup} = await openSetup(rules, await gateSettings(process.env));
  const [faults, results] = await Promise.all([realMoneyFaults(setup.rules, setup), preflight(setup)]);
  const money = faults.map(fault => failed('real money', fault.field ?? fault.file ?? '', describeFault(fault)));
  return money.concat(
    results.map(({state, kind, subject, message}) => {
      if (state === 'warning') return unchecked(kind, subject, `it ${message}`);
      return state === 'ok' ? passed(kind, subject, message) : failed(kind, subject, message);
    }),
  );
}
