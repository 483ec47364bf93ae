import {Option} from '@commander-js/extra-typings';

/** The option of commands that sign. */
export const signingKeyOption = () =>
  new Option('--signing-key-file <file>', "the file with the site's signing key; only you may have access to it").env(
    'FROZEN_SIGNING_KEY_FILE',
  );
