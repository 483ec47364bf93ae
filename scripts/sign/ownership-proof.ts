import {realpath, rename, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {applyEdits, modify} from 'jsonc-parser';
import {readJsonText, validated} from '../../build/read/json-file.ts';
import {unprovenSite, type UnprovenSite} from '../../build/read/site.ts';
import {compile} from '../../build/read/validator.ts';
import {InputError} from '../../shared/fault.ts';
import {proverOf} from '../../shared/ownership.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import type {Payee} from '../../shared/payees.ts';
import {withFileErrors} from '../../shared/file-errors.ts';

/** Reads `data/site.json`. Its proofs may be for a former `base_url` or payee, so they are not checked yet. */
export function readUnproven(root: string) {
  const json = readJsonText(root, SITE_FILE);
  return {text: json.text, site: validated(json, compile<UnprovenSite>(unprovenSite))};
}

/**
 * Saves a proof in `data/site.json`, next to valid proofs of other payees. The rest of the text is unchanged. Throws `InputError` if the
 * proof is not by a payee.
 */
export async function keepProof(
  root: string,
  {text, site}: ReturnType<typeof readUnproven>,
  proof: string,
): Promise<Payee> {
  const {base_url, payment, ownership_proofs = []} = site;
  const prover = (proof: string) => proverOf(proof, base_url, payment.accepts);
  const payee = await prover(proof);
  const payees = payment.accepts.map(({pay_to}) => pay_to).join(', ');
  if (!payee) {
    const rule = `is not by a payee, ${payees}, over ${base_url}`;
    const fix =
      'Sign exactly the text of `base_url` with the wallet of a payee. Without a wallet here, see `--print-message`.';
    throw new InputError({code: 'FZ211', subject: 'The signature', rule, fix});
  }
  const others = await Promise.all(
    ownership_proofs.map(async other => {
      const {pay_to = payee.pay_to} = (await prover(other)) ?? {};
      return pay_to === payee.pay_to ? [] : [other];
    }),
  );
  const proofs = [...others.flat(), proof];
  await writeMember(root, text, 'ownership_proofs', proofs);
  return payee;
}

/**
 * Replaces or adds a member of `data/site.json`. The rest of the text is unchanged. Throws `InputError` if the file is not `text` any more,
 * for example because it was edited while the command waited for a passphrase.
 */
export async function writeMember(root: string, text: string, member: string, value: unknown): Promise<void> {
  const edits = modify(text, [member], value, {formattingOptions: {insertSpaces: true, tabSize: 2}});
  if (readJsonText(root, SITE_FILE).text !== text) {
    const fix = 'Run the command again.';
    throw new InputError({code: 'FZ402', file: SITE_FILE, rule: 'changed after it was read', fix});
  }
  await withFileErrors(SITE_FILE, 'written', () => replace(join(root, SITE_FILE), applyEdits(text, edits)));
}

/** Replaces a file in one step, and keeps links to it. */
async function replace(file: string, text: string): Promise<void> {
  const real = await realpath(file);
  const {mode} = await stat(real);
  await writeFile(`${real}.new`, text, {mode});
  await rename(`${real}.new`, real);
}
