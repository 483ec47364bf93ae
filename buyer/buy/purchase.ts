import {mkdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {isLoopback} from '../../shared/loopback.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {makeFolder} from './disk.ts';
import {refuseWithoutSchema, type Offer} from './offer.ts';
import {folderFor, type Bought} from './owned.ts';
import {isOpen} from './payments.ts';
import {downloadBySignIn} from './download-by-sign-in.ts';
import {resume} from './resume.ts';
import {send} from './send.ts';
import {signPayment} from './sign.ts';
import {refusedPayment, takeDocument, type PurchaseContext} from './take-document.ts';

/**
 * Buys a document that is not in the folder, and pays for it once: an interrupted purchase is continued, and a document that the wallet
 * bought with another folder is downloaded again. Throws `InputError` if no document arrives; it says whether something may have been paid.
 */
export async function purchase(offer: Offer, context: PurchaseContext): Promise<Bought> {
  const {site, document} = offer;
  const former = context.payments.openOf(site.origin, document.name);
  const elsewhere = context.payments.all.find(
    one => isOpen(one) && one !== former && one.sha256 === document.listed.sha256,
  );
  if (elsewhere)
    throw new InputError({
      code: 'FZ610',
      url: offer.url,
      rule: `is already being bought as ${elsewhere.name} of ${elsewhere.site}`,
      fix: 'Continue that purchase, or use another `--folder` to buy the document here as well.',
    });
  const here = await (former ? resume(offer, former, context) : downloadBySignIn(offer, context));
  if (here) return here;
  refuseOtherAddress(offer);
  await refuseWithoutSchema(offer, context.examiner);
  const consent = await context.agree(offer);
  await makeFolderFor(offer, context.folder);
  const payment = await signPayment(offer, consent, context);
  const outcome = await send(offer, payment.header);
  if (outcome.kind === 'document') return takeDocument(offer, payment, outcome, context);
  throw refusedPayment(offer, payment, outcome);
}

/** Throws `InputError` if this is not the `base_url` of the site: at another address, no sign-in shows what the wallet has bought. */
function refuseOtherAddress({site: {origin, catalogue}, url}: Offer): void {
  if (origin === catalogue.base_url || isLoopback(new URL(origin).hostname)) return;
  const own = shownAddress(catalogue.base_url);
  const fix = `If ${own} is the site you want, use it as the address.`;
  throw new InputError({code: 'FZ608', url, rule: `is a document of ${own}. Nothing was paid`, fix});
}

/** Creates the folder for the document before the payment. Throws `InputError` if it cannot be created or written. */
async function makeFolderFor(offer: Offer, root: string): Promise<void> {
  const file = folderFor(root, offer);
  try {
    await makeFolder(file);
    const probe = join(file, '.new');
    await rm(probe, {recursive: true, force: true}); // from a purchase that was interrupted here
    await mkdir(probe);
    await rm(probe, {recursive: true});
  } catch (cause) {
    const {code = ''} = cause as NodeJS.ErrnoException;
    const fix = 'Move what is in its place, or check the permissions and the free space.';
    throw new InputError({code: 'FZ611', file, rule: `cannot be written (${code}). Nothing was paid`, fix}, {cause});
  }
}
